//===- EvaluateQuantize.h - The reference of quantization -----------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floats to integers and back, element by element. Every step rounds to f32, to
// nearest even, once. Shares no code with the compiler.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_FORMAT_EVALUATEQUANTIZE_H
#define MAGICUBE_FORMAT_EVALUATEQUANTIZE_H

#include "magicube/Format/DenseMatrix.h"
#include "magicube/Format/Epilogue.h"
#include "magicube/Format/FloatMatrix.h"

namespace mlir::magicube {

/// Integers, and what a unit of them is worth.
struct QuantizedMatrix {
  /// Of the source's shape, or transposed.
  DenseMatrix values;
  /// Of f32: 1 x 1, a column (by row of the source) or a row (by column).
  FloatMatrix scales;
  /// Elements of the source without a finite value.
  int64_t infinities = 0, nans = 0;
};

/// Symmetric, with scales of the largest magnitudes. With amax that of the
/// finite values of a row (BroadcastAxis::Row) or of all (None) and qmax =
/// 2^(bits - 1) - 1,
///
///     scale = rn(amax / qmax),  inverse = rn(qmax / amax),
///     q = rn(x * inverse), rounded to an integer, even ones first, and
///         saturated to [-qmax, qmax];
///
/// where amax is below 2^-100 the scale is 1 and every q 0. Infinities saturate
/// (but there), a NaN is 0. Errors: `bits` other than 4, 8, 16; another axis;
/// no element.
Result<QuantizedMatrix> quantize(const FloatMatrix &source, int bits,
                                 BroadcastAxis axis, bool isTransposed = false);

/// With given scales (1 x 1, M x 1 or 1 x N of f32, finite and above 0): q is
/// rn(x / scale), rounded to an integer, even ones first, plus the zero point,
/// saturated to `type`. Infinities saturate, a NaN is the zero point. Errors:
/// scales that do not fit or are not such numbers; a type of other widths than
/// 4, 8, 16; a zero point that it does not have.
Result<QuantizedMatrix> quantizeByScales(const FloatMatrix &source,
                                         const FloatMatrix &scales,
                                         ElementType type,
                                         int64_t zeroPoint = 0,
                                         bool isTransposed = false);

/// rn(rn(f32(q - zero point)) * scale), rounded once more to `format`. Scales
/// as above, over the rows and columns of `values`.
Result<FloatMatrix> dequantize(const DenseMatrix &values,
                               const FloatMatrix &scales, int64_t zeroPoint,
                               FloatFormat format);

} // namespace mlir::magicube

#endif // MAGICUBE_FORMAT_EVALUATEQUANTIZE_H
