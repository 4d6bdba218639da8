//===- MagicubeGPUDialect.h - The warp-level dialect ----------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declarations of the magicube_gpu dialect: see MagicubeGPUDialect.td and its
// neighbours.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_DIALECT_MAGICUBE_GPU_MAGICUBEGPUDIALECT_H
#define MAGICUBE_DIALECT_MAGICUBE_GPU_MAGICUBEGPUDIALECT_H

#include "dialect/magicube/MagicubeDialect.h"
#include "magicube/Layout/ChunkLayout.h"
#include "magicube/Layout/MmaTable.h"
#include "magicube/Layout/StepLayout.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialect/magicube_gpu/MagicubeGPUDialect.h.inc"
#include "dialect/magicube_gpu/MagicubeGPUEnums.h.inc"

namespace mlir::magicube_gpu {

/// The block's shared memory.
struct SharedMemoryResource
    : public SideEffects::Resource::Base<SharedMemoryResource> {
  StringRef getName() final { return "SharedMemory"; }
};

} // namespace mlir::magicube_gpu

#define GET_ATTRDEF_CLASSES
#include "dialect/magicube_gpu/MagicubeGPUAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "dialect/magicube_gpu/MagicubeGPUTypes.h.inc"
#include "dialect/magicube_gpu/MagicubeGPUInterfaces.h.inc"

namespace mlir::magicube_gpu {

/// What a StoreResultOp is built of, see there.
struct StoreResultFields {
  ValueRange fragments;
  Value base, row, column, stride, limit;
  Value lane;
  magicube::SRBCRSAttr encoding;
  StepAttr step;
  int64_t component = 0;
  ResultMapAttr map;
  bool accumulate = false;
  Type resultType;
};

} // namespace mlir::magicube_gpu

#define GET_OP_CLASSES
#include "dialect/magicube_gpu/MagicubeGPUOps.h.inc"

#endif // MAGICUBE_DIALECT_MAGICUBE_GPU_MAGICUBEGPUDIALECT_H
