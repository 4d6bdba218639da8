//===- FloatMatrix.h - Matrices of floats ---------------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scales and biases of epilogues, and results of type f32, f16 and bf16.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_FORMAT_FLOATMATRIX_H
#define MAGICUBE_FORMAT_FLOATMATRIX_H

#include "magicube/Format/Npy.h"
#include "magicube/Support/Result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mlir::magicube {

/// IEEE 754 binary32 and binary16, and bfloat16 (the upper half of binary32).
enum class FloatFormat { F32, F16, BF16 };

/// Bytes of a value.
int64_t floatBytes(FloatFormat format);

/// "f32", "f16" or "bf16".
std::string_view floatName(FloatFormat format);

/// `value` rounded to `format`, to nearest even, as its bits; and back,
/// exactly. A NaN stays one.
uint32_t encodeFloat(float value, FloatFormat format);
float decodeFloat(uint32_t bits, FloatFormat format);

/// A dense matrix; every value is one of its format.
struct FloatMatrix {
  int64_t rows = 0;
  int64_t cols = 0;
  FloatFormat format = FloatFormat::F32;
  std::vector<float> data;

  /// Multiples of 1/256 from -2 up to, not including, 2: products of a few keep
  /// most of their bits, so that a wrong rounding shows. Element i is value
  /// number i of splitMix64.
  static FloatMatrix random(int64_t rows, int64_t cols, uint64_t seed);
  /// From an array of floats of rank 2; float64 is rounded to float32, which
  /// must not overflow. `name` is for messages.
  static Result<FloatMatrix> fromNpy(const NpyArray &array,
                                     const std::string &name,
                                     FloatFormat format = FloatFormat::F32);
  /// From memory of a device: values one after the other, row-major.
  static FloatMatrix fromBytes(int64_t rows, int64_t cols, FloatFormat format,
                               const uint8_t *bytes);

  float at(int64_t r, int64_t c) const { return data[r * cols + c]; }
  /// float16 for F16, else float32, which holds BF16 exactly.
  NpyArray toNpy() const;
};

/// Compares every element of result number `index` bit by bit (any NaN equals
/// any NaN); the Error describes the first mismatches.
Status compareResult(size_t index, const FloatMatrix &expected,
                     const FloatMatrix &actual);

} // namespace mlir::magicube

#endif // MAGICUBE_FORMAT_FLOATMATRIX_H
