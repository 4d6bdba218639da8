//===- Scores.h - Scores of a softmax and their distances -------*- C++ -*-===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads scores, takes maxima of them, and what entries have below the maximum.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_CONVERSION_SOFTMAX_SCORES_H
#define MAGICUBE_LIB_CONVERSION_SOFTMAX_SCORES_H

#include "RowOctets.h"

#include "magicube/GPU/Utils/FloatArithmetic.h"

namespace mlir::magicube {

/// Scores in registers: i32, or f32 with the mask added. What does not count is
/// the least i32, or a NaN.
struct Scores {
  const RowOctets &row;
  /// In global memory; the mask may be null.
  Value scores, mask;

  bool isInteger() const { return row.spec.scores.isInteger(); }
  Type getType(OpBuilder &b) const {
    return isInteger() ? Type(b.getI32Type()) : Type(b.getF32Type());
  }
  /// No score is below it.
  Value getLeast(Arithmetic e) const;
  Value getMaximum(Arithmetic e, Value x, Value y) const;

  SmallVector<Value> load(Arithmetic e, Value group) const;
  /// x - m in f32, of scores of `group`; NaN for what does not count.
  SmallVector<Value> getDistances(Arithmetic e, ArrayRef<Value> loaded,
                                  Value group, Value maximum) const;

private:
  SmallVector<Value> loadFloats(Arithmetic e, Value group) const;
};

} // namespace mlir::magicube

#endif // MAGICUBE_LIB_CONVERSION_SOFTMAX_SCORES_H
