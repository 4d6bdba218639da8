//===- Pipelines.cpp - The pipelines --------------------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Composes the project's and upstream's passes into named stages.
//
//===----------------------------------------------------------------------===//

#include "magicube/Pipelines/Pipelines.h"

#include "magicube/Conversion/Passes.h"
#include "magicube/GPU/Transforms/Passes.h"
#include "magicube/Target/GpuTarget.h"
#include "magicube/Transforms/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::magicube;

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

void mlir::magicube::buildQuantizationPipeline(OpPassManager &manager) {
  manager.addPass(createMagicubePropagateQuantizationPass());
}

static void buildSchedule(OpPassManager &manager,
                          const CompileOptions &options) {
  buildQuantizationPipeline(manager);
  // Before anything folds it.
  manager.addNestedPass<func::FuncOp>(
      createMagicubeExpandElementwisePass({/*onlyDynamic=*/true}));
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createMagicubeDecomposePrecisionPass({options.chip}));
  manager.addPass(createMagicubeSelectSchedulePass({options.chip}));
}

static void buildStorage(OpPassManager &manager, const CompileOptions &) {
  manager.addPass(createMagicubeProtectArgumentsPass());
  manager.addNestedPass<func::FuncOp>(createMagicubeLiftControlFlowPass());
  manager.addPass(createConvertMagicubeStoragePass());
  manager.addPass(createCanonicalizerPass());
}

static void buildBufferize(OpPassManager &manager,
                           const CompileOptions &options) {
  // Arithmetic on whole tensors, such as a truncation between two products.
  manager.addNestedPass<func::FuncOp>(createMagicubeExpandElementwisePass());
  manager.addPass(createMagicubeEliminateEmptyTensorsPass());
  bufferization::OneShotBufferizePassOptions bufferize;
  bufferize.bufferizeFunctionBoundaries = true;
  bufferize.allowReturnAllocsFromLoops = true;
  // Arguments and results are plain row-major buffers.
  bufferize.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  manager.addPass(bufferization::createOneShotBufferizePass(bufferize));
  manager.addNestedPass<func::FuncOp>(createMagicubeCopyStridedBuffersPass());
  manager.addPass(createMagicubeSeparateResultsPass());
  bufferization::buildBufferDeallocationPipeline(manager, {});
  // A function that returns its argument returns a clone of it: also a buffer.
  manager.addPass(createConvertBufferizationToMemRefPass());
  manager.addPass(createMagicubeAllocateOnDevicePass());
  if (options.hostBuffers)
    manager.addPass(createMagicubeCopyHostBuffersPass());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
}

static void buildKernels(OpPassManager &manager, const CompileOptions &) {
  manager.addPass(createConvertMagicubeToMagicubeGPUPass());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
}

static void buildPipeline(OpPassManager &manager, const CompileOptions &) {
  manager.nest<gpu::GPUModuleOp>().addNestedPass<gpu::GPUFuncOp>(
      createMagicubeGPUPipelineLoadsPass());
  manager.addPass(createMagicubeGPUAssignSharedMemoryPass());
}

static void buildNVVM(OpPassManager &manager, const CompileOptions &options) {
  OpPassManager &kernels = manager.nest<gpu::GPUModuleOp>();
  kernels.addPass(createConvertMagicubeGPUToNVVMPass());
  kernels.addPass(createCanonicalizerPass());
  kernels.addPass(createCSEPass());
  kernels.addPass(createSCFToControlFlowPass());
  ConvertGpuOpsToNVVMOpsOptions toNVVM;
  toNVVM.indexBitwidth = 64;
  kernels.addPass(createConvertGpuOpsToNVVMOps(toNVVM));
  kernels.addPass(createReconcileUnrealizedCastsPass());
  kernels.addPass(createCanonicalizerPass());
  kernels.addPass(createCSEPass());
  // An unknown chip has been reported by the first stage.
  GpuNVVMAttachTargetOptions attach;
  attach.chip = options.chip;
  if (Result<const GpuTarget *> target = lookupGpuTarget(attach.chip))
    attach.features = (*target)->ptxFeature;
  manager.addPass(createGpuNVVMAttachTarget(attach));
}

ArrayRef<PipelineStage> mlir::magicube::getPipelineStages() {
  static constexpr PipelineStage stages[] = {
      {"schedule",
       "products are of integers and have a schedule, the module a chip",
       buildSchedule},
      {"storage", "no sparse tensor is left", buildStorage},
      {"bufferize", "no tensor is left", buildBufferize},
      {"kernels", "products are launches of warp-level kernels", buildKernels},
      {"pipeline", "copies overlap arithmetic, shared memory is laid out",
       buildPipeline},
      {"nvvm", "kernels hold only llvm and nvvm operations", buildNVVM}};
  return stages;
}

bool mlir::magicube::buildCompilePipeline(OpPassManager &manager,
                                          const CompileOptions &options,
                                          StringRef last) {
  for (const PipelineStage &stage : getPipelineStages()) {
    stage.build(manager, options);
    if (stage.name == last)
      return true;
  }
  return last.empty();
}

//===----------------------------------------------------------------------===//
// Serialization and host code
//===----------------------------------------------------------------------===//

static StringRef getCompilationTarget(BinaryFormat format) {
  switch (format) {
  case BinaryFormat::Offload:
    return "offloading";
  case BinaryFormat::Assembly:
    return "isa";
  case BinaryFormat::Binary:
    return "bin";
  case BinaryFormat::Fatbin:
    return "fatbin";
  }
  return "";
}

void mlir::magicube::buildSerializePipeline(OpPassManager &manager,
                                            BinaryFormat format,
                                            StringRef toolkit) {
  GpuModuleToBinaryPassOptions options;
  options.compilationTarget = getCompilationTarget(format).str();
  options.toolkitPath = toolkit.str();
  manager.addPass(createGpuModuleToBinaryPass(options));
}

void mlir::magicube::buildHostPipeline(OpPassManager &manager) {
  manager.addPass(createMagicubePrepareHostPass());
  OpPassManager &functions = manager.nest<func::FuncOp>();
  functions.addPass(createConvertLinalgToLoopsPass());
  functions.addPass(createForallToForLoopPass());
  functions.addPass(createConvertVectorToSCFPass());
  manager.addPass(memref::createExpandStridedMetadataPass());
  manager.addPass(createLowerAffinePass());
  manager.addPass(createSCFToControlFlowPass());
  manager.addPass(createConvertMathToLLVMPass());
  manager.addPass(createConvertMathToLibmPass());
  manager.addPass(createArithToLLVMConversionPass());
  manager.addPass(createConvertIndexToLLVMPass());
  manager.addPass(createConvertVectorToLLVMPass());
  manager.addPass(createUBToLLVMConversionPass());
  manager.addPass(createGpuToLLVMConversionPass());
  manager.addPass(createMagicubeVerifyHostPass());
  manager.addPass(createReconcileUnrealizedCastsPass());
}

void mlir::magicube::buildToLLVMPipeline(OpPassManager &manager,
                                         const ToLLVMOptions &options) {
  buildCompilePipeline(manager, options);
  buildSerializePipeline(manager, options.format, /*toolkit=*/"");
  buildHostPipeline(manager);
}

void mlir::magicube::registerMagicubePipelines() {
  PassPipelineRegistration<CompileOptions>(
      "magicube-compile",
      "Lower magicube operations on tensors to GPU kernels in NVVM",
      [](OpPassManager &manager, const CompileOptions &options) {
        buildCompilePipeline(manager, options);
      });
  PassPipelineRegistration<ToLLVMOptions>(
      "magicube-to-llvm",
      "Lower a whole program, kernels and host code, to LLVM",
      buildToLLVMPipeline);
}
