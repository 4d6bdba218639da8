//===- Session.cpp - Runs on one device -----------------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session.h"

#include "magicube/Format/EvaluateEpilogue.h"
#include "magicube/Format/Projection.h"

#include <algorithm>
#include <chrono>

using namespace mlir::magicube;

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
  ReferenceEpilogue epilogue;
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

static std::string describeShape(int64_t rows, int64_t cols) {
  return std::to_string(rows) + "x" + std::to_string(cols);
}

/// The operand of an epilogue that is argument `index`: one number per row or
/// column of a rows x cols result, or for all, as its type says.
template <typename Matrix>
static Result<const Matrix *>
selectBroadcast(const BundleManifest &manifest,
                const std::vector<ProgramValue> &arguments, size_t index,
                int64_t rows, int64_t cols) {
  // The manifest's reader has checked what kind of matrix it is.
  const auto &operand = std::get<Matrix>(arguments[index]);
  const MatrixType &type = manifest.arguments[index];
  bool isPerColumn = type.rows == 1 && type.cols != 1;
  // A type of 1 x 1 is either.
  if (type.isNumber ||
      (type.rows == 1 && type.cols == 1 && (rows == 1 || cols == 1)))
    return &operand;
  int64_t wantedRows = isPerColumn ? 1 : rows;
  int64_t wantedCols = isPerColumn ? cols : 1;
  if (operand.rows == wantedRows && operand.cols == wantedCols)
    return &operand;
  return Error{"expected argument #" + std::to_string(index) +
                   " to be a matrix of " +
                   describeShape(wantedRows, wantedCols) + ", but got " +
                   describeShape(operand.rows, operand.cols),
               "a scale or bias has one number per row or per column of the " +
                   describeShape(rows, cols) + " result"};
}

static Result<ReferenceEpilogue>
selectEpilogue(const BundleManifest &manifest,
               const std::vector<ProgramValue> &arguments, int64_t rows,
               int64_t cols) {
  Status status;
  auto select = [&](const EpilogueOperand<size_t> &operand) {
    auto take = [&](auto matrix) -> ReferenceOperand {
      if (matrix)
        return *matrix;
      if (status)
        status = matrix.error();
      return {};
    };
    if (isInteger(operand.role))
      return take(selectBroadcast<DenseMatrix>(manifest, arguments, operand.ref,
                                               rows, cols));
    return take(selectBroadcast<FloatMatrix>(manifest, arguments, operand.ref,
                                             rows, cols));
  };
  ReferenceEpilogue epilogue = manifest.product.epilogue.mapOperands(select);
  const MatrixType &result = manifest.results.front();
  if (result.isFloat)
    epilogue.element = result.format;
  else
    epilogue.element = result.element;
  if (!status)
    return status.error();
  return epilogue;
}

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
  if (lhs.cols != rhs.rows)
    return Error{"expected argument #" + std::to_string(product.rhs) +
                     " to have as many rows as argument #" +
                     std::to_string(product.lhs) + " has columns, " +
                     std::to_string(lhs.cols) + ", but got " +
                     std::to_string(rhs.rows),
                 "change one of the two matrices"};
  if (init && (init->rows != lhs.rows || init->cols != rhs.cols))
    return Error{"expected argument #" + std::to_string(*product.init) +
                 " to be a matrix of " + describeShape(lhs.rows, rhs.cols) +
                 ", but got " + describeShape(init->rows, init->cols)};
  if (lhs.rows > kMaxDenseElements / rhs.cols)
    return Error{"the result is " + describeShape(lhs.rows, rhs.cols) +
                     ", but results have at most " +
                     std::to_string(kMaxDenseElements) + " elements",
                 "use a smaller matrix"};
  if (!manifest.results.front().fits(lhs.rows, rhs.cols))
    return Error{"the result is " + describeShape(lhs.rows, rhs.cols) +
                 ", but its type is " + manifest.results.front().str()};
  Result<ReferenceEpilogue> epilogue =
      selectEpilogue(manifest, arguments, lhs.rows, rhs.cols);
  if (!epilogue)
    return epilogue.error();
  return HostOperands{lhs, rhs, init, std::move(*epilogue)};
}

/// Bytes of a row of the result, and the distance of rows as kernels count it.
static int64_t getResultRowBytes(const HostOperands &host) {
  const ResultElement &element = host.epilogue.element;
  if (const auto *format = std::get_if<FloatFormat>(&element))
    return host.rhs.cols * floatBytes(*format);
  return std::get<ElementType>(element).bytesFor(host.rhs.cols);
}
static int64_t getResultStride(const HostOperands &host) {
  const auto *type = std::get_if<ElementType>(&host.epilogue.element);
  return type && type->isPacked() ? getResultRowBytes(host) : host.rhs.cols;
}

/// Copies the epilogue's operands to the device.
static Status uploadEpilogue(const ReferenceEpilogue &epilogue,
                             SpmmOperands &operands, Buffers &buffers) {
  size_t numScales = 0;
  for (const EpilogueOperand<ReferenceOperand> &operand : epilogue.operands) {
    Result<void *> buffer = std::visit(
        [&](const auto *matrix) {
          const auto &data = matrix->data;
          return buffers.upload(data.data(), data.size() * sizeof(data[0]));
        },
        operand.ref);
    if (!buffer)
      return buffer.error();
    switch (operand.role) {
    case EpilogueRole::SumBias:
      operands.sumBias = *buffer;
      break;
    case EpilogueRole::Scale:
      // A number goes along by value; that it is in memory too does no harm.
      operands.numbers[numScales] =
          std::get<const FloatMatrix *>(operand.ref)->data.front();
      operands.scales[numScales++] = *buffer;
      break;
    case EpilogueRole::Bias:
      operands.bias = *buffer;
      break;
    }
  }
  return {};
}

/// Copies the operands to the device.
static Result<SpmmOperands> upload(const HostOperands &host, Buffers &buffers,
                                   Device &device) {
  const SRBCRSMatrix &lhs = host.lhs;
  SpmmOperands operands;
  operands.vectorRows = lhs.vectorRows();
  operands.columns = host.rhs.cols;
  operands.rhsStride = host.rhs.rowBytes();
  operands.resultStride = getResultStride(host);

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

  if (Status s = uploadEpilogue(host.epilogue, operands, buffers); !s)
    return s.error();
  auto resultBytes = static_cast<uint64_t>(lhs.rows) *
                     static_cast<uint64_t>(getResultRowBytes(host));
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

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

/// Copies the result to the host.
static Result<ProgramValue> download(const HostOperands &host,
                                     const SpmmOperands &operands,
                                     Device &device) {
  int64_t rows = host.lhs.rows, cols = host.rhs.cols;
  const ResultElement &element = host.epilogue.element;
  const auto *format = std::get_if<FloatFormat>(&element);
  DenseMatrix result{rows, cols, ElementType(), {}};
  if (!format) {
    Result<DenseMatrix> zeros =
        DenseMatrix::zeros(rows, cols, std::get<ElementType>(element));
    if (!zeros)
      return zeros.error();
    result = std::move(*zeros);
  }
  result.data.resize(rows * getResultRowBytes(host));
  Status status = device.copy(result.data.data(), operands.result,
                              result.data.size(), /*stream=*/nullptr);
  if (status)
    status = device.synchronize();
  if (!status)
    return status.error();
  if (format)
    return ProgramValue(
        FloatMatrix::fromBytes(rows, cols, *format, result.data.data()));
  return ProgramValue(std::move(result));
}

static NpyArray toNpy(const ProgramValue &result) {
  const auto *floats = std::get_if<FloatMatrix>(&result);
  return floats ? floats->toNpy() : std::get<DenseMatrix>(result).toNpy();
}

/// The result of a file, as the product's is.
static Result<ProgramValue> readResult(const std::string &path,
                                       const HostOperands &host) {
  Result<NpyArray> array = readNpy(path);
  if (!array)
    return array.error();
  MatrixType type;
  type.rows = host.lhs.rows;
  type.cols = host.rhs.cols;
  type.reshapeVector(*array);
  const ResultElement &element = host.epilogue.element;
  auto make = [](auto matrix) -> Result<ProgramValue> {
    if (!matrix)
      return matrix.error();
    return ProgramValue(std::move(*matrix));
  };
  if (const auto *format = std::get_if<FloatFormat>(&element))
    return make(FloatMatrix::fromNpy(*array, path, *format));
  return make(
      DenseMatrix::fromNpy(*array, std::get<ElementType>(element), path));
}

/// Both are of the result's type.
static Status compareValues(const ProgramValue &expected,
                            const ProgramValue &actual) {
  if (const auto *floats = std::get_if<FloatMatrix>(&expected))
    return compareResult(0, *floats, std::get<FloatMatrix>(actual));
  return compareResult(0, std::get<DenseMatrix>(expected),
                       std::get<DenseMatrix>(actual));
}

/// Compares sums with the reference by projections.
static Status project(const CaseOptions &options, const HostOperands &host,
                      const ProgramValue &actual) {
  const auto *type = std::get_if<ElementType>(&host.epilogue.element);
  if (!type || type->bits != 32 || !host.epilogue.operands.empty())
    return Error{"expected a result of i32 sums for --check-projection, but "
                 "the product has an epilogue",
                 "use --check"};
  return compareProjections(host.lhs, host.rhs, host.init,
                            std::get<DenseMatrix>(actual), options.seed);
}

/// Compares with the reference and the file that the options name.
static Status compare(const CaseOptions &options, const HostOperands &host,
                      const ProgramValue &actual) {
  if (options.check) {
    Result<ProgramValue> expected =
        evaluateProduct(host.lhs, host.rhs, host.init, host.epilogue);
    if (!expected)
      return expected.error();
    if (Status s = compareValues(*expected, actual); !s)
      return s;
  }
  if (options.checkProjection)
    if (Status s = project(options, host, actual); !s)
      return s;
  if (options.expected.empty())
    return {};
  Result<ProgramValue> expected = readResult(options.expected, host);
  if (!expected)
    return expected.error();
  return compareValues(*expected, actual);
}

/// The result of copy number `copy` must be that of the first one.
static Status compareCopies(const ProgramValue &first,
                            const ProgramValue &other, size_t copy) {
  Status same = compareValues(first, other);
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

  Result<ProgramValue> result = download(*host, copies->front(), *owned);
  if (!result)
    return result.error();
  if (!options.out.empty())
    status = writeNpy(options.out, toNpy(*result));
  if (status)
    status = compare(options, *host, *result);
  // What is measured must be right on every copy.
  for (size_t i = 1; i < copies->size() && status; ++i) {
    status = program.launch((*copies)[i], /*stream=*/nullptr);
    Result<ProgramValue> other = download(*host, (*copies)[i], *owned);
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
