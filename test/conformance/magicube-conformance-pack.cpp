//===- magicube-conformance-pack.cpp - Makes the conformance artifact -----===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Usage: magicube-conformance-pack FOLDER CHIP... Compiles the table's kernels
// for the chips and runs them on the simulator for the expected words.
//
//===----------------------------------------------------------------------===//

#include "IntrinsicTable.h"
#include "Runner.h"

#include "magicube/Format/FileIO.h"
#include "magicube/Format/Random.h"
#include "magicube/Serialize/Toolkit.h"
#include "magicube/Target/GpuTarget.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"

using namespace mlir::magicube;
using namespace mlir::magicube::conformance;

/// Blocks of every launch; each has its own words.
static constexpr unsigned kBlocks = 16;
static constexpr uint64_t kSeed = 1;

static int fail(const Error &error) {
  llvm::errs() << "error: " << error.message << "\n";
  if (!error.note.empty())
    llvm::errs() << "note: " << error.note << "\n";
  return 1;
}

//===----------------------------------------------------------------------===//
// Images
//===----------------------------------------------------------------------===//

static Result<std::unique_ptr<llvm::Module>>
parseModule(const std::string &text, llvm::LLVMContext &context) {
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> module =
      llvm::parseAssemblyString(text, diagnostic, context);
  std::string message;
  llvm::raw_string_ostream stream(message);
  if (!module)
    diagnostic.print("conformance", stream);
  else if (!llvm::verifyModule(*module, &stream))
    return module;
  return Error{"the kernels are no valid LLVM IR: " + message};
}

/// PTX of a module for `chip`.
static Result<std::string> makePtx(llvm::Module &module, const GpuTarget &chip,
                                   const std::string &features) {
  std::string message;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(module.getTargetTriple(), message);
  if (!target)
    return Error{message};
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      module.getTargetTriple(), chip.name, features, llvm::TargetOptions(),
      /*RM=*/std::nullopt));
  llvm::SmallString<0> ptx;
  llvm::raw_svector_ostream stream(ptx);
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, stream, /*DwoOut=*/nullptr,
                                   llvm::CodeGenFileType::AssemblyFile))
    return Error{"LLVM's NVPTX target writes no assembly"};
  passes.run(module);
  return ptx.str().str();
}

/// Cubins and PTX for the chips that have the module's instructions.
static Result<std::vector<ChipImage>>
makeImages(const std::string &text, unsigned minCapability,
           const std::vector<const GpuTarget *> &chips) {
  std::vector<ChipImage> images;
  for (const GpuTarget *chip : chips) {
    if (static_cast<unsigned>(chip->computeCapability) < minCapability)
      continue;
    // elect.sync came with PTX ISA 8.0, later than the chip's table row.
    std::string features = minCapability >= 90 && chip->ptxFeature < "+ptx80"
                               ? "+ptx80"
                               : std::string(chip->ptxFeature);
    llvm::LLVMContext context;
    Result<std::unique_ptr<llvm::Module>> module = parseModule(text, context);
    if (!module)
      return module.error();
    Result<std::string> ptx = makePtx(**module, *chip, features);
    if (!ptx)
      return ptx.error();
    std::string name(chip->name);
    Result<std::string> cubin = assemblePtx(*ptx, name);
    if (!cubin)
      return cubin.error();
    images.push_back({ImageFormat::Elf, name, std::move(*cubin)});
    images.push_back({ImageFormat::Ptx, name, std::move(*ptx)});
  }
  return images;
}

/// Writes the images of a module; fills in their names.
static Status writeImages(const std::string &folder, const std::string &text,
                          const std::vector<const GpuTarget *> &chips,
                          ModuleRow &row) {
  std::string name = "kernels-" + std::to_string(row.minCapability);
  llvm::LLVMContext context;
  Result<std::unique_ptr<llvm::Module>> module = parseModule(text, context);
  if (!module)
    return module.error();
  std::string bitcode;
  llvm::raw_string_ostream stream(bitcode);
  llvm::WriteBitcodeToFile(**module, stream);
  row.bitcode = name + ".bc";
  if (Status s = writeFile(folder + "/" + row.bitcode, bitcode); !s)
    return s;

  Result<std::vector<ChipImage>> images =
      makeImages(text, row.minCapability, chips);
  if (!images)
    return images.error();
  row.fatbin = name + ".fatbin";
  if (images->empty())
    return Error{"no chip given has compute capability " +
                     std::to_string(row.minCapability) + " or more",
                 "add one to the command line"};
  Result<std::string> fatbin = makeFatbin(*images);
  return fatbin ? writeFile(folder + "/" + row.fatbin, *fatbin)
                : Status(fatbin.error());
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

/// Random words; the first two blocks have all zeros and all ones, in which
/// lanes agree, a quarter of the others extreme bytes.
static void appendInput(const IntrinsicCase &row, uint64_t seed,
                        std::vector<uint32_t> &data) {
  constexpr uint32_t extremes[] = {0x00000000, 0xFFFFFFFF, 0x80808080,
                                   0x7F7F7F7F, 0x80000000, 0x7FFFFFFF,
                                   0x88888888, 0x77777777};
  uint64_t draw = 0;
  for (unsigned block = 0; block < kBlocks; ++block)
    for (unsigned thread = 0; thread < row.threads; ++thread)
      for (uint32_t mask : row.inputMasks) {
        uint64_t random = splitMix64(seed, draw++);
        auto bits = static_cast<uint32_t>(random);
        if (block < 2)
          bits = block ? ~0u : 0;
        else if (random >> 62 == 0)
          bits = extremes[random >> 32 & 7];
        data.push_back(bits & mask);
      }
}

/// Appends a kernel with its input and what the simulator makes of it.
static Status appendKernel(const IntrinsicCase &source, size_t module,
                           Device &simulator, ModuleHandle *handle,
                           Artifact &artifact) {
  KernelRow row;
  row.name = source.name;
  row.module = module;
  row.threads = source.threads;
  row.blocks = kBlocks;
  row.sharedBytes = kSharedBytes;
  row.input = artifact.data.size();
  appendInput(source, splitMix64(kSeed, artifact.kernels.size()),
              artifact.data);
  row.inputWords = artifact.data.size() - row.input;
  row.expected = artifact.data.size();
  row.expectedWords = uint64_t(row.blocks) * row.threads * source.outputWords;
  Result<std::vector<uint32_t>> words =
      runKernel(simulator, handle, row, artifact.data.data() + row.input);
  if (!words)
    return Error{source.name + ": " + words.error().message,
                 words.error().note};
  artifact.data.insert(artifact.data.end(), words->begin(), words->end());
  artifact.kernels.push_back(std::move(row));
  return {};
}

/// Adds the kernels that need `minCapability`, in a module of their own.
static Status addModule(const std::string &folder, unsigned minCapability,
                        const std::vector<const GpuTarget *> &chips,
                        Device &simulator, Artifact &artifact) {
  std::vector<IntrinsicCase> cases;
  for (IntrinsicCase &row : intrinsicCases())
    if (row.minCapability == minCapability)
      cases.push_back(std::move(row));
  ModuleRow module;
  module.minCapability = minCapability;
  if (Status s = writeImages(folder, moduleText(cases), chips, module); !s)
    return s;
  Result<std::string> bitcode = readFile(folder + "/" + module.bitcode);
  if (!bitcode)
    return bitcode.error();
  Result<ModuleHandle *> handle =
      simulator.loadModule(bitcode->data(), bitcode->size());
  if (!handle)
    return handle.error();
  artifact.modules.push_back(module);
  for (const IntrinsicCase &row : cases)
    if (Status s = appendKernel(row, artifact.modules.size() - 1, simulator,
                                *handle, artifact);
        !s)
      return s;
  return {};
}

int main(int argc, char **argv) {
  if (argc < 3)
    return fail({"no folder or no chip given",
                 "usage: magicube-conformance-pack FOLDER CHIP..."});
  std::string folder = argv[1];
  std::vector<const GpuTarget *> chips;
  for (int i = 2; i < argc; ++i) {
    Result<const GpuTarget *> chip = lookupGpuTarget(argv[i]);
    if (!chip)
      return fail(chip.error());
    chips.push_back(*chip);
  }
  if (std::error_code error = llvm::sys::fs::create_directories(folder))
    return fail(
        {"cannot make the folder '" + folder + "': " + error.message()});
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
  Result<std::unique_ptr<Device>> simulator = createDevice("sim");
  if (!simulator)
    return fail(simulator.error());
  Artifact artifact;
  for (unsigned minCapability : {80, 90})
    if (Status s =
            addModule(folder, minCapability, chips, **simulator, artifact);
        !s)
      return fail(s.error());
  if (Status s = writeArtifact(folder, artifact); !s)
    return fail(s.error());
  llvm::outs() << folder << ": " << artifact.kernels.size() << " kernels\n";
  return 0;
}
