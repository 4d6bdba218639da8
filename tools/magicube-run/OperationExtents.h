//===- OperationExtents.h - Extents of operands of each operation ---------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What types leave open must fit before anything is computed.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_TOOLS_MAGICUBE_RUN_OPERATIONEXTENTS_H
#define MAGICUBE_TOOLS_MAGICUBE_RUN_OPERATIONEXTENTS_H

#include "dialect/magicube/ComputeOpTable.h"

#include "llvm/ADT/DenseMap.h"

namespace mlir::magicube {

/// Rows and columns of a matrix, by SSA value.
using Extents = std::pair<int64_t, int64_t>;
using KnownExtents = llvm::DenseMap<Value, Extents>;

/// Of a SparseComputeOpInterface on tensors.
struct OperationExtents {
  StringLiteral operation;
  /// Reports operands whose extents do not go together, and adds the result's.
  LogicalResult (*verify)(Operation *op, KnownExtents &known);
};

/// The row of an operation, or null.
const OperationExtents *getOperationExtents(Operation *op);

// Each operation's function, in a file of its own.
LogicalResult verifySpmmExtents(Operation *op, KnownExtents &known);

} // namespace mlir::magicube

#endif // MAGICUBE_TOOLS_MAGICUBE_RUN_OPERATIONEXTENTS_H
