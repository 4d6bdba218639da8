//===- magicube-compile.cpp - From IR to PTX or machine code ---------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Drives the pipelines over one file; writes IR, LLVM IR, PTX or a cubin.
//
//===----------------------------------------------------------------------===//

#include "tools/Common/ToolSupport.h"

#include "magicube/Serialize/Compiler.h"
#include "magicube/Target/GpuTarget.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/InitLLVM.h"

using namespace mlir;
using namespace mlir::magicube;
namespace cl = llvm::cl;

namespace {
enum class Emit { MLIR, LLVM, PTX, Cubin };
} // namespace

namespace {

/// The command line. Made after LLVM's own options, some of the same names, are
/// out of the way.
struct Options {
  cl::OptionCategory category{"magicube-compile options"};
  cl::opt<std::string> input{cl::Positional, cl::desc("FILE.mlir"),
                             cl::init("-"), cl::cat(category)};
  cl::opt<std::string> output{"o",
                              cl::desc("Output file (default -: stdout)"),
                              cl::value_desc("file"), cl::init("-"),
                              cl::cat(category)};
  cl::opt<std::string> chip{
      "chip",
      cl::desc("Chip to compile for: sm_80 (default), sm_86, sm_89, sm_90, "
               "sm_100 or sm_120"),
      cl::value_desc("sm_NN"), cl::init("sm_80"), cl::cat(category)};
  cl::opt<Emit, false, NamedValueParser<Emit>> emit{
      "emit", cl::desc("What to write"), cl::init(Emit::PTX),
      cl::values(clEnumValN(Emit::MLIR, "mlir",
                            "the module after the last stage"),
                 clEnumValN(Emit::LLVM, "llvm", "LLVM IR of the kernels"),
                 clEnumValN(Emit::PTX, "ptx", "PTX of the kernels (default)"),
                 clEnumValN(Emit::Cubin, "cubin",
                            "machine code of the kernels (by ptxas)")),
      cl::cat(category)};
  cl::opt<std::string> stopAfter{
      "stop-after",
      cl::desc("With --emit=mlir: the last stage to run; schedule, storage, "
               "bufferize, kernels, pipeline or nvvm"),
      cl::value_desc("stage"), cl::cat(category)};
  cl::opt<bool> dumpPipeline{
      "dump-pass-pipeline",
      cl::desc("Print the pipeline for magicube-opt to stderr"),
      cl::cat(category)};
};

} // namespace

/// Checks the options against each other and the tables.
static Status checkOptions(const Options &options) {
  if (Result<const GpuTarget *> target = lookupGpuTarget(options.chip); !target)
    return target.error();
  const std::string &stopAfter = options.stopAfter;
  if (stopAfter.empty())
    return Status::success();
  if (options.emit != Emit::MLIR)
    return Error{"--stop-after=" + stopAfter + " leaves nothing to write but "
                                               "the module",
                 "add --emit=mlir"};
  std::string names;
  for (const PipelineStage &stage : getPipelineStages()) {
    if (stage.name == stopAfter)
      return Status::success();
    names += (names.empty() ? "" : ", ") + stage.name.str();
  }
  return Error{"unknown stage '" + stopAfter + "'",
               "the stages are " + names};
}

/// What `emit` asks for, of a module that went through all stages.
static FailureOr<std::string> emitKernels(ModuleOp module, Emit emit) {
  BinaryFormat format = emit == Emit::PTX     ? BinaryFormat::Assembly
                        : emit == Emit::Cubin ? BinaryFormat::Binary
                                              : BinaryFormat::Offload;
  if (failed(serializeKernels(module, format)))
    return failure();
  FailureOr<std::string> bytes = getSerializedKernels(module);
  if (failed(bytes))
    return failure();
  if (emit == Emit::PTX) // upstream ends the text with a NUL
    return std::string(StringRef(*bytes).rtrim('\0'));
  if (emit == Emit::Cubin)
    return bytes;
  llvm::LLVMContext context;
  llvm::Expected<std::unique_ptr<llvm::Module>> kernels =
      llvm::parseBitcodeFile(llvm::MemoryBufferRef(*bytes, "kernels"), context);
  if (!kernels) {
    module.emitError("kernels are no valid bitcode: ")
        << llvm::toString(kernels.takeError());
    return failure();
  }
  std::string text;
  llvm::raw_string_ostream(text) << **kernels;
  return text;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  initializeTool();
  Options options;
  cl::ParseCommandLineOptions(
      argc, argv, "Compiles products of sparse quantized matrices for a GPU\n");
  if (Status status = checkOptions(options); !status)
    return fail(status.error());

  std::unique_ptr<MLIRContext> context = createCompilerContext();
  std::unique_ptr<ParsedModule> module =
      parseModuleFile(*context, options.input);
  CompileOptions compileOptions;
  compileOptions.chip = options.chip.getValue();
  if (!module || failed(runStages(**module, compileOptions, options.stopAfter,
                                  options.dumpPipeline)))
    return 1;

  std::string result;
  if (options.emit == Emit::MLIR) {
    llvm::raw_string_ostream stream(result);
    (**module)->print(stream);
    stream << "\n";
  } else {
    FailureOr<std::string> kernels = emitKernels(**module, options.emit);
    if (failed(kernels))
      return 1;
    result = std::move(*kernels);
  }
  Status status = writeOutput(options.output, result);
  return status ? 0 : fail(status.error());
}
