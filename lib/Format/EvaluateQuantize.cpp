//===- EvaluateQuantize.cpp - The reference of quantization ---------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Assignments round; nothing is fused.
//
//===----------------------------------------------------------------------===//

#include "magicube/Format/EvaluateQuantize.h"

#include "EvaluateElement.h"

#include <algorithm>
#include <cmath>

namespace mlir::magicube {

/// Magnitudes below it are not worth a scale: its reciprocal would overflow.
static constexpr float kLeastMagnitude = 0x1p-100f;

static bool isSupportedWidth(int bits) {
  return bits == 4 || bits == 8 || bits == 16;
}

static Error widthError(int bits) {
  return Error{"expected integers of 4, 8 or 16 bits, but got " +
               std::to_string(bits)};
}

static std::string shapeOf(int64_t rows, int64_t cols) {
  return std::to_string(rows) + "x" + std::to_string(cols);
}

/// Element (row, col) of what is broadcast over a matrix.
static float broadcast(const FloatMatrix &operand, int64_t row, int64_t col) {
  return operand.at(operand.rows == 1 ? 0 : row, operand.cols == 1 ? 0 : col);
}

//===----------------------------------------------------------------------===//
// Floats to integers
//===----------------------------------------------------------------------===//

/// The matrix whose element (row, col), or (col, row), is `valueAt(row, col,
/// x)`; counts what is not finite.
template <typename ValueAt>
static Result<QuantizedMatrix>
makeQuantized(const FloatMatrix &source, ElementType type, FloatMatrix scales,
              bool isTransposed, ValueAt valueAt) {
  Result<DenseMatrix> values =
      isTransposed ? DenseMatrix::zeros(source.cols, source.rows, type)
                   : DenseMatrix::zeros(source.rows, source.cols, type);
  if (!values)
    return values.error();
  QuantizedMatrix result{std::move(*values), std::move(scales)};
  for (int64_t row = 0; row < source.rows; ++row)
    for (int64_t col = 0; col < source.cols; ++col) {
      float x = source.at(row, col);
      result.infinities += std::isinf(x);
      result.nans += std::isnan(x);
      int64_t value = valueAt(row, col, x);
      if (isTransposed)
        result.values.set(col, row, value);
      else
        result.values.set(row, col, value);
    }
  return result;
}

/// The largest finite magnitude of rows [first, end).
static float largestMagnitude(const FloatMatrix &source, int64_t first,
                              int64_t end) {
  float largest = 0;
  for (int64_t row = first; row < end; ++row)
    for (int64_t col = 0; col < source.cols; ++col)
      if (float x = source.at(row, col); std::isfinite(x))
        largest = std::max(largest, std::fabs(x));
  return largest;
}

Result<QuantizedMatrix> quantize(const FloatMatrix &source, int bits,
                                 BroadcastAxis axis, bool isTransposed) {
  if (!isSupportedWidth(bits))
    return widthError(bits);
  if (axis == BroadcastAxis::Column)
    return Error{"expected scales by row or one for all, but got them by "
                 "column"};
  const ElementType type{bits, /*isSigned=*/true};
  const float most = static_cast<float>(type.max());
  bool isByRow = axis == BroadcastAxis::Row;
  FloatMatrix scales{isByRow ? source.rows : 1, 1, FloatFormat::F32, {}};
  FloatMatrix inverses = scales;
  for (int64_t group = 0; group < scales.rows; ++group) {
    float largest = isByRow ? largestMagnitude(source, group, group + 1)
                            : largestMagnitude(source, 0, source.rows);
    bool isTiny = largest < kLeastMagnitude;
    scales.data.push_back(isTiny ? 1.0f : largest / most);
    inverses.data.push_back(isTiny ? 0.0f : most / largest);
  }
  return makeQuantized(source, type, std::move(scales), isTransposed,
                       [&](int64_t row, int64_t col, float x) {
                         float scaled = x * broadcast(inverses, row, col);
                         return std::max(quantizeElement(scaled, type),
                                         -type.max());
                       });
}

/// What is asked of given scales.
static Status checkScales(const FloatMatrix &scales, int64_t rows,
                          int64_t cols) {
  bool fits = (scales.rows == 1 && scales.cols == 1) ||
              (scales.rows == rows && scales.cols == 1) ||
              (scales.rows == 1 && scales.cols == cols);
  if (!fits)
    return Error{"expected scales of shape 1x1, " + shapeOf(rows, 1) + " or " +
                 shapeOf(1, cols) + ", but got " +
                 shapeOf(scales.rows, scales.cols)};
  for (float scale : scales.data)
    if (!std::isfinite(scale) || scale <= 0)
      return Error{"expected scales that are finite and above 0, but got " +
                   std::to_string(scale)};
  return {};
}

Result<QuantizedMatrix> quantizeByScales(const FloatMatrix &source,
                                         const FloatMatrix &scales,
                                         ElementType type, int64_t zeroPoint,
                                         bool isTransposed) {
  if (!isSupportedWidth(type.bits))
    return widthError(type.bits);
  if (zeroPoint < type.min() || zeroPoint > type.max())
    return Error{"expected a zero point from " + std::to_string(type.min()) +
                 " to " + std::to_string(type.max()) + " for " + type.name() +
                 ", but got " + std::to_string(zeroPoint)};
  if (Status s = checkScales(scales, source.rows, source.cols); !s)
    return s.error();
  // Every value that any sum with a zero point could bring back into range.
  constexpr ElementType wide{32, /*isSigned=*/true};
  return makeQuantized(source, type, scales, isTransposed,
                       [&](int64_t row, int64_t col, float x) {
                         float scaled = x / broadcast(scales, row, col);
                         return std::clamp(quantizeElement(scaled, wide) +
                                               zeroPoint,
                                           type.min(), type.max());
                       });
}

//===----------------------------------------------------------------------===//
// And back
//===----------------------------------------------------------------------===//

Result<FloatMatrix> dequantize(const DenseMatrix &values,
                               const FloatMatrix &scales, int64_t zeroPoint,
                               FloatFormat format) {
  if (Status s = checkScales(scales, values.rows, values.cols); !s)
    return s.error();
  FloatMatrix result{values.rows, values.cols, format, {}};
  for (int64_t row = 0; row < values.rows; ++row)
    for (int64_t col = 0; col < values.cols; ++col) {
      auto difference = static_cast<float>(values.at(row, col) - zeroPoint);
      float value = difference * broadcast(scales, row, col);
      result.data.push_back(decodeFloat(encodeFloat(value, format), format));
    }
  return result;
}

} // namespace mlir::magicube
