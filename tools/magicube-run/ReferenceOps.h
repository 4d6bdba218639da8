//===- ReferenceOps.h - What the reference knows of each operation
//---------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of operations that the reference evaluates.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_TOOLS_MAGICUBE_RUN_REFERENCEOPS_H
#define MAGICUBE_TOOLS_MAGICUBE_RUN_REFERENCEOPS_H

#include "Arguments.h"

#include "dialect/magicube/ComputeOpTable.h"

#include "llvm/ADT/DenseMap.h"

namespace mlir::magicube {

/// Values of the function by SSA value.
using Environment = llvm::DenseMap<Value, const ProgramValue *>;

/// Rows and columns of a matrix, by SSA value.
using Extents = std::pair<int64_t, int64_t>;
using KnownExtents = llvm::DenseMap<Value, Extents>;

/// The value of an operand as a `MatrixT`; null if it has not been evaluated.
template <typename MatrixT>
const MatrixT *lookup(const Environment &values, Value value) {
  auto found = values.find(value);
  return found == values.end() ? nullptr : std::get_if<MatrixT>(found->second);
}

/// What the reference does with a SparseComputeOpInterface on tensors.
struct ReferenceOp {
  StringLiteral operation;
  /// The result.
  Result<ProgramValue> (*evaluate)(Operation *op, const Environment &values);
  /// Reports operands whose extents do not go together, and adds the result's.
  LogicalResult (*verifyExtents)(Operation *op, KnownExtents &known);
};

/// The row of an operation, or null.
const ReferenceOp *getReferenceOp(Operation *op);

// Each operation's functions, in a file of its own.
Result<ProgramValue> evaluateSpmm(Operation *op, const Environment &values);
LogicalResult verifySpmmExtents(Operation *op, KnownExtents &known);

} // namespace mlir::magicube

#endif // MAGICUBE_TOOLS_MAGICUBE_RUN_REFERENCEOPS_H
