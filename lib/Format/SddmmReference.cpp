//===- SddmmReference.cpp - The reference of a sampled product ------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// sddmm of a program or a bundle: its operands by their names.
//
//===----------------------------------------------------------------------===//

#include "ReferenceOps.h"

#include "magicube/Format/EvaluateSddmm.h"

namespace mlir::magicube {

Result<std::vector<ProgramValue>>
evaluateSddmmOp(const ReferenceOperands &operands) {
  const auto *lhs = operands.find<DenseMatrix>("lhs");
  const auto *rhs = operands.find<DenseMatrix>("rhs");
  const auto *pattern = operands.find<SRBCRSMatrix>("pattern");
  // Where scores have been computed, only their positions count.
  if (const auto *floats = operands.find<SparseFloatMatrix>("pattern"))
    pattern = &floats->pattern;
  if (!lhs || !rhs || !pattern)
    return Error{"the operands are not those of a sampled product"};
  if (Status s =
          checkBroadcast(operands.epilogue, pattern->rows, pattern->cols);
      !s)
    return s.error();
  Result<SparseValue> result =
      evaluateSddmm(*lhs, *rhs, *pattern, operands.epilogue);
  if (!result)
    return result.error();
  return std::vector<ProgramValue>{toProgramValue(std::move(*result))};
}

} // namespace mlir::magicube
