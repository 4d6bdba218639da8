//===- MagicubeGPUVerify.h - Checks that families of operations share -----===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_DIALECT_MAGICUBE_GPU_MAGICUBEGPUVERIFY_H
#define MAGICUBE_DIALECT_MAGICUBE_GPU_MAGICUBEGPUVERIFY_H

#include "dialect/magicube_gpu/MagicubeGPUDialect.h"
#include "magicube/Layout/OperandPlanes.h"

namespace mlir::magicube_gpu {

/// Checks that an encoding has the vectors of an operation's step.
LogicalResult verifyStepVectors(Operation *op, StepAttr step,
                                magicube::SRBCRSAttr encoding);

/// Whether there are kernels for rows of that alignment in bytes: that of
/// cp.async (16, 4), or bytewise (1).
bool isRowAlignment(int64_t alignment);

/// Checks that a fragment is `operand` of the step's instruction.
LogicalResult verifyFragment(Operation *op, FragmentType fragment,
                             const magicube::StepLayout &step,
                             MmaOperand operand);

/// The number of arguments of the body of a store, which makes an element of
/// type `resultType`; without one the sums are stored as they are, as i32.
LogicalResult verifyStoreBody(Operation *op, Region &body, Type resultType);
/// The rest of the body, once its operations have been verified.
LogicalResult verifyStoreRegion(Operation *op, Region &body, Type resultType);
/// Type of the sums of a store: i32, or f32 as the body says.
Type getStoreSumType(Region &body);

} // namespace mlir::magicube_gpu

#endif // MAGICUBE_DIALECT_MAGICUBE_GPU_MAGICUBEGPUVERIFY_H
