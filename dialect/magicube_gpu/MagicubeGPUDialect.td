//===- MagicubeGPUDialect.td - The warp-level dialect ----------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a warp does: gather, load and transpose fragments, multiply, store.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_GPU_DIALECT_TD
#define MAGICUBE_GPU_DIALECT_TD

include "mlir/IR/OpBase.td"

def MagicubeGPU_Dialect : Dialect {
  let name = "magicube_gpu";
  let cppNamespace = "::mlir::magicube_gpu";
  let summary = "What a warp does in a sparse kernel";
  let description = [{
    Operations inside a `gpu.func` kernel. A *fragment* is the part of an MMA
    operand that the lanes of a warp hold in registers; a *tile* is a range of
    shared memory. Which lane holds or fetches what is not spelled out in the IR
    but follows from the layouts of lib/Layout (StepLayout, MmaTable,
    SharedMemoryLayout), which the lowering applies.

    All lanes of a warp execute every operation together; the block is one
    dimensional and its size is the kernel's `known_block_size`.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let dependentDialects = ["::mlir::magicube::MagicubeDialect",
                           "::mlir::LLVM::LLVMDialect"];
  let extraClassDeclaration = [{
    /// Discardable attribute of a kernel: tiles in the ring of a pipelined
    /// loop. Read by `magicube-gpu-pipeline-loads`.
    static constexpr ::llvm::StringLiteral kStagesAttrName =
        "magicube_gpu.stages";
    /// Discardable attribute of a kernel: bytes of dynamic shared memory.
    /// Written by `magicube-gpu-assign-shared-memory`.
    static constexpr ::llvm::StringLiteral kSharedMemoryAttrName =
        "magicube_gpu.shared_memory";
    /// Discardable attribute of a module of kernels: the launch plans of the
    /// operations that they compute, an array of dictionaries in the form of
    /// Runtime/PlanJson.h. Written by `convert-magicube-to-magicube-gpu`, read
    /// where bundles are made.
    static constexpr ::llvm::StringLiteral kLaunchPlansAttrName =
        "magicube_gpu.launch_plans";
  }];
}

#endif // MAGICUBE_GPU_DIALECT_TD
