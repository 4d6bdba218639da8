//===- magicube-run.cpp - Compile and run a function ----------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads or makes the arguments, runs the function on a device, writes and
// checks the results.
//
//===----------------------------------------------------------------------===//

#include "HostProgram.h"
#include "ReferenceProgram.h"
#include "RuntimeShapes.h"
#include "tools/Common/ToolSupport.h"

#include "magicube/Format/SparseResults.h"
#include "magicube/Pipelines/Diagnostics.h"
#include "magicube/Serialize/Compiler.h"
#include "magicube/Serialize/Patterns.h"
#include "magicube/Target/GpuTarget.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"

using namespace mlir;
using namespace mlir::magicube;
namespace cl = llvm::cl;

namespace {

/// The command line; see magicube-compile.
struct Options {
  cl::OptionCategory category{"magicube-run options"};
  cl::opt<std::string> input{cl::Positional, cl::desc("FILE.mlir"),
                             cl::init("-"), cl::cat(category)};
  cl::opt<std::string> entry{"entry", cl::desc("Function to run"),
                             cl::value_desc("name"), cl::Required,
                             cl::cat(category)};
  cl::opt<std::string> device{"device",
                              cl::desc("Device to run on: sim (the host) or "
                                       "cuda (an NVIDIA GPU)"),
                              cl::init("sim"), cl::cat(category)};
  cl::opt<std::string> chip{
      "chip",
      cl::desc("Chip to compile for: sm_80 (default; on cuda the GPU's), "
               "sm_86, sm_89, sm_90, sm_100 or sm_120"),
      cl::value_desc("sm_NN"), cl::init("sm_80"), cl::cat(category)};
  cl::list<std::string> args{
      "arg",
      cl::desc(
          "Argument, in order: a .mtx or .smtx file (or .mtx.gz, .smtx.gz) or "
          "random:MxK@density for a sparse type, a .npy file or random[:RxC] "
          "for a dense one (floats: multiples of 1/256 in [-2, 2)), a decimal "
          "number for f32"),
      cl::value_desc("value"), cl::cat(category)};
  cl::list<std::string> outs{
      "out",
      cl::desc("File for the next result (.npy; a sparse one: "
               ".mtx, or .npy for NAME.pointers.npy, "
               "NAME.indices.npy and NAME.values.npy)"),
      cl::value_desc("file"), cl::cat(category)};
  cl::opt<bool> check{"check",
                      cl::desc("Compare every element with a plain reference; "
                               "exit 1 if one differs"),
                      cl::cat(category)};
  cl::opt<uint64_t> seed{"seed", cl::desc("Seed of random values and orders"),
                         cl::init(0), cl::cat(category)};
  cl::opt<std::string> warpOrder{
      "warp-order", cl::desc("sim: order of warps: forward, reverse or random"),
      cl::init("forward"), cl::cat(category)};
  cl::opt<std::string> asyncCopy{
      "async-copy",
      cl::desc("sim: when cp.async lands: at its issue or at its wait"),
      cl::init("issue"), cl::cat(category)};
};

} // namespace

static bool isResultType(RankedTensorType type) {
  Type element = type.getElementType();
  bool isSparse = getSparseEncoding(type) != nullptr;
  return type.getRank() == 2 && (isSparse || !type.getEncoding()) &&
         (element.isInteger(32) || element.isInteger(8) ||
          element.isInteger(4) || (isSparse && element.isInteger(16)) ||
          getFloatFormat(element));
}

/// The function to run; results must be matrices that a file can hold.
static Result<func::FuncOp> findEntry(ModuleOp module, StringRef name) {
  std::string names;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.getName() != name) {
      names += (names.empty() ? "" : ", ") + function.getName().str();
      continue;
    }
    if (function.isExternal())
      return Error{"function '" + name.str() + "' has no body",
                   "define it in this module"};
    if (function.isPrivate())
      return Error{"function '" + name.str() + "' is private",
                   "take 'private' off its definition: only public functions "
                   "can be called from outside"};
    for (auto [index, type] : llvm::enumerate(function.getResultTypes())) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (!tensor || !isResultType(tensor))
        return Error{"result #" + std::to_string(index) + " of '" + name.str() +
                         "' has type " + getShortText(type),
                     "results are matrices of i32, i8, i4, f32, f16 or bf16, "
                     "sparse ones also of i16, tensor<MxNxi32> for example"};
    }
    return function;
  }
  return Error{"no function '" + name.str() + "' in the module",
               names.empty() ? "it has no functions" : "it has " + names};
}

/// Checks the files that results go to before anything runs.
static Status checkOuts(func::FuncOp entry, const cl::list<std::string> &outs) {
  if (outs.size() > entry.getNumResults())
    return Error{llvm::formatv("'{0}' has {1} results, but got {2} times --out",
                               entry.getName(), entry.getNumResults(),
                               outs.size()),
                 "give --out once for each result, in order"};
  for (auto [index, path] : llvm::enumerate(outs)) {
    if (path.empty() || path == "-")
      return Error{
          llvm::formatv("--out #{0} ('{1}') names no file", index, path),
          "results are .npy files, as in --out=result.npy, sparse ones also "
          ".mtx files"};
    if (getSparseEncoding(entry.getResultTypes()[index]) &&
        !StringRef(path).ends_with(".mtx") &&
        !StringRef(path).ends_with(".npy"))
      return Error{
          llvm::formatv("--out #{0} ('{1}') is for a sparse result, and ends "
                        "in neither .mtx nor .npy",
                        index, path),
          "as in --out=C.mtx, or --out=C.npy for C.pointers.npy, C.indices.npy "
          "and C.values.npy"};
    if (llvm::is_contained(llvm::ArrayRef(&*outs.begin(), index), path))
      return Error{llvm::formatv("--out #{0} ('{1}') names the file of an "
                                 "earlier result",
                                 index, path),
                   "give each result a file of its own"};
  }
  return Status::success();
}

static Result<std::unique_ptr<Device>> openDevice(const Options &options) {
  if (options.device != "sim") {
    for (const auto *option : {&options.warpOrder, &options.asyncCopy})
      if (option->getNumOccurrences() > 0)
        return Error{llvm::formatv("--{0} is an option of device 'sim', but "
                                   "the device is '{1}'",
                                   option->ArgStr, options.device.getValue()),
                     llvm::formatv("leave --{0} out", option->ArgStr)};
    return createDevice(options.device.getValue());
  }
  return createDevice("sim", {{"warp-order", options.warpOrder},
                              {"async-copy", options.asyncCopy},
                              {"seed", std::to_string(options.seed)}});
}

static bool isGpu(const Device &device) { return device.chip() != "any"; }

/// The chip that the command line names, else that of the GPU if it is one of
/// the table's, else the default, whose PTX runs on later chips too.
static std::string chooseChip(const Options &options, const Device &device) {
  std::string chip(device.chip());
  if (options.chip.getNumOccurrences() == 0 && isGpu(device) &&
      lookupGpuTarget(chip))
    return chip;
  return options.chip;
}

/// Lets the choice of schedules know the matrices at hand.
static void describeMatrices(func::FuncOp entry,
                             const std::vector<ProgramValue> &arguments) {
  for (auto [argument, value] : llvm::zip(entry.getArguments(), arguments))
    if (const SRBCRSMatrix *pattern = findPattern(value))
      setPattern(argument, getPatternStatistics(*pattern));
}

/// Compiles and runs `entry`.
static Result<std::vector<ProgramValue>>
run(ModuleOp module, func::FuncOp entry, const Options &options,
    const std::vector<ProgramValue> &arguments) {
  Result<std::unique_ptr<Device>> device = openDevice(options);
  if (!device)
    return device.error();
  setCurrentDevice(device->get());
  std::string name = entry.getName().str();
  FunctionType type = entry.getFunctionType();
  std::vector<ResultElement> elements = getResultElements(entry);
  CompileOptions compileOptions;
  compileOptions.chip = chooseChip(options, **device);
  // A GPU's driver compiles PTX itself, so that no toolkit is needed.
  BinaryFormat format =
      isGpu(**device) ? BinaryFormat::Assembly : BinaryFormat::Offload;
  if (failed(runStages(module, compileOptions)) ||
      failed(serializeKernels(module, format)))
    return Error{"compilation failed", ""};
  Result<std::vector<ProgramValue>> results =
      runHostProgram(module, name, type, elements, arguments, **device);
  setCurrentDevice(nullptr);
  return results;
}

static Status writeResult(const std::string &path, const ProgramValue &result) {
  if (std::optional<SparseValue> sparse = toSparseValue(result))
    return writeSparse(path, *sparse);
  const auto *floats = std::get_if<FloatMatrix>(&result);
  return writeNpy(path, floats ? floats->toNpy()
                               : std::get<DenseMatrix>(result).toNpy());
}

static Status writeResults(const std::vector<ProgramValue> &results,
                           ArrayRef<std::string> paths) {
  for (auto [result, path] : llvm::zip(results, paths))
    if (Status status = writeResult(path, result); !status)
      return status;
  return Status::success();
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  initializeTool();
  Options options;
  cl::ParseCommandLineOptions(argc, argv,
                              "Compiles a function and runs it on a device\n");
  if (Result<const GpuTarget *> target =
          lookupGpuTarget(options.chip.getValue());
      !target)
    return fail(target.error());

  std::unique_ptr<MLIRContext> context = createCompilerContext();
  std::unique_ptr<ParsedModule> module =
      parseModuleFile(*context, options.input);
  if (!module || failed(propagateQuantization(**module)))
    return 1;
  Result<func::FuncOp> entry = findEntry(**module, options.entry);
  if (!entry)
    return fail(entry.error());
  if (Status status = checkOuts(*entry, options.outs); !status)
    return fail(status.error());
  Result<std::vector<ProgramValue>> arguments =
      makeArguments(*entry, options.args, options.seed);
  if (!arguments)
    return fail(arguments.error());
  if (failed(verifyRuntimeShapes(*entry, *arguments)))
    return 1;
  std::vector<ProgramValue> expected;
  if (options.check) {
    auto reference = evaluateReference(*entry, *arguments);
    if (!reference)
      return fail(reference.error());
    expected = std::move(*reference);
  }

  describeMatrices(*entry, *arguments);
  Result<std::vector<ProgramValue>> results =
      run(**module, *entry, options, *arguments);
  if (!results)
    return fail(results.error());
  if (Status status = writeResults(*results, options.outs); !status)
    return fail(status.error());
  if (!options.check)
    return 0;
  if (Status status = compareResults(expected, *results); !status)
    return fail(status.error());
  Status status = writeOutput("-", "exact\n");
  return status ? 0 : fail(status.error());
}
