//===- Passes.td - Passes on the tensor-level dialect ----------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Choices and rewrites before a product becomes a kernel.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_TRANSFORMS_PASSES_TD
#define MAGICUBE_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def MagicubeSelectSchedulePass
    : Pass<"magicube-select-schedule", "::mlir::ModuleOp"> {
  let summary = "Choose the chip and give every product a schedule";
  let description = [{
    Writes the module attribute `magicube.chip` and, on every product that has
    none, a complete `#magicube.schedule`. A schedule that is there already is
    kept if it is legal on the chip; if not, that is an error that names the
    limit. Later passes take no option that changes code.
  }];
  let dependentDialects = ["::mlir::magicube::MagicubeDialect"];
  let options = [
    Option<"chip", "chip", "std::string", /*default=*/"\"sm_80\"",
           "Chip to compile for: sm_80, sm_86, sm_89, sm_90, sm_100 or sm_120">];
}

def MagicubeAllocateOnDevicePass
    : Pass<"magicube-allocate-on-device", "::mlir::ModuleOp"> {
  let summary = "Allocate buffers where kernels and host code reach them";
  let description = [{
    Replaces `memref.alloc` and `memref.dealloc` of host functions by `gpu.alloc
    host_shared` and `gpu.dealloc`: kernels write the buffers, host loops may
    read them. A constant (`memref.get_global`) is copied to such a buffer on
    entry to its function.

    Before:

    ```mlir
    %0 = memref.get_global @weights : memref<512xi8>
    %1 = memref.alloc() : memref<16x16xi32>
    ```

    After:

    ```mlir
    %0 = memref.get_global @weights : memref<512xi8>
    %1 = gpu.alloc host_shared () : memref<512xi8>
    memref.copy %0, %1 : memref<512xi8> to memref<512xi8>
    %2 = gpu.alloc host_shared () : memref<16x16xi32>
    ```

    *Assumes*: bufferized, with deallocations. *Guarantees*: no `memref.alloc` or
    `memref.dealloc` is left outside of GPU modules.
  }];
  let dependentDialects = ["::mlir::gpu::GPUDialect",
                           "::mlir::memref::MemRefDialect"];
}

#endif // MAGICUBE_TRANSFORMS_PASSES_TD
