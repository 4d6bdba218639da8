//===- ReferenceOps.cpp - What the reference knows of operations ----------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table: a row per operation.
//
//===----------------------------------------------------------------------===//

#include "ReferenceOps.h"

namespace mlir::magicube {

static constexpr ReferenceOp kReferenceOps[] = {
    {"sddmm", evaluateSddmmOp, nullptr},
    {"softmax", evaluateSoftmaxOp, nullptr},
    {"spmm", evaluateSpmmOp, compareSpmmProjections},
};

const ReferenceOp *findReferenceOp(std::string_view operation) {
  for (const ReferenceOp &row : kReferenceOps)
    if (row.operation == operation)
      return &row;
  return nullptr;
}

Status checkBroadcast(const ReferenceEpilogue &epilogue, int64_t rows,
                      int64_t cols) {
  auto isBroadcast = [&](const auto *matrix) {
    return (matrix->rows == 1 || matrix->rows == rows) &&
           (matrix->cols == 1 || matrix->cols == cols);
  };
  std::vector<std::string> names = getOperandNames(epilogue);
  for (size_t i = 0; i < names.size(); ++i)
    if (!std::visit(isBroadcast, epilogue.operands[i].ref))
      return Error{"expected operand '" + names[i] +
                   "' to have one number per row or per column of the result"};
  return {};
}

} // namespace mlir::magicube
