//===- BundleProgram.cpp - Running a bundle -------------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "magicube/Runtime/BundleProgram.h"

#include <algorithm>
#include <cstring>
#include <limits>

using namespace mlir::magicube;

Result<std::unique_ptr<BundleProgram>>
BundleProgram::load(Device &device, const Bundle &bundle) {
  Result<BundleChoice> choice = chooseImage(bundle.manifest(), device);
  if (!choice)
    return choice.error();
  std::unique_ptr<BundleProgram> program(
      new BundleProgram(device, bundle.manifest()));
  program->chipIndex =
      static_cast<size_t>(choice->chip - bundle.manifest().chips.data());
  program->imageFormat = choice->image->format;
  std::string_view image = bundle.image(*choice->image);
  Result<ModuleHandle *> module = device.loadModule(image.data(), image.size());
  if (!module)
    return Error{
        "cannot load " + std::string(describeImage(program->imageFormat)) +
            " for " + choice->chip->chip + ": " + module.error().message,
        module.error().note};
  program->module = *module;
  return program;
}

BundleProgram::~BundleProgram() {
  // Nothing can be done about a failure here.
  if (module)
    (void)device.unloadModule(module);
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

static std::string describeShape(ProgramShape shape) {
  return std::to_string(shape[0]) + "x" + std::to_string(shape[1]);
}

static std::string describeOperand(const BundleOperand &operand) {
  return (operand.isResult ? "result #" : "argument #") +
         std::to_string(operand.index);
}

/// Whether an operand is what its type says.
static Status checkType(const ProgramOperand &operand, const MatrixType &type,
                        const std::string &what) {
  auto [rows, columns] = operand.shape;
  if (rows < 0 || columns < 0 || !type.fits(rows, columns))
    return Error{"expected " + what + " to be a matrix for " + type.str() +
                 ", but got " + describeShape(operand.shape)};
  if (type.encoding && rows % type.encoding->vector != 0)
    return Error{"expected " + what + " to have a multiple of " +
                 std::to_string(type.encoding->vector) + " rows, but got " +
                 std::to_string(rows)};
  if (operand.stored < 0)
    return Error{"expected " + what +
                 " to have 0 or more stored vectors, but got " +
                 std::to_string(operand.stored)};
  if (operand.rowStride < 0)
    return Error{"expected the row stride of " + what +
                 " to be 0 or more, but got " +
                 std::to_string(operand.rowStride)};
  return {};
}

static Status checkCount(const char *what, size_t expected, size_t got) {
  if (expected == got)
    return {};
  return Error{"expected " + std::to_string(expected) + " " + what +
               ", but got " + std::to_string(got)};
}

static Status checkArguments(const BundleManifest &manifest,
                             const std::vector<ProgramOperand> &arguments) {
  Status status =
      checkCount("arguments", manifest.arguments.size(), arguments.size());
  for (size_t i = 0; status && i < arguments.size(); ++i)
    status = checkType(arguments[i], manifest.arguments[i],
                       "argument #" + std::to_string(i));
  return status;
}

static int64_t toAddress(const void *pointer) {
  return static_cast<int64_t>(reinterpret_cast<uintptr_t>(pointer));
}

static int64_t toBits(float number) {
  uint32_t bits;
  std::memcpy(&bits, &number, sizeof(bits));
  return bits;
}

/// Appends the values of an operand's symbols, in the order of getSymbols.
static void appendValues(const ProgramOperand &operand, const MatrixType &type,
                         std::vector<int64_t> &values) {
  if (type.isNumber) {
    values.push_back(toBits(operand.number));
    return;
  }
  values.insert(values.end(), operand.shape.begin(), operand.shape.end());
  if (type.isSparse())
    values.insert(values.end(),
                  {operand.stored, toAddress(operand.pointers),
                   toAddress(operand.indices), toAddress(operand.values)});
  else
    values.insert(values.end(), {operand.rowStride, toAddress(operand.data)});
}

//===----------------------------------------------------------------------===//
// Evaluation of plans
//===----------------------------------------------------------------------===//

namespace {

/// The values of a plan's symbols for given operands.
class PlanValues {
public:
  PlanValues(const BundleManifest &manifest, const LaunchPlan &plan)
      : manifest(manifest), plan(plan) {}

  /// Checks arguments and computes the shapes of results.
  Result<std::vector<ProgramShape>>
  addArguments(const std::vector<ProgramOperand> &arguments);
  /// The same, and checks results and all that the plan asks of the operands.
  Status addOperands(const ProgramOperands &operands);
  /// The bytes of each buffer.
  Result<std::vector<int64_t>> getBufferSizes() const;
  void addBuffers(const std::vector<const void *> &buffers) {
    for (const void *buffer : buffers)
      values.push_back(toAddress(buffer));
  }
  Result<std::vector<PlannedLaunch>> getLaunches() const;

private:
  Status checkResults(const ProgramOperands &operands,
                      const std::vector<ProgramShape> &shapes) const;
  Status check(const PlanCheck &check) const;
  Result<bool> accepts(const PlanKernel &kernel) const;
  Result<PlannedLaunch> makeLaunch(const PlanKernel &kernel) const;
  /// The value of an expression that must lie in [min, max].
  Result<int64_t> evaluate(const SizeExpr &expr, int64_t min,
                           int64_t max) const;
  /// "{lhs}" and so on in a message of the plan.
  std::string insertNames(std::string message) const;

  const BundleManifest &manifest;
  const LaunchPlan &plan;
  std::vector<int64_t> values;
};

} // namespace

Result<int64_t> PlanValues::evaluate(const SizeExpr &expr, int64_t min,
                                     int64_t max) const {
  Result<int64_t> value = expr.evaluate(values);
  if (!value || (*value >= min && *value <= max))
    return value;
  return Error{"expected " + expr.str() + " from " + std::to_string(min) +
               " to " + std::to_string(max) + ", but got " +
               std::to_string(*value)};
}

Result<std::vector<ProgramShape>>
PlanValues::addArguments(const std::vector<ProgramOperand> &arguments) {
  if (Status s = checkArguments(manifest, arguments); !s)
    return s.error();
  for (const BundleOperand &operand : manifest.operands)
    if (!operand.isResult)
      appendValues(arguments[operand.index], manifest.arguments[operand.index],
                   values);
  std::vector<ProgramShape> shapes;
  for (const PlanResult &result : plan.results) {
    ProgramShape &shape = shapes.emplace_back();
    for (size_t i = 0; i < shape.size(); ++i) {
      Result<int64_t> extent = evaluate(result.shape[i], 0, kMaxExtent);
      if (!extent)
        return extent.error();
      shape[i] = *extent;
    }
    const MatrixType &type = manifest.results[shapes.size() - 1].type;
    if (!type.fits(shape[0], shape[1]))
      return Error{"the result is " + describeShape(shape) +
                   ", but its type is " + type.str()};
  }
  return shapes;
}

/// A result has a value wherever its pattern has an index.
static Status checkStored(size_t result, int64_t actual, size_t pattern,
                          int64_t wanted) {
  if (actual == wanted)
    return {};
  return Error{"expected result #" + std::to_string(result) + " to have " +
               std::to_string(wanted) + " stored vectors, as argument #" +
               std::to_string(pattern) + ", but got " + std::to_string(actual)};
}

Status PlanValues::checkResults(const ProgramOperands &operands,
                                const std::vector<ProgramShape> &shapes) const {
  Status status = checkCount("results", shapes.size(), operands.results.size());
  auto checkShape = [&](const char *what, size_t index, ProgramShape actual,
                        ProgramShape wanted) {
    if (status && actual != wanted)
      status =
          Error{"expected " + std::string(what) + " #" + std::to_string(index) +
                " to be a matrix of " + describeShape(wanted) + ", but got " +
                describeShape(actual)};
  };
  for (size_t i = 0; status && i < shapes.size(); ++i) {
    const BundleResult &result = manifest.results[i];
    status = checkType(operands.results[i], result.type,
                       "result #" + std::to_string(i));
    if (result.init)
      checkShape("argument", *result.init,
                 operands.arguments[*result.init].shape, shapes[i]);
    if (result.pattern)
      checkShape("argument", *result.pattern,
                 operands.arguments[*result.pattern].shape, shapes[i]);
    checkShape("result", i, operands.results[i].shape, shapes[i]);
    if (status && result.pattern)
      status = checkStored(i, operands.results[i].stored, *result.pattern,
                           operands.arguments[*result.pattern].stored);
  }
  return status;
}

/// A result with pointers and indices of its pattern.
static ProgramOperand withPattern(ProgramOperand result,
                                  const ProgramOperand &pattern) {
  result.pointers = pattern.pointers;
  result.indices = pattern.indices;
  return result;
}

Status PlanValues::addOperands(const ProgramOperands &operands) {
  Result<std::vector<ProgramShape>> shapes = addArguments(operands.arguments);
  if (!shapes)
    return shapes.error();
  if (Status s = checkResults(operands, *shapes); !s)
    return s;
  for (size_t i = 0; i < operands.results.size(); ++i) {
    const BundleResult &result = manifest.results[i];
    appendValues(result.pattern
                     ? withPattern(operands.results[i],
                                   operands.arguments[*result.pattern])
                     : operands.results[i],
                 result.type, values);
  }
  for (const PlanValue &item : plan.values) {
    Result<int64_t> value = item.value.evaluate(values);
    if (!value)
      return value.error();
    values.push_back(*value);
  }
  for (const PlanCheck &item : plan.checks)
    if (Status s = check(item); !s)
      return s;
  return {};
}

std::string PlanValues::insertNames(std::string message) const {
  for (const BundleOperand &operand : manifest.operands) {
    std::string name = "{" + operand.name + "}";
    for (size_t at = message.find(name); at != std::string::npos;
         at = message.find(name, at))
      message.replace(at, name.size(), describeOperand(operand));
  }
  return message;
}

Status PlanValues::check(const PlanCheck &check) const {
  Result<int64_t> value = check.value.evaluate(values);
  Result<int64_t> expected = check.expected.evaluate(values);
  for (const Result<int64_t> *result : {&value, &expected})
    if (!*result)
      return result->error();
  if (*value == *expected)
    return {};
  return Error{insertNames(check.message) + ", " + std::to_string(*expected) +
                   ", but got " + std::to_string(*value),
               check.note};
}

Result<std::vector<int64_t>> PlanValues::getBufferSizes() const {
  std::vector<int64_t> sizes;
  for (const PlanBuffer &buffer : plan.buffers) {
    Result<int64_t> bytes =
        evaluate(buffer.bytes, 0, std::numeric_limits<int64_t>::max());
    if (!bytes)
      return bytes.error();
    sizes.push_back(*bytes);
  }
  return sizes;
}

/// Whether all alignments hold.
Result<bool> PlanValues::accepts(const PlanKernel &kernel) const {
  for (const PlanAlignment &alignment : kernel.alignments)
    for (const SizeExpr &expr : alignment.values) {
      Result<int64_t> value = expr.evaluate(values);
      if (!value)
        return value.error();
      if (*value % alignment.multiple != 0)
        return false;
    }
  return true;
}

Result<PlannedLaunch> PlanValues::makeLaunch(const PlanKernel &kernel) const {
  PlannedLaunch launch;
  launch.kernel = &kernel;
  // CUDA C++ Programming Guide, "Technical Specifications per Compute
  // Capability".
  constexpr int64_t maxGrid[] = {(int64_t(1) << 31) - 1, 65535, 65535};
  uint32_t *grid[] = {&launch.grid.x, &launch.grid.y, &launch.grid.z};
  for (size_t i = 0; i < kernel.grid.size(); ++i) {
    Result<int64_t> extent = evaluate(kernel.grid[i], 1, maxGrid[i]);
    if (!extent)
      return extent.error();
    *grid[i] = static_cast<uint32_t>(*extent);
  }
  launch.block = {static_cast<uint32_t>(kernel.block[0]),
                  static_cast<uint32_t>(kernel.block[1]),
                  static_cast<uint32_t>(kernel.block[2])};
  for (const PlanParameter &parameter : kernel.parameters) {
    bool isI32 = parameter.kind == PlanParameter::Kind::I32;
    Result<int64_t> value = isI32 ? evaluate(parameter.value, 0, kMaxExtent)
                                  : parameter.value.evaluate(values);
    if (!value)
      return value.error();
    launch.parameters.push_back(static_cast<uint64_t>(*value));
  }
  return launch;
}

Result<std::vector<PlannedLaunch>> PlanValues::getLaunches() const {
  std::vector<PlannedLaunch> launches;
  for (const PlanLaunch &item : plan.launches) {
    bool isEmpty = false;
    for (const SizeExpr &size : item.unlessZero) {
      Result<int64_t> value = size.evaluate(values);
      if (!value)
        return value.error();
      isEmpty |= *value == 0;
    }
    const PlanKernel *chosen = nullptr;
    for (size_t i = 0; !isEmpty && !chosen && i < item.kernels.size(); ++i) {
      Result<bool> isAligned = accepts(item.kernels[i]);
      if (!isAligned)
        return isAligned.error();
      if (*isAligned)
        chosen = &item.kernels[i];
    }
    if (isEmpty)
      continue;
    if (!chosen)
      return Error{"no kernel of '" + manifest.entry +
                       "' takes operands of this alignment",
                   "compile with a dynamic number of columns"};
    Result<PlannedLaunch> launch = makeLaunch(*chosen);
    if (!launch)
      return launch.error();
    launches.push_back(std::move(*launch));
  }
  return launches;
}

//===----------------------------------------------------------------------===//
// Planning
//===----------------------------------------------------------------------===//

Result<std::vector<ProgramShape>> BundleProgram::getResultShapes(
    const std::vector<ProgramOperand> &arguments) const {
  return PlanValues(content, chip().plan).addArguments(arguments);
}

Result<std::vector<int64_t>>
BundleProgram::getBufferSizes(const ProgramOperands &operands) const {
  PlanValues values(content, chip().plan);
  if (Status s = values.addOperands(operands); !s)
    return s.error();
  return values.getBufferSizes();
}

Result<std::vector<PlannedLaunch>>
BundleProgram::planWith(const ProgramOperands &operands,
                        const std::vector<const void *> &buffers) const {
  PlanValues values(content, chip().plan);
  if (Status s = values.addOperands(operands); !s)
    return s.error();
  values.addBuffers(buffers);
  return values.getLaunches();
}

Result<std::vector<PlannedLaunch>>
BundleProgram::plan(const ProgramOperands &operands) const {
  return planWith(
      operands, std::vector<const void *>(chip().plan.buffers.size(), nullptr));
}

//===----------------------------------------------------------------------===//
// Launching
//===----------------------------------------------------------------------===//

namespace {

/// The scratch buffers of a launch, freed in stream order.
class ScratchBuffers {
public:
  ScratchBuffers(Device &device, StreamHandle *stream)
      : device(device), stream(stream) {}
  ~ScratchBuffers() {
    // Nothing can be done about a failure here.
    for (const void *buffer : addresses)
      (void)device.free(const_cast<void *>(buffer), stream);
  }

  Status allocate(const std::vector<int64_t> &sizes) {
    for (int64_t bytes : sizes) {
      Result<void *> buffer = device.allocate(static_cast<uint64_t>(bytes),
                                              MemoryKind::Device, stream);
      if (!buffer)
        return buffer.error();
      addresses.push_back(*buffer);
    }
    return {};
  }
  const std::vector<const void *> &get() const { return addresses; }

private:
  Device &device;
  StreamHandle *stream;
  std::vector<const void *> addresses;
};

} // namespace

/// Where a launch finds its parameters. A device that cannot tell how many a
/// kernel takes finds zeros behind them.
static std::vector<void *> getAddresses(PlannedLaunch &launch) {
  static uint64_t zero = 0;
  constexpr size_t mostParameters = 64;
  std::vector<void *> addresses;
  for (uint64_t &parameter : launch.parameters)
    addresses.push_back(&parameter);
  addresses.resize(std::max(addresses.size(), mostParameters), &zero);
  return addresses;
}

Result<FunctionHandle *> BundleProgram::getFunction(const PlanKernel &kernel,
                                                    size_t numParameters) {
  if (kernel.cluster != std::array<int64_t, 3>{1, 1, 1})
    return Error{"kernel '" + kernel.name +
                     "' needs clusters of blocks, which this runtime does not "
                     "launch",
                 "use the runtime of the compiler that made the bundle"};
  Result<FunctionHandle *> function =
      device.getFunction(module, kernel.name.c_str());
  if (!function)
    return function;
  if (Status s = device.checkParameters(*function, numParameters); !s)
    return Error{"kernel '" + kernel.name + "': " + s.error().message,
                 s.error().note};
  return function;
}

Status BundleProgram::launch(const ProgramOperands &operands,
                             StreamHandle *stream) {
  ScratchBuffers buffers(device, stream);
  if (!chip().plan.buffers.empty()) {
    Result<std::vector<int64_t>> sizes = getBufferSizes(operands);
    Status status = sizes ? buffers.allocate(*sizes) : sizes.error();
    if (!status)
      return status;
  }
  Result<std::vector<PlannedLaunch>> launches =
      planWith(operands, buffers.get());
  if (!launches)
    return launches.error();
  for (PlannedLaunch &launch : *launches) {
    Result<FunctionHandle *> function =
        getFunction(*launch.kernel, launch.parameters.size());
    if (!function)
      return function.error();
    Status status =
        device.launch(*function, launch.grid, launch.block,
                      static_cast<uint32_t>(launch.kernel->sharedMemoryBytes),
                      stream, getAddresses(launch).data());
    if (!status)
      return status;
  }
  return {};
}

/// Whether two copies of the operands are for the same kernels.
static bool haveSameKernels(const std::vector<PlannedLaunch> &lhs,
                            const std::vector<PlannedLaunch> &rhs) {
  return std::equal(lhs.begin(), lhs.end(), rhs.begin(), rhs.end(),
                    [](const PlannedLaunch &a, const PlannedLaunch &b) {
                      return a.kernel == b.kernel;
                    });
}

Result<LaunchTiming>
BundleProgram::time(const std::vector<ProgramOperands> &copies,
                    unsigned replays) {
  if (copies.empty())
    return Error{"expected one copy of the operands at least, but got none"};
  ScratchBuffers buffers(device, /*stream=*/nullptr);
  Result<std::vector<int64_t>> sizes = getBufferSizes(copies.front());
  Status status = sizes ? buffers.allocate(*sizes) : sizes.error();
  if (!status)
    return status.error();
  // Parameters point at the values, which must stay where they are.
  std::vector<std::vector<PlannedLaunch>> planned;
  for (const ProgramOperands &operands : copies) {
    Result<std::vector<PlannedLaunch>> launches =
        planWith(operands, buffers.get());
    if (!launches)
      return launches.error();
    planned.push_back(std::move(*launches));
    if (!haveSameKernels(planned.front(), planned.back()))
      return Error{"expected copies of the operands that the same kernels "
                   "take, but copy 0 and copy " +
                       std::to_string(planned.size() - 1) +
                       " need different ones",
                   "align and shape all copies alike"};
  }
  if (planned.front().empty())
    return LaunchTiming{};
  std::vector<std::vector<void *>> parameters;
  std::vector<std::vector<KernelLaunch>> sequences;
  for (std::vector<PlannedLaunch> &launches : planned) {
    std::vector<KernelLaunch> &sequence = sequences.emplace_back();
    for (PlannedLaunch &launch : launches) {
      Result<FunctionHandle *> function =
          getFunction(*launch.kernel, launch.parameters.size());
      if (!function)
        return function.error();
      parameters.push_back(getAddresses(launch));
      sequence.push_back(
          {*function, launch.grid, launch.block,
           static_cast<uint32_t>(launch.kernel->sharedMemoryBytes),
           parameters.back().data()});
    }
  }
  return device.timeLaunches(sequences, replays);
}
