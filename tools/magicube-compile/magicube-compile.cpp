//===- magicube-compile.cpp - From IR to PTX or machine code --------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Drives the pipelines over one file; writes IR, LLVM IR, PTX, a cubin, a
// fatbin, a bundle or an object file.
//
//===----------------------------------------------------------------------===//

#include "tools/Common/ToolSupport.h"

#include "magicube/Runtime/Bundle.h"
#include "magicube/Serialize/Bundle.h"
#include "magicube/Serialize/Compiler.h"
#include "magicube/Serialize/HostObject.h"
#include "magicube/Serialize/Patterns.h"
#include "magicube/Target/GpuTarget.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/InitLLVM.h"

using namespace mlir;
using namespace mlir::magicube;
namespace cl = llvm::cl;

namespace {
enum class Emit { MLIR, LLVM, PTX, Cubin, Fatbin, Bundle, Object };
} // namespace

namespace {

/// The command line. Made after LLVM's own options, some of the same names, are
/// out of the way.
struct Options {
  cl::OptionCategory category{"magicube-compile options"};
  cl::opt<std::string> input{cl::Positional, cl::desc("FILE.mlir"),
                             cl::init("-"), cl::cat(category)};
  cl::opt<std::string> output{"o", cl::desc("Output file (default -: stdout)"),
                              cl::value_desc("file"), cl::init("-"),
                              cl::cat(category)};
  cl::list<std::string> chips{
      "chip",
      cl::desc("Chip to compile for: sm_80 (default), sm_86, sm_89, sm_90, "
               "sm_100 or sm_120; fatbins and bundles take several, bundles "
               "and objects also sim, the host SIMT device"),
      cl::value_desc("sm_NN,..."), cl::CommaSeparated, cl::cat(category)};
  cl::opt<Emit, false, NamedValueParser<Emit>> emit{
      "emit", cl::desc("What to write"), cl::init(Emit::PTX),
      cl::values(
          clEnumValN(Emit::MLIR, "mlir", "the module after the last stage"),
          clEnumValN(Emit::LLVM, "llvm", "LLVM IR of the kernels"),
          clEnumValN(Emit::PTX, "ptx", "PTX of the kernels (default)"),
          clEnumValN(Emit::Cubin, "cubin",
                     "machine code of the kernels (by ptxas)"),
          clEnumValN(Emit::Fatbin, "fatbin",
                     "machine code and PTX of the kernels for every "
                     "chip (by ptxas and fatbinary)"),
          clEnumValN(Emit::Bundle, "bundle",
                     "one product for every chip, for "
                     "magicube-launch"),
          clEnumValN(Emit::Object, "obj",
                     "an object file of the whole program for this "
                     "machine, with PTX of the kernels")),
      cl::cat(category)};
  cl::opt<std::string> entry{
      "entry",
      cl::desc("With --emit=bundle or --pattern: the function to take "
               "(default: the only one)"),
      cl::value_desc("name"), cl::cat(category)};
  cl::list<std::string> patterns{
      "pattern",
      cl::desc("Matrix that the function will get, for each of its sparse "
               "arguments in order: a .mtx or .smtx file (or .mtx.gz, "
               ".smtx.gz) or random:MxK@density. It guides the choice of "
               "schedules; the kernels take any matrix of the type"),
      cl::value_desc("file"), cl::cat(category)};
  cl::opt<bool> hostBuffers{
      "host-buffers",
      cl::desc("With --emit=obj or mlir: public functions take and return "
               "memory of the host instead of the device's"),
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

/// Checks the chips; fills in the default.
static Status checkChips(std::vector<std::string> &chips, Emit emit) {
  if (chips.empty())
    chips.push_back("sm_80");
  for (size_t i = 0; i < chips.size(); ++i) {
    if ((emit == Emit::Bundle || emit == Emit::Object) &&
        chips[i] == kSimulatorChip)
      continue;
    if (Result<const GpuTarget *> target = lookupGpuTarget(chips[i]); !target)
      return target.error();
  }
  for (size_t i = 0; i < chips.size(); ++i)
    if (llvm::is_contained(ArrayRef(chips).take_front(i), chips[i]))
      return Error{"--chip names " + chips[i] + " twice", "give it once"};
  if (chips.size() > 1 && emit != Emit::Fatbin && emit != Emit::Bundle)
    return Error{"--chip names " + std::to_string(chips.size()) +
                     " chips, but this output is for one",
                 "use --emit=fatbin or --emit=bundle for several"};
  return Status::success();
}

/// Checks the options against each other and the tables.
static Status checkOptions(const Options &options) {
  if (options.emit != Emit::Bundle && options.patterns.empty() &&
      !options.entry.empty())
    return Error{"--entry chooses the function of a bundle",
                 "add --emit=bundle, or leave --entry out"};
  if (options.dumpPipeline &&
      (options.emit == Emit::Fatbin || options.emit == Emit::Bundle))
    return Error{"--dump-pass-pipeline shows the pipeline for one chip",
                 "use --emit=mlir with --chip"};
  if (options.hostBuffers && options.emit != Emit::Object &&
      options.emit != Emit::MLIR)
    return Error{"--host-buffers is about functions, but this output has only "
                 "kernels",
                 "add --emit=obj, or leave --host-buffers out"};
  const std::string &stopAfter = options.stopAfter;
  if (stopAfter.empty())
    return Status::success();
  if (options.emit != Emit::MLIR)
    return Error{"--stop-after=" + stopAfter +
                     " leaves nothing to write but "
                     "the module",
                 "add --emit=mlir"};
  std::string names;
  for (const PipelineStage &stage : getPipelineStages()) {
    if (stage.name == stopAfter)
      return Status::success();
    names += (names.empty() ? "" : ", ") + stage.name.str();
  }
  return Error{"unknown stage '" + stopAfter + "'", "the stages are " + names};
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

/// An object file of a module that went through all stages.
static FailureOr<std::string> emitObject(ModuleOp module,
                                         std::string_view chip) {
  BinaryFormat format =
      chip == kSimulatorChip ? BinaryFormat::Offload : BinaryFormat::Assembly;
  if (failed(serializeKernels(module, format)))
    return failure();
  return emitHostObject(module);
}

/// What `emit` asks for, of a module as it was parsed.
static FailureOr<std::string> emit(ModuleOp module, const Options &options,
                                   const std::vector<std::string> &chips) {
  std::vector<std::string> patterns(options.patterns.begin(),
                                    options.patterns.end());
  if (!patterns.empty() && failed(setPatterns(module, options.entry, patterns)))
    return failure();
  if (options.emit == Emit::Bundle)
    return compileBundle(module, options.entry, chips);
  if (options.emit == Emit::Fatbin)
    return compileFatbin(module, chips);
  CompileOptions compileOptions;
  // The host SIMT device runs what any chip does.
  if (chips.front() != kSimulatorChip)
    compileOptions.chip = chips.front();
  compileOptions.hostBuffers = options.hostBuffers.getValue();
  if (failed(runStages(module, compileOptions, options.stopAfter,
                       options.dumpPipeline)))
    return failure();
  if (options.emit == Emit::Object)
    return emitObject(module, chips.front());
  if (options.emit != Emit::MLIR)
    return emitKernels(module, options.emit);
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream);
  stream << "\n";
  return text;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  initializeTool();
  Options options;
  cl::ParseCommandLineOptions(
      argc, argv, "Compiles products of sparse quantized matrices for a GPU\n");
  std::vector<std::string> chips = options.chips;
  for (Status status : {checkChips(chips, options.emit), checkOptions(options)})
    if (!status)
      return fail(status.error());

  std::unique_ptr<MLIRContext> context = createCompilerContext();
  std::unique_ptr<ParsedModule> module =
      parseModuleFile(*context, options.input);
  if (!module)
    return 1;
  FailureOr<std::string> result = emit(**module, options, chips);
  if (failed(result))
    return 1;
  Status status = writeOutput(options.output, *result);
  return status ? 0 : fail(status.error());
}
