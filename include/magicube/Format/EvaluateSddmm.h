//===- EvaluateSddmm.h - The reference of a sampled product ---------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C = A * B^T at the vectors of a pattern, one dot product an element. Shares
// no code with the compiler.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_FORMAT_EVALUATESDDMM_H
#define MAGICUBE_FORMAT_EVALUATESDDMM_H

#include "magicube/Format/EvaluateEpilogue.h"
#include "magicube/Format/SparseFloatMatrix.h"

namespace mlir::magicube {

/// lhs * rhs^T at the stored vectors of `pattern`, and its epilogue: `lhs` is
/// M x K, `rhs` N x K, `pattern` M x N (i1, or a matrix whose values are not
/// read). Sums are exact modulo 2^32 or, with hasFloatSums, recombined from
/// digits as by evaluateFloatSums; the epilogue is that of evaluateProduct, its
/// operands indexed by the element's row and column in M x N. The result has
/// the pattern's pointers and indices, in the order they have; padding is zero.
/// Errors: shapes that do not fit one another, a pattern that is not valid or
/// in bank-aware order, whose padding carries columns that count.
Result<SparseValue> evaluateSddmm(const DenseMatrix &lhs,
                                  const DenseMatrix &rhs,
                                  const SRBCRSMatrix &pattern,
                                  const ReferenceEpilogue &epilogue);

} // namespace mlir::magicube

#endif // MAGICUBE_FORMAT_EVALUATESDDMM_H
