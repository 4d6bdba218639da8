//===- MagicubeGPUInterfaces.td - Families of warp-level operations --------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What passes and the lowering ask instead of lists of operations.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_GPU_INTERFACES_TD
#define MAGICUBE_GPU_INTERFACES_TD

include "mlir/IR/OpBase.td"

def MagicubeGPU_RingUserOpInterface : OpInterface<"RingUserOpInterface"> {
  let cppNamespace = "::mlir::magicube_gpu";
  let description = [{
    Reads or writes a tile of a ring: its optional `slot` says which.
  }];
  let methods = [
    InterfaceMethod<"The tile or ring.",
                    "::mlir::TypedValue<::mlir::magicube_gpu::TileType>",
                    "getTile">,
    InterfaceMethod<"The tile's number in a ring.",
                    "::mlir::MutableOperandRange", "getSlotMutable">
  ];
}

def MagicubeGPU_AsyncCopyOpInterface : OpInterface<"AsyncCopyOpInterface"> {
  let cppNamespace = "::mlir::magicube_gpu";
  let description = [{
    Starts copies to shared memory that land later: threads commit them as a
    group, wait for it and meet at a barrier before they read (PTX ISA
    "cp.async").
  }];
  let methods = [
    InterfaceMethod<"Where it writes.",
                    "::mlir::TypedValue<::mlir::magicube_gpu::TileType>",
                    "getTile">
  ];
}

def MagicubeGPU_PredicatedOpInterface : OpInterface<"PredicatedOpInterface"> {
  let cppNamespace = "::mlir::magicube_gpu";
  let description = [{
    Has an optional predicate and reads no global memory where it is false. So it
    may run ahead of its loop, beyond the last iteration.
  }];
  let methods = [
    InterfaceMethod<"The condition, or null.",
                    "::mlir::TypedValue<::mlir::IntegerType>", "getPredicate">,
    InterfaceMethod<"The same, to be set.",
                    "::mlir::MutableOperandRange", "getPredicateMutable">
  ];
}

def MagicubeGPU_CtaOpInterface : OpInterface<"CtaOpInterface"> {
  let cppNamespace = "::mlir::magicube_gpu";
  let description = [{
    The threads of a CTA share its work: lowering needs to know how many they
    are (the kernel's `known_block_size`).
  }];
  let methods = [
    InterfaceMethod<"Reports if so many threads cannot share the work.",
                    "::llvm::LogicalResult", "verifyThreads",
                    (ins "int64_t":$threads), /*methodBody=*/"",
                    /*defaultImplementation=*/"return ::mlir::success();">
  ];
}

#endif // MAGICUBE_GPU_INTERFACES_TD
