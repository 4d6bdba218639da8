//===- EvaluateElement.h - Epilogues one element at a time ----------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For the references of operations whose results are not dense.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_FORMAT_EVALUATEELEMENT_H
#define MAGICUBE_LIB_FORMAT_EVALUATEELEMENT_H

#include "magicube/Format/EvaluateEpilogue.h"

namespace mlir::magicube {

/// `sum` and the sum biases of element (row, col), modulo 2^32.
int32_t addSumBiases(const ReferenceEpilogue &epilogue, int32_t sum,
                     int64_t row, int64_t col);

/// The steps in f32 on element (row, col), whose sum is `value`.
float finishElement(const ReferenceEpilogue &epilogue, float value, int64_t row,
                    int64_t col);

/// The nearest integer that fits, even ones first; 0 for a NaN.
int64_t quantizeElement(float value, ElementType type);

} // namespace mlir::magicube

#endif // MAGICUBE_LIB_FORMAT_EVALUATEELEMENT_H
