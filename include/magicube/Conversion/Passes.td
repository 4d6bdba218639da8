//===- Passes.td - Conversion passes ---------------------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes that cross from one dialect, or one level of it, to the next.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_CONVERSION_PASSES_TD
#define MAGICUBE_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertMagicubeStoragePass
    : Pass<"convert-magicube-storage", "::mlir::ModuleOp"> {
  let summary = "Replace sparse tensors by tensors of their components";
  let description = [{
    Every value of a type with a `#magicube.sr_bcrs` encoding becomes pointers,
    indices, values (absent for a pattern) and one `index` per dynamic dimension,
    in function signatures, calls, returns and control flow too.
    `magicube.spmm` takes its storage form, with a destination.

    Before:

    ```mlir
    func.func @layer(%a: tensor<16x32xi8, #magicube.sr_bcrs<vector = 8>>,
                     %b: tensor<32x16xi8>) -> tensor<16x16xi32> {
      %c = magicube.spmm %a, %b
         : (tensor<16x32xi8, #magicube.sr_bcrs<vector = 8>>, tensor<32x16xi8>)
         -> tensor<16x16xi32>
      return %c : tensor<16x16xi32>
    }
    ```

    After:

    ```mlir
    func.func @layer(%ptr: tensor<2x2xi32>, %idx: tensor<?xi32>,
                     %val: tensor<?xi8>, %b: tensor<32x16xi8>)
        -> tensor<16x16xi32> {
      %0 = tensor.empty() : tensor<16x16xi32>
      %c = magicube.spmm storage(%ptr, %idx, %val)
             as tensor<16x32xi8, #magicube.sr_bcrs<vector = 8>>, %b
             outs(%0) {overwrite} : ...
      return %c : tensor<16x16xi32>
    }
    ```

    Attributes of a sparse argument or result go to each of its components.

    *Guarantees*: no value of an encoded type is left, so upstream passes, which
    would silently treat it as dense, never see one. An operation that takes or
    makes an encoded tensor, or has one inside of another type, and is not
    converted is an error.
  }];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
}

def ConvertMagicubeToMagicubeGPUPass
    : Pass<"convert-magicube-to-magicube-gpu", "::mlir::ModuleOp"> {
  let summary = "Make GPU kernels of magicube operations on memrefs";
  let description = [{
    Every `magicube.spmm` on memrefs becomes a launch of a kernel in the module's
    `gpu.module @magicube_kernels`; operations that need the same kernel share
    it. The kernel takes raw pointers and run-time sizes; its body is a loop over
    steps of 32 stored positions, made of `magicube_gpu` operations.

    The host code tests at run time how far the rows of the dense operand are
    aligned and launches the kernel built for 16, 4 or 1 bytes; where the shape
    shows that an alignment cannot hold, its kernel is left out, with a remark
    if that is the fast one.

    How a product is launched is a plan of expressions (Runtime/LaunchPlan.h), of
    which the host code is made; the module of kernels has the plans as
    `magicube_gpu.launch_plans`, for bundles.

    *Assumes*: storage form, bufferized, with a schedule and a chip
    (`magicube-select-schedule`); buffers of components start at multiples of 16
    bytes. *Guarantees*: no operation of the magicube dialect is left; what no
    kernel exists for is an error.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::magicube_gpu::MagicubeGPUDialect",
    "::mlir::memref::MemRefDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::scf::SCFDialect"];
  let statistics = [
    Statistic<"numKernels", "kernels", "Kernels made">,
    Statistic<"numLaunches", "launches", "Operations turned into launches">];
}

def ConvertMagicubeGPUToNVVMPass
    : Pass<"convert-magicube-gpu-to-nvvm", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Lower warp-level operations to NVVM and LLVM";
  let description = [{
    Fragments become i32 registers, tiles addresses in the one dynamic shared
    memory array `@smem`; lane arithmetic comes from the layouts of lib/Layout.

    *Assumes*: loops are pipelined and tiles have their place
    (`magicube-gpu-pipeline-loads`, `magicube-gpu-assign-shared-memory`).
    *Guarantees*: no operation or type of the magicube_gpu dialect is left in the
    module. Upstream conversions take scf, arith and gpu from there.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::NVVM::NVVMDialect", "::mlir::scf::SCFDialect"];
}

#endif // MAGICUBE_CONVERSION_PASSES_TD
