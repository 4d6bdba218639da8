//===- magicube-run.cpp - Compile and run a function -----------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads or makes the arguments, runs the function on a device, writes and checks the
// results.
//
//===----------------------------------------------------------------------===//

#include "HostProgram.h"
#include "ReferenceProgram.h"

#include "magicube/Serialize/Compiler.h"
#include "magicube/Target/GpuTarget.h"

#include "llvm/Support/CommandLine.h"
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
                              cl::desc("Device to run on: sim (the host)"),
                              cl::init("sim"), cl::cat(category)};
  cl::opt<std::string> chip{"chip", cl::desc("Chip to compile for"),
                            cl::value_desc("sm_NN"), cl::init("sm_80"),
                            cl::cat(category)};
  cl::list<std::string> args{
      "arg",
      cl::desc("Argument, in order: a .mtx or .smtx file for a sparse type, a "
               ".npy file or random[:RxC] for a dense one"),
      cl::value_desc("value"), cl::cat(category)};
  cl::list<std::string> outs{"out",
                             cl::desc("File for the next result (.npy)"),
                             cl::value_desc("file"), cl::cat(category)};
  cl::opt<bool> check{"check",
                      cl::desc("Compare every element with a plain reference; "
                               "exit 1 if one differs"),
                      cl::cat(category)};
  cl::opt<uint64_t> seed{"seed", cl::desc("Seed of random values and orders"),
                         cl::init(0), cl::cat(category)};
  cl::opt<std::string> warpOrder{
      "warp-order",
      cl::desc("sim: order of warps: forward, reverse or random"),
      cl::init("forward"), cl::cat(category)};
  cl::opt<std::string> asyncCopy{
      "async-copy",
      cl::desc("sim: when cp.async lands: at its issue or at its wait"),
      cl::init("issue"), cl::cat(category)};
};

} // namespace

static int fail(const Error &error) {
  llvm::errs() << "error: " << error.message << "\n";
  if (!error.note.empty())
    llvm::errs() << "note: " << error.note << "\n";
  return 1;
}

/// The function to run; results must be matrices of i32.
static Result<func::FuncOp> findEntry(ModuleOp module, StringRef name) {
  std::string names;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.getName() != name) {
      names += (names.empty() ? "" : ", ") + function.getName().str();
      continue;
    }
    if (function.isExternal())
      return Error{"function '" + name.str() + "' has no body", ""};
    for (Type type : function.getResultTypes()) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (!tensor || tensor.getRank() != 2 ||
          !tensor.getElementType().isInteger(32))
        return Error{"a result of '" + name.str() +
                         "' is no matrix of i32, which is all that can be "
                         "returned here",
                     ""};
    }
    return function;
  }
  return Error{"no function '" + name.str() + "' in the module",
               names.empty() ? "it has no functions" : "it has " + names};
}

static Result<std::unique_ptr<Device>> openDevice(const Options &options) {
  if (options.device != "sim")
    return createDevice(options.device.getValue());
  return createDevice("sim", {{"warp-order", options.warpOrder},
                              {"async-copy", options.asyncCopy},
                              {"seed", std::to_string(options.seed)}});
}

/// Compiles and runs `entry`.
static Result<std::vector<DenseMatrix>>
run(ModuleOp module, func::FuncOp entry, const Options &options,
    const std::vector<ProgramValue> &arguments) {
  Result<std::unique_ptr<Device>> device = openDevice(options);
  if (!device)
    return device.error();
  setCurrentDevice(device->get());
  std::string name = entry.getName().str();
  FunctionType type = entry.getFunctionType();
  CompileOptions compileOptions;
  compileOptions.chip = options.chip.getValue();
  if (failed(runStages(module, compileOptions)) ||
      failed(serializeKernels(module, BinaryFormat::Offload)))
    return Error{"compilation failed", ""};
  Result<std::vector<DenseMatrix>> results =
      runHostProgram(module, name, type, arguments, **device);
  setCurrentDevice(nullptr);
  return results;
}

static Status writeResults(const std::vector<DenseMatrix> &results,
                           ArrayRef<std::string> paths) {
  for (auto [result, path] : llvm::zip(results, paths))
    if (Status status = writeNpy(path, result.toNpy()); !status)
      return status;
  return Status::success();
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::ResetCommandLineParser();
  Options options;
  cl::ParseCommandLineOptions(argc, argv,
                              "Compiles a function and runs it on a device\n");
  if (Result<const GpuTarget *> target = lookupGpuTarget(options.chip.getValue());
      !target)
    return fail(target.error());

  std::unique_ptr<MLIRContext> context = createCompilerContext();
  OwningOpRef<ModuleOp> module = parseModuleFile(*context, options.input);
  if (!module)
    return 1;
  Result<func::FuncOp> entry = findEntry(*module, options.entry);
  if (!entry)
    return fail(entry.error());
  if (options.outs.size() > entry->getNumResults())
    return fail({llvm::formatv("'{0}' has {1} results, but --out is given {2} "
                               "times",
                               options.entry.getValue(), entry->getNumResults(),
                               options.outs.size()),
                 ""});
  Result<std::vector<ProgramValue>> arguments =
      makeArguments(*entry, options.args, options.seed);
  if (!arguments)
    return fail(arguments.error());
  std::vector<DenseMatrix> expected;
  if (options.check) {
    auto reference = evaluateReference(*entry, *arguments);
    if (!reference)
      return fail(reference.error());
    expected = std::move(*reference);
  }

  Result<std::vector<DenseMatrix>> results =
      run(*module, *entry, options, *arguments);
  if (!results)
    return fail(results.error());
  if (Status status = writeResults(*results, options.outs); !status)
    return fail(status.error());
  if (!options.check)
    return 0;
  if (Status status = compareResults(expected, *results); !status)
    return fail(status.error());
  llvm::outs() << "exact\n";
  return 0;
}
