//===- Session.cpp - Runs on one device -----------------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session.h"

#include "DeviceOperands.h"
#include "Reference.h"

#include "magicube/Format/SparseResults.h"

#include <algorithm>
#include <chrono>

using namespace mlir::magicube;

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

} // namespace

double CaseReport::teraOps() const {
  if (!timing || timing->medianMicroseconds <= 0)
    return 0;
  constexpr double operationsPerMultiply = 2, perMicrosecondToTera = 1e-6;
  return operationsPerMultiply * double(vectors) * double(vector) *
         double(products) / timing->medianMicroseconds * perMicrosecondToTera;
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
// Runs
//===----------------------------------------------------------------------===//

namespace {

/// A run's arguments and what follows from them.
struct HostProgram {
  const BundleManifest &manifest;
  std::vector<ProgramValue> arguments;
  std::vector<ProgramShape> shapes;
};

} // namespace

/// Files must be there for results, and be named as what they hold, before
/// anything is launched.
static Status checkFiles(const CaseOptions &options,
                         const BundleManifest &manifest) {
  if (options.outs.size() > manifest.results.size())
    return Error{"expected at most " + std::to_string(manifest.results.size()) +
                     " files for the results of '" + manifest.entry +
                     "', but got " + std::to_string(options.outs.size()),
                 "give --out once for each result"};
  for (size_t i = 0; i < options.outs.size(); ++i)
    if (manifest.results[i].pattern)
      if (Status s = checkSparseName(options.outs[i]); !s)
        return s;
  if (!options.expected.empty() && manifest.results.front().pattern)
    return Error{"--expected='" + options.expected +
                     "' is for a dense result, but the first result of '" +
                     manifest.entry + "' is sparse",
                 "use --check, or --out and compare the files"};
  return {};
}

static Result<HostProgram> makeProgram(const CaseOptions &options,
                                       const BundleProgram &program) {
  const BundleManifest &manifest = program.manifest();
  if (Status s = checkFiles(options, manifest); !s)
    return s.error();
  Result<std::vector<ProgramValue>> arguments = makeArguments(
      manifest.entry, manifest.arguments, options.args, options.seed);
  if (!arguments)
    return arguments.error();
  ProgramOperands operands{describeArguments(*arguments), {}};
  Result<std::vector<ProgramShape>> shapes =
      program.getResultShapes(operands.arguments);
  if (!shapes)
    return shapes.error();
  for (size_t i = 0; i < shapes->size(); ++i) {
    auto [rows, columns] = (*shapes)[i];
    if (!manifest.results[i].pattern && columns > 0 &&
        rows > kMaxDenseElements / columns)
      return Error{"the result is " + std::to_string(rows) + "x" +
                       std::to_string(columns) + ", but results have at most " +
                       std::to_string(kMaxDenseElements) + " elements",
                   "use a smaller matrix"};
  }
  // What does not fit is said before anything is copied.
  operands.results = describeResults(manifest, operands.arguments, *shapes);
  if (Result<std::vector<PlannedLaunch>> launches = program.plan(operands);
      !launches)
    return launches.error();
  return HostProgram{manifest, std::move(*arguments), std::move(*shapes)};
}

/// Copies the operands to the device, several times if the options say so.
static Result<std::vector<ProgramOperands>>
uploadCopies(const CaseOptions &options, const HostProgram &host,
             Buffers &buffers, Device &device) {
  std::vector<ProgramOperands> copies;
  uint64_t wanted = 1;
  do {
    Result<ProgramOperands> operands =
        upload(host.manifest, host.arguments, host.shapes, buffers, device);
    if (!operands)
      return operands.error();
    copies.push_back(std::move(*operands));
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

static Status writeResult(const std::string &path, const ProgramValue &result) {
  if (std::optional<SparseValue> sparse = toSparseValue(result))
    return writeSparse(path, *sparse);
  const auto *floats = std::get_if<FloatMatrix>(&result);
  return writeNpy(path, floats ? floats->toNpy()
                               : std::get<DenseMatrix>(result).toNpy());
}

/// The first result, of a file.
static Result<ProgramValue> readResult(const std::string &path,
                                       const HostProgram &host) {
  Result<NpyArray> array = readNpy(path);
  if (!array)
    return array.error();
  MatrixType type = host.manifest.results.front().type;
  type.rows = host.shapes.front()[0];
  type.cols = host.shapes.front()[1];
  type.reshapeVector(*array);
  auto make = [](auto matrix) -> Result<ProgramValue> {
    if (!matrix)
      return matrix.error();
    return ProgramValue(std::move(*matrix));
  };
  if (type.isFloat)
    return make(FloatMatrix::fromNpy(*array, path, type.format));
  return make(DenseMatrix::fromNpy(*array, type.element, path));
}

/// Compares with the reference and the file that the options name.
static Status compare(const CaseOptions &options, const HostProgram &host,
                      const std::vector<ProgramValue> &results) {
  const ProgramValue &actual = results.front();
  if (options.check) {
    Result<std::vector<ProgramValue>> expected =
        evaluateReference(host.manifest, host.arguments);
    if (!expected)
      return expected.error();
    if (Status s = compareResults(*expected, results); !s)
      return s;
  }
  if (options.checkProjection)
    if (Status s = compareProjections(host.manifest, host.arguments, actual,
                                      options.seed);
        !s)
      return s;
  if (options.expected.empty())
    return {};
  Result<ProgramValue> expected = readResult(options.expected, host);
  if (!expected)
    return expected.error();
  return compareValues(0, *expected, actual);
}

/// The results of copy number `copy` must be those of the first one.
static Status compareCopies(const std::vector<ProgramValue> &first,
                            const std::vector<ProgramValue> &other,
                            size_t copy) {
  Status same = compareResults(first, other);
  if (same)
    return same;
  return Error{"on copy " + std::to_string(copy) +
                   " of the operands, with the first one as the reference: " +
                   same.error().message,
               same.error().note};
}

/// The shapes of the sparse operand and of the result; what a sum goes over is
/// the columns of the operand that is named lhs, if there is one.
static void describeWork(const HostProgram &host, CaseReport &report) {
  report.rows = host.shapes.front()[0];
  report.columns = host.shapes.front()[1];
  for (const ProgramValue &argument : host.arguments)
    if (const SRBCRSMatrix *pattern = findPattern(argument)) {
      report.vector = pattern->encoding.vector;
      report.vectors = pattern->vectors;
      report.stored = pattern->stored();
    }
  const BundleOperand *lhs = host.manifest.findOperand("lhs");
  if (!lhs)
    return;
  report.inner = getExtents(host.arguments[lhs->index]).second;
  bool isSampled = host.manifest.results.front().pattern.has_value();
  report.products = isSampled ? report.inner : report.columns;
}

Result<CaseReport> Session::run(const CaseOptions &options) {
  CaseReport report;
  Result<BundleProgram *> loaded = load(options.bundle, report);
  if (!loaded)
    return loaded.error();
  BundleProgram &program = **loaded;
  Result<HostProgram> host = makeProgram(options, program);
  if (!host)
    return host.error();
  Buffers buffers(*owned);
  Result<std::vector<ProgramOperands>> copies =
      uploadCopies(options, *host, buffers, *owned);
  if (!copies)
    return copies.error();
  Result<std::vector<PlannedLaunch>> launches = program.plan(copies->front());
  if (!launches)
    return launches.error();
  report.program = &program;
  report.launches = std::move(*launches);
  describeWork(*host, report);
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

  Result<std::vector<ProgramValue>> results =
      download(host->manifest, host->arguments, copies->front(), *owned);
  if (!results)
    return results.error();
  for (size_t i = 0; i < options.outs.size() && status; ++i)
    status = writeResult(options.outs[i], (*results)[i]);
  if (status)
    status = compare(options, *host, *results);
  // What is measured must be right on every copy.
  for (size_t i = 1; i < copies->size() && status; ++i) {
    status = program.launch((*copies)[i], /*stream=*/nullptr);
    Result<std::vector<ProgramValue>> others =
        download(host->manifest, host->arguments, (*copies)[i], *owned);
    if (status && !others)
      status = others.error();
    if (status)
      status = compareCopies(*results, *others, i);
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
