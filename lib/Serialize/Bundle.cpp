//===- Bundle.cpp - Compiling bundles and fatbins -------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles a copy of the module for each chip and collects what the manifest
// says from the IR on the way.
//
//===----------------------------------------------------------------------===//

#include "magicube/Serialize/Bundle.h"

#include "EntryProduct.h"

#include "dialect/magicube_gpu/MagicubeGPUDialect.h"
#include "magicube/Runtime/Bundle.h"
#include "magicube/Serialize/Compiler.h"
#include "magicube/Serialize/Toolkit.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"

using namespace mlir;
using namespace mlir::magicube;
using magicube_gpu::MagicubeGPUDialect;

/// Whose kernels device 'sim' gets if no other chip is asked for.
static constexpr StringLiteral kDefaultSimulatedChip = "sm_80";

/// Reports an error that is about the machine, not about a line of the module.
static LogicalResult report(const Error &error) {
  llvm::errs() << "error: " << error.message << "\n";
  if (!error.note.empty())
    llvm::errs() << "note: " << error.note << "\n";
  return failure();
}

//===----------------------------------------------------------------------===//
// Facts from the IR
//===----------------------------------------------------------------------===//

/// SHA-256 of the module's text, in hexadecimal.
static std::string hashModule(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream, OpPrintingFlags().printGenericOpForm());
  return llvm::toHex(llvm::SHA256::hash(llvm::arrayRefFromStringRef(text)),
                     /*LowerCase=*/true);
}

/// A kernel's launch attribute and shared memory.
static FailureOr<BundleKernel> getKernel(gpu::GPUFuncOp function) {
  auto launch = function->getAttrOfType<DictionaryAttr>(
      MagicubeGPUDialect::kLaunchAttrName);
  auto shared = function->getAttrOfType<IntegerAttr>(
      MagicubeGPUDialect::kSharedMemoryAttrName);
  if (!launch || !shared)
    return function.emitError("kernel has no attribute '")
           << MagicubeGPUDialect::kLaunchAttrName << "' or '"
           << MagicubeGPUDialect::kSharedMemoryAttrName << "'";
  // The pass that wrote the attribute wrote all of its fields.
  auto number = [&](StringRef name) {
    auto value = launch.getAs<IntegerAttr>(name);
    return value ? value.getInt() : 0;
  };
  BundleKernel kernel;
  kernel.name = function.getName().str();
  if (auto rule = launch.getAs<StringAttr>("rule"))
    kernel.rule = rule.str();
  if (auto parameters = launch.getAs<ArrayAttr>("parameters"))
    for (StringAttr name : parameters.getAsRange<StringAttr>())
      kernel.parameters.push_back(name.str());
  kernel.threads = static_cast<uint32_t>(number("threads"));
  kernel.tile = {number("vector_rows"), number("columns"), number("blocks")};
  kernel.alignment = {number("rhs_alignment"), number("result_alignment")};
  kernel.sharedMemoryBytes = static_cast<uint32_t>(shared.getInt());
  return kernel;
}

static FailureOr<std::vector<BundleKernel>> getKernels(ModuleOp module) {
  std::vector<BundleKernel> kernels;
  WalkResult result = module.walk([&](gpu::GPUFuncOp function) {
    FailureOr<BundleKernel> kernel = getKernel(function);
    if (failed(kernel))
      return WalkResult::interrupt();
    kernels.push_back(std::move(*kernel));
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  return kernels;
}

//===----------------------------------------------------------------------===//
// One chip
//===----------------------------------------------------------------------===//

namespace {

/// A copy of the module after all stages, with facts from earlier ones.
struct CompiledModule {
  OwningOpRef<ModuleOp> module;
  std::string irHash;
  std::vector<BundleKernel> kernels;
};

} // namespace

/// Runs all stages for `chip` on a copy of `source`.
static FailureOr<CompiledModule> compile(ModuleOp source,
                                         const std::string &chip) {
  CompiledModule result;
  result.module = source.clone();
  CompileOptions options;
  options.chip = chip;
  for (const PipelineStage &stage : getPipelineStages()) {
    PassManager manager(source.getContext());
    stage.build(manager, options);
    if (failed(manager.run(*result.module)))
      return failure();
    if (stage.name == "schedule")
      result.irHash = hashModule(*result.module);
    if (stage.name == "pipeline") {
      FailureOr<std::vector<BundleKernel>> kernels = getKernels(*result.module);
      if (failed(kernels))
        return failure();
      result.kernels = std::move(*kernels);
    }
  }
  return result;
}

/// PTX or bitcode of the kernels.
static FailureOr<std::string> serialize(ModuleOp compiled,
                                        BinaryFormat format) {
  OwningOpRef<ModuleOp> copy = compiled.clone();
  if (failed(serializeKernels(*copy, format)))
    return failure();
  FailureOr<std::string> bytes = getSerializedKernels(*copy);
  if (succeeded(bytes) && format == BinaryFormat::Assembly)
    // Upstream ends the text with a zero.
    bytes->resize(StringRef(*bytes).rtrim('\0').size());
  return bytes;
}

/// Machine code and PTX of the kernels.
static FailureOr<std::vector<ChipImage>> makeImages(ModuleOp compiled,
                                                    const std::string &chip) {
  FailureOr<std::string> ptx = serialize(compiled, BinaryFormat::Assembly);
  if (failed(ptx))
    return failure();
  Result<std::string> cubin = assemblePtx(*ptx, chip);
  if (!cubin)
    return report(cubin.error());
  return std::vector<ChipImage>{{ImageFormat::Elf, chip, std::move(*cubin)},
                                {ImageFormat::Ptx, chip, std::move(*ptx)}};
}

//===----------------------------------------------------------------------===//
// Bundle and fatbin
//===----------------------------------------------------------------------===//

/// Adds the kernels for one chip of the command line to a bundle.
static LogicalResult addChip(ModuleOp module, const std::string &chip,
                             const std::string &simulatedChip,
                             BundleManifest &manifest,
                             std::vector<std::vector<std::string>> &images) {
  bool isSimulator = chip == kSimulatorChip;
  BundleChip row;
  row.chip = chip;
  row.compiledFor = isSimulator ? simulatedChip : chip;
  FailureOr<CompiledModule> compiled = compile(module, row.compiledFor);
  if (failed(compiled))
    return failure();
  row.irHash = std::move(compiled->irHash);
  row.kernels = std::move(compiled->kernels);
  std::vector<std::string> bytes;
  if (isSimulator) {
    FailureOr<std::string> bitcode =
        serialize(*compiled->module, BinaryFormat::Offload);
    if (failed(bitcode))
      return failure();
    row.images.push_back({ImageFormat::Bitcode});
    bytes.push_back(std::move(*bitcode));
  } else {
    FailureOr<std::vector<ChipImage>> made =
        makeImages(*compiled->module, chip);
    if (failed(made))
      return failure();
    for (ChipImage &image : *made) {
      row.images.push_back({image.format});
      bytes.push_back(std::move(image.bytes));
    }
  }
  manifest.chips.push_back(std::move(row));
  images.push_back(std::move(bytes));
  return success();
}

FailureOr<std::string>
mlir::magicube::compileBundle(ModuleOp module, StringRef entry,
                              const std::vector<std::string> &chips) {
  OwningOpRef<ModuleOp> copy = module.clone();
  BundleManifest manifest;
  if (failed(propagateQuantization(*copy)) ||
      failed(isolateEntry(*copy, entry, manifest)))
    return failure();
  std::string simulatedChip = kDefaultSimulatedChip.str();
  for (const std::string &chip : llvm::reverse(chips))
    if (chip != kSimulatorChip)
      simulatedChip = chip;
  std::vector<std::vector<std::string>> images;
  for (const std::string &chip : chips)
    if (failed(addChip(*copy, chip, simulatedChip, manifest, images)))
      return failure();
  return writeBundle(std::move(manifest), images);
}

FailureOr<std::string>
mlir::magicube::compileFatbin(ModuleOp module,
                              const std::vector<std::string> &chips) {
  std::vector<ChipImage> all;
  for (const std::string &chip : chips) {
    FailureOr<CompiledModule> compiled = compile(module, chip);
    if (failed(compiled))
      return failure();
    FailureOr<std::vector<ChipImage>> images =
        makeImages(*compiled->module, chip);
    if (failed(images))
      return failure();
    all.insert(all.end(), images->begin(), images->end());
  }
  Result<std::string> fatbin = makeFatbin(all);
  if (!fatbin)
    return report(fatbin.error());
  return *fatbin;
}
