//===- EvaluateEpilogue.cpp - The reference of a product's epilogue -------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element by element; assignments round, nothing is fused but std::fma.
//
//===----------------------------------------------------------------------===//

#include "EvaluateElement.h"

#include <algorithm>
#include <cmath>

namespace mlir::magicube {

/// The element of an operand that belongs to result (row, col).
template <typename Matrix>
static auto broadcast(const Matrix &operand, int64_t row, int64_t col) {
  return operand.at(operand.rows == 1 ? 0 : row, operand.cols == 1 ? 0 : col);
}

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

/// Horner's rule from the highest of `count` coefficients down.
static float evaluatePolynomial(const float *coefficients, int count, float x) {
  float sum = coefficients[count - 1];
  for (int i = count - 2; i >= 0; --i)
    sum = std::fma(sum, x, coefficients[i]);
  return sum;
}

float referenceGelu(float x) {
  // -log2 of the tail of the normal distribution, but for t^2 log2(e) / 2 + 1,
  // is -t times this polynomial in t - 3.
  static constexpr float tail[] = {
      -0.680268705f,    0.0906145573f,    -0.0132390531f,   0.00189070962f,
      -0.000250782963f, 2.91110046e-05f,  -2.64852906e-06f, 1.13352201e-07f,
      4.21820658e-08f,  -1.80565909e-08f, 2.39431319e-09f};
  static constexpr float power[] = {
      1.0f,           0.693147182f,   0.240226477f,   0.0555033237f,
      0.00961843692f, 0.00133988773f, 0.000153533721f};
  static constexpr float half = 0.721347511f, halfRest = 9.62981517e-09f;
  static constexpr float rounder = 12582912.0f; // 1.5 * 2^23
  float t = std::fabs(x);
  float positive = x > 0 ? x : 0.0f;
  if (t > 9.30000019f)
    return positive;
  float square = t * t;
  float squareRest = std::fma(t, t, -square);
  float shifted = t - 3.0f;
  float q = evaluatePolynomial(tail, 11, shifted);
  float exponent = std::fma(q, t, std::fma(-square, half, -1.0f));
  float rounded = exponent + rounder;
  float integer = rounded - rounder;
  float start = -1.0f - integer;
  float rest = std::fma(-square, half, start);
  float product = squareRest * half;
  float correction = std::fma(square, halfRest, product);
  float fraction = std::fma(q, t, rest);
  fraction = fraction - correction;
  float value = t * evaluatePolynomial(power, 7, fraction);
  value = value * std::ldexp(1.0f, static_cast<int>(integer));
  return positive - value;
}

float referenceSilu(float x) {
  // x / (1 + e^-x). Of e^-|x| a power of two is split off, with ln 2 in two
  // parts; what is left is at most ln 2 / 2.
  static constexpr float power[] = {
      1.0f,         1.0f,         0.49999994f,  0.16666521f,
      0.04166839f,  0.008368724f, 0.0013814584f};
  static constexpr float log2e = 1.44269502f;
  static constexpr float ln2 = 0.693145752f, ln2Rest = 1.42860677e-06f;
  static constexpr float rounder = 12582912.0f; // 1.5 * 2^23
  float t = std::fabs(x);
  if (t > 87.0f)
    return x > 0 ? x : -0.0f;
  float rounded = std::fma(t, -log2e, rounder);
  float integer = rounded - rounder;
  float rest = std::fma(integer, -ln2, -t);
  rest = std::fma(integer, -ln2Rest, rest);
  float decay = evaluatePolynomial(power, 7, rest);
  decay = decay * std::ldexp(1.0f, static_cast<int>(integer));
  float numerator = x * decay;
  if (x > 0)
    numerator = x;
  float denominator = 1.0f + decay;
  return numerator / denominator;
}

static float activate(Activation activation, float value) {
  switch (activation) {
  case Activation::Relu:
    return value > 0 ? value : 0.0f;
  case Activation::Gelu:
    return std::isnan(value) ? value : referenceGelu(value);
  case Activation::Silu:
    return std::isnan(value) ? value : referenceSilu(value);
  }
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

int64_t quantizeElement(float value, ElementType type) {
  if (std::isnan(value))
    return 0;
  double floor = std::floor(double(value)), above = double(value) - floor;
  bool isUp = above > 0.5 || (above == 0.5 && std::fmod(floor, 2) != 0);
  double nearest = isUp ? floor + 1 : floor;
  return static_cast<int64_t>(
      std::clamp(nearest, double(type.min()), double(type.max())));
}

/// One step in f32. Sum biases have been added to the sums.
static float applyOperand(const EpilogueOperand<ReferenceOperand> &operand,
                          float value, int64_t row, int64_t col) {
  auto at = [&] {
    return broadcast(*std::get<const FloatMatrix *>(operand.ref), row, col);
  };
  switch (operand.role) {
  case EpilogueRole::SumBias:
    return value;
  case EpilogueRole::Scale:
    return value * at();
  case EpilogueRole::Bias:
    return value + at();
  }
}

float finishElement(const ReferenceEpilogue &epilogue, float value, int64_t row,
                    int64_t col) {
  for (const EpilogueOperand<ReferenceOperand> &operand : epilogue.operands)
    value = applyOperand(operand, value, row, col);
  return epilogue.activation ? activate(*epilogue.activation, value) : value;
}

/// The result whose element (row, col) has the sum `sumAt(row, col)`.
template <typename SumAt>
static Result<ProgramValue> makeResult(const ReferenceEpilogue &epilogue,
                                       int64_t rows, int64_t cols,
                                       SumAt sumAt) {
  if (const auto *format = std::get_if<FloatFormat>(&epilogue.element)) {
    FloatMatrix result{rows, cols, *format, {}};
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t col = 0; col < cols; ++col) {
        float value = finishElement(epilogue, sumAt(row, col), row, col);
        result.data.push_back(
            decodeFloat(encodeFloat(value, *format), *format));
      }
    return ProgramValue(std::move(result));
  }
  auto type = std::get<ElementType>(epilogue.element);
  Result<DenseMatrix> result = DenseMatrix::zeros(rows, cols, type);
  if (!result)
    return result.error();
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t col = 0; col < cols; ++col)
      result->set(
          row, col,
          quantizeElement(finishElement(epilogue, sumAt(row, col), row, col),
                          type));
  return ProgramValue(std::move(*result));
}

//===----------------------------------------------------------------------===//
// The product
//===----------------------------------------------------------------------===//

int32_t addSumBiases(const ReferenceEpilogue &epilogue, int32_t sum,
                     int64_t row, int64_t col) {
  auto value = static_cast<uint32_t>(sum);
  for (const EpilogueOperand<ReferenceOperand> &operand : epilogue.operands)
    if (isInteger(operand.role))
      value += static_cast<uint32_t>(
          broadcast(*std::get<const DenseMatrix *>(operand.ref), row, col));
  return static_cast<int32_t>(value);
}

Result<ProgramValue> evaluateProduct(const SRBCRSMatrix &lhs,
                                     const DenseMatrix &rhs,
                                     const DenseMatrix *init,
                                     const ReferenceEpilogue &epilogue) {
  if (epilogue.hasFloatSums) {
    Result<FloatMatrix> sums = evaluateFloatSums(lhs, rhs);
    if (!sums)
      return sums.error();
    return makeResult(
        epilogue, sums->rows, sums->cols,
        [&](int64_t row, int64_t col) { return sums->at(row, col); });
  }
  Result<DenseMatrix> sums = evaluateSpmm(lhs, rhs, init);
  if (!sums)
    return sums.error();
  bool hasSumBias = epilogue.find(EpilogueRole::SumBias) != nullptr;
  for (int64_t row = 0; hasSumBias && row < sums->rows; ++row)
    for (int64_t col = 0; col < sums->cols; ++col) {
      auto sum = static_cast<int32_t>(sums->at(row, col));
      sums->set(row, col, addSumBiases(epilogue, sum, row, col));
    }
  const auto *type = std::get_if<ElementType>(&epilogue.element);
  if (type && type->bits == 32)
    return ProgramValue(std::move(*sums));
  return makeResult(epilogue, sums->rows, sums->cols,
                    [&](int64_t row, int64_t col) {
                      return static_cast<float>(sums->at(row, col));
                    });
}

} // namespace mlir::magicube
