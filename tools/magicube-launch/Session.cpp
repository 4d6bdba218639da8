//===- Session.cpp - Runs on one device -----------------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session.h"

#include "magicube/Format/Projection.h"

#include <algorithm>
#include <chrono>

using namespace mlir::magicube;

static constexpr ElementType resultType = {32, /*isSigned=*/true};
/// What a result holds before the launch, so that an element that no block
/// writes is found.
static constexpr uint8_t poison = 0xCD;
/// Most copies that --rotate-bytes makes: more are a typing error.
static constexpr uint64_t maxCopies = 1024;

namespace {

class Stopwatch {
public:
  double milliseconds() const {
    return std::chrono::duration<double, std::milli>(Clock::now() - begin)
        .count();
  }

private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin = Clock::now();
};

/// Device memory that is freed at the end.
class Buffers {
public:
  explicit Buffers(Device &device) : device(device) {}
  ~Buffers() {
    // A failed kernel fails here once more; it has been reported.
    for (void *buffer : buffers)
      (void)device.free(buffer, /*stream=*/nullptr);
  }

  Result<void *> allocate(uint64_t bytes) {
    Result<void *> buffer =
        device.allocate(bytes, MemoryKind::Device, /*stream=*/nullptr);
    if (buffer) {
      buffers.push_back(*buffer);
      total += bytes;
    }
    return buffer;
  }
  Result<void *> upload(const void *data, uint64_t bytes) {
    Result<void *> buffer = allocate(bytes);
    if (!buffer)
      return buffer;
    if (Status s = device.copy(*buffer, data, bytes, /*stream=*/nullptr); !s)
      return s.error();
    return buffer;
  }

  /// Bytes of all buffers.
  uint64_t size() const { return total; }

private:
  Device &device;
  std::vector<void *> buffers;
  uint64_t total = 0;
};

/// The operands of a product on the host.
struct HostOperands {
  const SRBCRSMatrix &lhs;
  const DenseMatrix &rhs;
  /// Null: zeros.
  const DenseMatrix *init;
};

} // namespace

double CaseReport::teraOps() const {
  if (!timing || timing->medianMicroseconds <= 0)
    return 0;
  constexpr double operationsPerMultiply = 2, perMicrosecondToTera = 1e-6;
  return operationsPerMultiply * double(vectors) * double(vector) *
         double(columns) / timing->medianMicroseconds * perMicrosecondToTera;
}

//===----------------------------------------------------------------------===//
// Device and bundles
//===----------------------------------------------------------------------===//

Result<std::unique_ptr<Session>> Session::create(const LaunchOptions &options) {
  auto session = std::make_unique<Session>();
  Stopwatch watch;
  Result<std::unique_ptr<Device>> device =
      createDevice(options.device, options.deviceOptions);
  if (!device)
    return device.error();
  session->owned = std::move(*device);
  session->start = watch.milliseconds();
  return session;
}

Result<BundleProgram *> Session::load(const std::string &path,
                                      CaseReport &report) {
  std::unique_ptr<BundleProgram> &program = programs[path];
  if (program)
    return program.get();
  Stopwatch watch;
  Result<Bundle> bundle = Bundle::read(path);
  if (!bundle)
    return bundle.error();
  Result<std::unique_ptr<BundleProgram>> loaded =
      BundleProgram::load(*owned, *bundle);
  if (!loaded)
    return loaded.error();
  program = std::move(*loaded);
  report.loadMilliseconds = watch.milliseconds();
  return program.get();
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// The product's operands among the arguments; their extents must agree.
static Result<HostOperands>
selectOperands(const BundleManifest &manifest,
               const std::vector<ProgramValue> &arguments) {
  const BundleProduct &product = manifest.product;
  // The manifest's reader has checked which arguments are sparse.
  const auto &lhs = std::get<SRBCRSMatrix>(arguments[product.lhs]);
  const auto &rhs = std::get<DenseMatrix>(arguments[product.rhs]);
  const DenseMatrix *init =
      product.init ? std::get_if<DenseMatrix>(&arguments[*product.init])
                   : nullptr;
  auto shape = [](int64_t rows, int64_t cols) {
    return std::to_string(rows) + "x" + std::to_string(cols);
  };
  if (lhs.cols != rhs.rows)
    return Error{"expected argument #" + std::to_string(product.rhs) +
                     " to have as many rows as argument #" +
                     std::to_string(product.lhs) + " has columns, " +
                     std::to_string(lhs.cols) + ", but got " +
                     std::to_string(rhs.rows),
                 "change one of the two matrices"};
  if (init && (init->rows != lhs.rows || init->cols != rhs.cols))
    return Error{"expected argument #" + std::to_string(*product.init) +
                 " to be a matrix of " + shape(lhs.rows, rhs.cols) +
                 ", but got " + shape(init->rows, init->cols)};
  if (!manifest.results.front().fits(lhs.rows, rhs.cols))
    return Error{"the result is " + shape(lhs.rows, rhs.cols) +
                 ", but its type is " + manifest.results.front().str()};
  return HostOperands{lhs, rhs, init};
}

/// Copies the operands to the device.
static Result<SpmmOperands> upload(const HostOperands &host, Buffers &buffers,
                                   Device &device) {
  const SRBCRSMatrix &lhs = host.lhs;
  SpmmOperands operands;
  operands.vectorRows = lhs.vectorRows();
  operands.columns = host.rhs.cols;
  operands.rhsStride = host.rhs.rowBytes();
  operands.resultStride = host.rhs.cols;

  struct Upload {
    const void **target;
    const void *data;
    uint64_t bytes;
  };
  const Upload uploads[] = {
      {&operands.pointers, lhs.pointers.data(),
       lhs.pointers.size() * sizeof(int32_t)},
      {&operands.indices, lhs.indices.data(),
       static_cast<uint64_t>(lhs.indices.size() *
                             lhs.indices.containerBytes())},
      {&operands.values, lhs.values.data(), lhs.values.size()},
      {&operands.rhs, host.rhs.data.data(), host.rhs.data.size()}};
  for (const Upload &item : uploads) {
    Result<void *> buffer = buffers.upload(item.data, item.bytes);
    if (!buffer)
      return buffer.error();
    *item.target = *buffer;
  }

  auto resultBytes = static_cast<uint64_t>(lhs.rows) *
                     static_cast<uint64_t>(host.rhs.cols) * sizeof(int32_t);
  Result<void *> result =
      host.init ? buffers.upload(host.init->data.data(), resultBytes)
                : buffers.allocate(resultBytes);
  if (!result)
    return result.error();
  operands.result = *result;
  if (!host.init)
    if (Status s = device.fill(*result, poison, /*elementBytes=*/1, resultBytes,
                               /*stream=*/nullptr);
        !s)
      return s.error();
  return operands;
}

/// Copies the operands to the device, several times if the options say so.
static Result<std::vector<SpmmOperands>>
uploadCopies(const CaseOptions &options, const HostOperands &host,
             Buffers &buffers, Device &device) {
  std::vector<SpmmOperands> copies;
  uint64_t wanted = 1;
  do {
    Result<SpmmOperands> operands = upload(host, buffers, device);
    if (!operands)
      return operands.error();
    copies.push_back(*operands);
    if (copies.size() > 1 || options.rotateBytes == 0)
      continue;
    uint64_t bytes = std::max<uint64_t>(buffers.size(), 1);
    wanted = std::max<uint64_t>(
        options.rotateBytes / bytes + (options.rotateBytes % bytes != 0), 2);
    if (wanted > maxCopies)
      return Error{
          "--rotate-bytes=" + std::to_string(options.rotateBytes) + " makes " +
              std::to_string(wanted) + " copies of operands of " +
              std::to_string(bytes) + " bytes, but at most " +
              std::to_string(maxCopies) + " are made",
          "give " + std::to_string(maxCopies * bytes) + " bytes or fewer"};
  } while (copies.size() < wanted);
  return copies;
}

/// The result on the host.
static Result<DenseMatrix> download(const HostOperands &host,
                                    const SpmmOperands &operands,
                                    Device &device) {
  Result<DenseMatrix> result =
      DenseMatrix::zeros(host.lhs.rows, host.rhs.cols, resultType);
  if (!result)
    return result;
  Status status = device.copy(result->data.data(), operands.result,
                              result->data.size(), /*stream=*/nullptr);
  if (status)
    status = device.synchronize();
  return status ? std::move(result) : Result<DenseMatrix>(status.error());
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

/// Compares with the reference and the file that the options name.
static Status compare(const CaseOptions &options, const HostOperands &host,
                      const DenseMatrix &actual) {
  if (options.check) {
    Result<DenseMatrix> expected = evaluateSpmm(host.lhs, host.rhs, host.init);
    if (!expected)
      return expected.error();
    if (Status s = compareResult(0, *expected, actual); !s)
      return s;
  }
  if (options.checkProjection)
    if (Status s = compareProjections(host.lhs, host.rhs, host.init, actual,
                                      options.seed);
        !s)
      return s;
  if (options.expected.empty())
    return {};
  Result<NpyArray> array = readNpy(options.expected);
  if (!array)
    return array.error();
  Result<DenseMatrix> expected =
      DenseMatrix::fromNpy(*array, resultType, options.expected);
  if (!expected)
    return expected.error();
  return compareResult(0, *expected, actual);
}

/// The result of copy number `copy` must be that of the first one.
static Status compareCopies(const DenseMatrix &first, const DenseMatrix &other,
                            size_t copy) {
  Status same = compareResult(0, first, other);
  if (same)
    return same;
  return Error{"on copy " + std::to_string(copy) +
                   " of the operands, with the first one as the reference: " +
                   same.error().message,
               same.error().note};
}

Result<CaseReport> Session::run(const CaseOptions &options) {
  CaseReport report;
  Result<BundleProgram *> loaded = load(options.bundle, report);
  if (!loaded)
    return loaded.error();
  BundleProgram &program = **loaded;
  const BundleManifest &manifest = program.manifest();
  Result<std::vector<ProgramValue>> arguments = makeArguments(
      manifest.entry, manifest.arguments, options.args, options.seed);
  if (!arguments)
    return arguments.error();
  Result<HostOperands> host = selectOperands(manifest, *arguments);
  if (!host)
    return host.error();
  Buffers buffers(*owned);
  Result<std::vector<SpmmOperands>> copies =
      uploadCopies(options, *host, buffers, *owned);
  if (!copies)
    return copies.error();
  Result<SpmmLaunch> launch = program.plan(copies->front());
  if (!launch)
    return launch.error();
  report.program = &program;
  report.launch = *launch;
  report.rows = host->lhs.rows;
  report.inner = host->lhs.cols;
  report.columns = host->rhs.cols;
  report.vector = host->lhs.encoding.vector;
  report.vectors = host->lhs.vectors;
  report.stored = host->lhs.stored();
  report.copies = copies->size();

  // Copies are done before the clock starts.
  if (Status s = owned->synchronize(); !s)
    return s.error();
  Stopwatch watch;
  Status status = program.launch(copies->front(), /*stream=*/nullptr);
  if (status)
    status = owned->synchronize();
  if (!status)
    return status.error();
  report.launchMilliseconds = watch.milliseconds();

  Result<DenseMatrix> result = download(*host, copies->front(), *owned);
  if (!result)
    return result.error();
  if (!options.out.empty())
    status = writeNpy(options.out, result->toNpy());
  if (status)
    status = compare(options, *host, *result);
  // What is measured must be right on every copy.
  for (size_t i = 1; i < copies->size() && status; ++i) {
    status = program.launch((*copies)[i], /*stream=*/nullptr);
    Result<DenseMatrix> other = download(*host, (*copies)[i], *owned);
    if (status && !other)
      status = other.error();
    if (status)
      status = compareCopies(*result, *other, i);
  }
  if (!status)
    return status.error();
  bool isEvery = options.check || !options.expected.empty();
  report.wasCompared = isEvery || options.checkProjection;
  report.wasProjected = options.checkProjection && !isEvery;

  if (options.repeat > 0) {
    Result<LaunchTiming> timing = program.time(*copies, options.repeat);
    if (!timing)
      return timing.error();
    report.timing = *timing;
  }
  return report;
}
