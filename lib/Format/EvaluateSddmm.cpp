//===- EvaluateSddmm.cpp - The reference of a sampled product -------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vector-rows on all cores, elements one by one.
//
//===----------------------------------------------------------------------===//

#include "magicube/Format/EvaluateSddmm.h"

#include "Digits.h"
#include "EvaluateElement.h"
#include "Message.h"
#include "StoredVectors.h"

#include <cmath>

namespace mlir::magicube {

namespace {

/// An operand with one word for each value, a row after the other.
struct Operand {
  explicit Operand(const DenseMatrix &matrix)
      : inner(matrix.cols), digits(countDigits(matrix.type)) {
    values.reserve(matrix.rows * matrix.cols);
    for (int64_t row = 0; row < matrix.rows; ++row)
      for (int64_t col = 0; col < matrix.cols; ++col)
        values.push_back(static_cast<int32_t>(matrix.at(row, col)));
  }
  const int32_t *row(int64_t index) const {
    return values.data() + index * inner;
  }

  int64_t inner;
  int digits;
  std::vector<int32_t> values;
};

} // namespace

/// The sum of all products, modulo 2^32.
static int32_t multiply(const int32_t *lhs, const int32_t *rhs, int64_t count) {
  uint32_t sum = 0;
  for (int64_t i = 0; i < count; ++i)
    sum += static_cast<uint32_t>(lhs[i]) * static_cast<uint32_t>(rhs[i]);
  return static_cast<int32_t>(sum);
}

/// The sum of all products of digits whose places add up to `place`, modulo
/// 2^32.
static int32_t multiplyDigits(const Operand &lhs, int64_t lhsRow,
                              const Operand &rhs, int64_t rhsRow, int place) {
  uint32_t sum = 0;
  for (int digit = 0; digit < lhs.digits; ++digit) {
    int other = place - digit;
    if (other < 0 || other >= rhs.digits)
      continue;
    for (int64_t i = 0; i < lhs.inner; ++i)
      sum += static_cast<uint32_t>(
          getDigit(lhs.row(lhsRow)[i], digit, lhs.digits) *
          getDigit(rhs.row(rhsRow)[i], other, rhs.digits));
  }
  return static_cast<int32_t>(sum);
}

/// The same recombined in f32, from the highest place down.
static float multiplyFloat(const Operand &lhs, int64_t lhsRow,
                           const Operand &rhs, int64_t rhsRow) {
  float value = 0;
  for (int place = lhs.digits + rhs.digits - 2; place >= 0; --place) {
    auto sum =
        static_cast<float>(multiplyDigits(lhs, lhsRow, rhs, rhsRow, place));
    value = std::fma(value, digitRadix, sum);
  }
  return value;
}

static Status check(const DenseMatrix &lhs, const DenseMatrix &rhs,
                    const SRBCRSMatrix &pattern) {
  if (Status s = checkNatural(pattern, "a pattern"); !s)
    return s;
  if (lhs.cols != rhs.cols)
    return Error{message("expected operands of as many columns each, but got ",
                         lhs.cols, " and ", rhs.cols)};
  if (lhs.rows == pattern.rows && rhs.rows == pattern.cols)
    return {};
  return Error{message("expected operands of ", pattern.rows, " and ",
                       pattern.cols, " rows for a pattern of ", pattern.rows,
                       "x", pattern.cols, ", but got ", lhs.rows, " and ",
                       rhs.rows)};
}

/// Calls store(offset, row, col) for each element, vector-rows at once.
template <typename Store>
static void forEachElement(const SRBCRSMatrix &pattern, int64_t inner,
                           Store store) {
  StorageLayout layout = *pattern.layout();
  int64_t vector = pattern.encoding.vector;
  forEachVectorRow(pattern, pattern.vectors * vector * inner, [&](int64_t r) {
    forEachVector(pattern, r, [&](int64_t p) {
      for (int64_t v = 0; v < vector; ++v)
        store(layout.valueOffset(p, v), r * vector + v, pattern.indices[p]);
    });
  });
}

Result<SparseValue> evaluateSddmm(const DenseMatrix &lhs,
                                  const DenseMatrix &rhs,
                                  const SRBCRSMatrix &pattern,
                                  const ReferenceEpilogue &epilogue) {
  if (Status s = check(lhs, rhs, pattern); !s)
    return s.error();
  Operand a(lhs), b(rhs);
  auto sumAt = [&](int64_t row, int64_t col) {
    int32_t sum = multiply(a.row(row), b.row(col), lhs.cols);
    return addSumBiases(epilogue, sum, row, col);
  };
  auto valueAt = [&](int64_t row, int64_t col) {
    float sum = epilogue.hasFloatSums ? multiplyFloat(a, row, b, col)
                                      : static_cast<float>(sumAt(row, col));
    return finishElement(epilogue, sum, row, col);
  };
  if (const auto *format = std::get_if<FloatFormat>(&epilogue.element)) {
    SparseFloatMatrix result{
        makeZeros(pattern, ElementType::pattern()), *format, {}};
    result.values.assign(pattern.stored() * pattern.encoding.vector, 0.0f);
    forEachElement(pattern, lhs.cols,
                   [&](int64_t offset, int64_t row, int64_t col) {
                     uint32_t bits = encodeFloat(valueAt(row, col), *format);
                     result.values[offset] = decodeFloat(bits, *format);
                   });
    return SparseValue(std::move(result));
  }
  auto type = std::get<ElementType>(epilogue.element);
  SRBCRSMatrix result = makeZeros(pattern, type);
  forEachElement(
      pattern, lhs.cols, [&](int64_t offset, int64_t row, int64_t col) {
        int64_t value = type.bits == 32
                            ? sumAt(row, col)
                            : quantizeElement(valueAt(row, col), type);
        type.store(result.values.data(), offset, value);
      });
  return SparseValue(std::move(result));
}

} // namespace mlir::magicube
