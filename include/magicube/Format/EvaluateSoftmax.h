//===- EvaluateSoftmax.h - The reference of a sparse softmax --------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Softmax over the stored entries of each row, defined so that the bits depend
// on nothing but the operands: maxima, sums of integers, and chains of fma.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_FORMAT_EVALUATESOFTMAX_H
#define MAGICUBE_FORMAT_EVALUATESOFTMAX_H

#include "magicube/Format/Exp2Chain.h"
#include "magicube/Format/SparseFloatMatrix.h"

namespace mlir::magicube {

/// What a softmax is taken of. With x an entry's score (plus its mask, rounded
/// once to f32; what is above the largest finite f32 becomes it, NaN counts as
/// -inf) and m the maximum of the row's x, the distance t is x - m: for
/// integers exact and then rounded to f32, for floats rounded to f32. What is
/// wanted is 2^(c t) over the row's sum of the same, c = rn(scale * log2(e)).
struct SoftmaxOperands {
  /// Integers of type i32, or f32 or f16. Not in bank-aware order.
  const SparseValue &scores;
  /// 1 x 1, or M x 1: what a score counts, finite and at least 0. Null stands
  /// for 1; integers need one.
  const FloatMatrix *scale = nullptr;
  /// Added to scores that are floats; has their positions, in their order.
  const SparseFloatMatrix *mask = nullptr;
};

//===----------------------------------------------------------------------===//
// Integer results
//===----------------------------------------------------------------------===//

/// a = rn(slope * c) to 22 bits and a multiple of 2^-46, whichever is coarser,
/// nearest ones, even ones first: so that offset - 1.5 * 2^23 * a is exact for
/// the c of attention and a kernel may take 1.5 * 2^23 + t for t. An a below
/// 2^-24, where scores reach beyond 2^20, has fewer bits than 22.
float getDecay(const Exp2Chain &chain, float scale);

/// q for a distance t <= 0, -inf or NaN (0).
uint32_t evaluateChain(const Exp2Chain &chain, float decay, float distance);

/// The integers of a softmax, ready to be the sparse operand of a product, and
/// the factors of its rows.
struct QuantizedSoftmax {
  /// Unsigned, at the scores' positions; padding is zero.
  SRBCRSMatrix values;
  /// M x 1 of f32: rn(value_scale / rn(L)) with L the sum of the row's q, 0
  /// where L = 0.
  FloatMatrix factors;
};

/// Errors: `bits` other than 4, 8, 16; operands that do not fit; a row so long
/// that L might not fit 32 bits.
Result<QuantizedSoftmax>
evaluateQuantizedSoftmax(const SoftmaxOperands &operands, int bits,
                         float valueScale = 1.0f);

//===----------------------------------------------------------------------===//
// Float results
//===----------------------------------------------------------------------===//

/// 2^y for y in [-126, 0], 0 for smaller ones and for NaN: with n = y rounded
/// to an integer, a polynomial of degree 6 in y - n by Horner's rule, times
/// 2^n. Its relative error is at most 7.9e-8; 1 for y = 0.
float referenceExp2(float y);

/// With e = referenceExp2(rn(t * c)) and L the sum of rn(e * 2^31) over the
/// row, in 64 bits: rn(e / rn(L * 2^-31)), then rounded to `format`, F32 or
/// F16; 0 where L = 0.
Result<SparseFloatMatrix> evaluateFloatSoftmax(const SoftmaxOperands &operands,
                                               FloatFormat format);

} // namespace mlir::magicube

#endif // MAGICUBE_FORMAT_EVALUATESOFTMAX_H
