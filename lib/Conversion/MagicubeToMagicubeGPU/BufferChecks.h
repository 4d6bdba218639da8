//===- BufferChecks.h - What kernels ask of buffers -------------*- C++ -*-===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reports memrefs that no kernel reads, whatever the operation.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_CONVERSION_MAGICUBETOMAGICUBEGPU_BUFFERCHECKS_H
#define MAGICUBE_LIB_CONVERSION_MAGICUBETOMAGICUBEGPU_BUFFERCHECKS_H

#include "dialect/magicube/MagicubeDialect.h"

namespace mlir::magicube {

/// All memrefs are in global memory.
LogicalResult verifyGlobalMemory(Operation *op);

/// Each of `components`, memrefs, starts at its buffer's start, where it is
/// aligned, and has no gaps.
LogicalResult verifyPacked(Operation *op, ValueRange components);

/// The elements of each row of `matrices`, memrefs, are contiguous, and rows
/// follow one another.
LogicalResult verifyContiguousRows(Operation *op, ArrayRef<Value> matrices);

/// Operands of the epilogue that are memrefs have no gaps.
LogicalResult verifyEpilogue(SparseComputeOpInterface op);

/// The operation is in storage form on memrefs, in host code.
LogicalResult verifyKernelForm(SparseComputeOpInterface op);

} // namespace mlir::magicube

#endif // MAGICUBE_LIB_CONVERSION_MAGICUBETOMAGICUBEGPU_BUFFERCHECKS_H
