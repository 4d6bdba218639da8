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

#include "JoinPlans.h"

#include "dialect/magicube_gpu/MagicubeGPUDialect.h"
#include "magicube/GPU/Utils/JsonAttr.h"
#include "magicube/Runtime/Bundle.h"
#include "magicube/Runtime/PlanJson.h"
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

/// Bytes of dynamic shared memory of a kernel; those without tiles have none.
static FailureOr<int64_t> getSharedMemory(gpu::GPUModuleOp kernels,
                                          StringRef name) {
  auto kernel = kernels.lookupSymbol<gpu::GPUFuncOp>(name);
  if (!kernel)
    return kernels.emitError("has no kernel '") << name << "'";
  auto bytes = kernel->getAttrOfType<IntegerAttr>(
      MagicubeGPUDialect::kSharedMemoryAttrName);
  return bytes ? bytes.getInt() : 0;
}

/// A launch plan that the module holds, for operands that it knows.
static FailureOr<LaunchPlan>
readPlan(ModuleOp module, const Json &json,
         const std::vector<PlanOperand> &operands) {
  Status problem;
  LaunchPlan plan = readPlan(JsonNode(json, "launch plan", problem), operands);
  if (!problem)
    return module.emitError(problem.error().message);
  return plan;
}

/// The launch plan of all steps, from those that the module has of each.
static FailureOr<LaunchPlan> getPlan(ModuleOp module,
                                     const BundleManifest &manifest,
                                     const std::vector<EntryStep> &steps) {
  auto modules = module.getOps<gpu::GPUModuleOp>();
  ArrayAttr attribute;
  if (llvm::hasSingleElement(modules))
    attribute = (*modules.begin())
                    ->getAttrOfType<ArrayAttr>(
                        MagicubeGPUDialect::kLaunchPlansAttrName);
  size_t expected = 0;
  for (const EntryStep &step : steps)
    expected = std::max(expected, step.plan + 1);
  if (!attribute || attribute.size() != expected)
    return module.emitError("expected ")
           << expected << " launch plans, but got "
           << (attribute ? attribute.size() : 0);
  std::vector<LaunchPlan> plans;
  for (const EntryStep &step : steps) {
    FailureOr<LaunchPlan> read = readPlan(
        module, toJsonValue(attribute[step.plan]), getPlanOperands(step));
    if (failed(read))
      return failure();
    plans.push_back(std::move(*read));
  }
  LaunchPlan joined =
      joinPlans(steps, plans, manifest.results.size(), manifest);
  for (PlanLaunch &launch : joined.launches)
    for (PlanKernel &kernel : launch.kernels) {
      FailureOr<int64_t> bytes = getSharedMemory(*modules.begin(), kernel.name);
      if (failed(bytes))
        return failure();
      kernel.sharedMemoryBytes = *bytes;
    }
  // Checked as a whole.
  return readPlan(module, planToJson(joined), getPlanOperands(manifest));
}

//===----------------------------------------------------------------------===//
// One chip
//===----------------------------------------------------------------------===//

namespace {

/// A copy of the module after all stages, with facts from earlier ones.
struct CompiledModule {
  OwningOpRef<ModuleOp> module;
  std::string irHash;
  LaunchPlan plan;
};

} // namespace

/// Runs all stages for `chip` on a copy of `source`. The plan is that of
/// `manifest`, if there is one, and its steps.
static FailureOr<CompiledModule>
compile(ModuleOp source, const std::string &chip,
        const BundleManifest *manifest,
        const std::vector<EntryStep> &steps = {}) {
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
    if (stage.name == "pipeline" && manifest) {
      FailureOr<LaunchPlan> plan = getPlan(*result.module, *manifest, steps);
      if (failed(plan))
        return failure();
      result.plan = std::move(*plan);
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
                             const std::vector<EntryStep> &steps,
                             BundleManifest &manifest,
                             std::vector<std::vector<std::string>> &images) {
  bool isSimulator = chip == kSimulatorChip;
  BundleChip row;
  row.chip = chip;
  row.compiledFor = isSimulator ? simulatedChip : chip;
  FailureOr<CompiledModule> compiled =
      compile(module, row.compiledFor, &manifest, steps);
  if (failed(compiled))
    return failure();
  row.irHash = std::move(compiled->irHash);
  row.plan = std::move(compiled->plan);
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
  if (failed(propagateQuantization(*copy)))
    return failure();
  FailureOr<std::vector<EntryStep>> steps =
      isolateEntry(*copy, entry, manifest);
  if (failed(steps))
    return failure();
  std::string simulatedChip = kDefaultSimulatedChip.str();
  for (const std::string &chip : llvm::reverse(chips))
    if (chip != kSimulatorChip)
      simulatedChip = chip;
  std::vector<std::vector<std::string>> images;
  for (const std::string &chip : chips)
    if (failed(addChip(*copy, chip, simulatedChip, *steps, manifest, images)))
      return failure();
  return writeBundle(std::move(manifest), images);
}

FailureOr<std::string>
mlir::magicube::compileFatbin(ModuleOp module,
                              const std::vector<std::string> &chips) {
  std::vector<ChipImage> all;
  for (const std::string &chip : chips) {
    FailureOr<CompiledModule> compiled =
        compile(module, chip, /*manifest=*/nullptr);
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
