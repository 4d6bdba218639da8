//===- Passes.td - Passes on the warp-level dialect ------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prefetch and placement in shared memory.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_GPU_TRANSFORMS_PASSES_TD
#define MAGICUBE_GPU_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def MagicubeGPUPipelineLoadsPass
    : Pass<"magicube-gpu-pipeline-loads", "::mlir::gpu::GPUFuncOp"> {
  let summary = "Overlap the copies of a kernel's loop with its arithmetic";
  let description = [{
    Software-pipelines every loop with a `magicube_gpu.await_copies` over the
    kernel's `magicube_gpu.stages` = S tiles: in iteration i the block multiplies
    step i, copies step i + S - 1 into the tile that step i - 1 has left, and
    loads the column indices of step i + S - 1 + max(1, S / 2). Tiles become rings, `await_copies`
    becomes commit groups, waits and a barrier. With S = 1 nothing overlaps
    (ablation).

    *Assumes*: the loop counts from 0 in steps of 1; what is before its
    `await_copies` are copies, loads of indices and arithmetic. Anything else is
    an error. *Guarantees*: no `await_copies` is left.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::NVVM::NVVMDialect", "::mlir::scf::SCFDialect"];
}

def MagicubeGPUAssignSharedMemoryPass
    : Pass<"magicube-gpu-assign-shared-memory", "::mlir::ModuleOp"> {
  let summary = "Fix offsets and swizzle of every tile in shared memory";
  let description = [{
    Gives the tiles of each kernel their place, one after the other, 128-byte
    aligned, with the swizzle that makes `ldmatrix` free of bank conflicts;
    writes the sum to the kernel's `magicube_gpu.shared_memory` and to all its
    launches. Kernels without tiles are left alone.

    *Assumes*: rings have their stages (`magicube-gpu-pipeline-loads`).
    *Guarantees*: every tile has a layout; more than the chip (`magicube.chip`)
    has is an error.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::magicube_gpu::MagicubeGPUDialect"];
}

#endif // MAGICUBE_GPU_TRANSFORMS_PASSES_TD
