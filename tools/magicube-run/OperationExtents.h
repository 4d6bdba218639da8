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

/// Extents in messages: 16x32.
std::string str(const Extents &extents);

/// Says of an operand that is an argument how large that is.
void noteArgument(InFlightDiagnostic &diag, StringRef operand, Value value,
                  const KnownExtents &known);

/// Whether extents are those that a type fixes.
bool fits(ShapedType type, const Extents &extents);

/// Checks the operands of the epilogue of a product with extents `product`.
LogicalResult verifyEpilogueExtents(SparseComputeOpInterface op,
                                    const Extents &product,
                                    const KnownExtents &known);

// Each operation's function, in a file of its own.
LogicalResult verifySddmmExtents(Operation *op, KnownExtents &known);
LogicalResult verifySoftmaxExtents(Operation *op, KnownExtents &known);
LogicalResult verifySpmmExtents(Operation *op, KnownExtents &known);

} // namespace mlir::magicube

#endif // MAGICUBE_TOOLS_MAGICUBE_RUN_OPERATIONEXTENTS_H
