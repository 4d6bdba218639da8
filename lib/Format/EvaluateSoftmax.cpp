//===- EvaluateSoftmax.cpp - The reference of a sparse softmax ------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Row by row: distances from the maximum, then one of two functions of them.
// Assignments round, nothing is fused but std::fma.
//
//===----------------------------------------------------------------------===//

#include "magicube/Format/EvaluateSoftmax.h"

#include "Message.h"
#include "StoredVectors.h"

#include <cmath>
#include <limits>

namespace mlir::magicube {

//===----------------------------------------------------------------------===//
// Functions of one number
//===----------------------------------------------------------------------===//

float getDecay(const Exp2Chain &chain, float scale) {
  float octaves = scale * kLog2E;
  float decay = chain.slope * octaves;
  if (!(decay > 0) || std::isinf(decay))
    return decay;
  // The leading bit of `decay` weighs 2^(exponent - 1).
  int exponent = 0;
  std::frexp(decay, &exponent);
  double grain = std::ldexp(1.0, std::max(exponent - kDecayBits, kDecayGrain));
  return static_cast<float>(std::rint(decay / grain) * grain);
}

/// To [0, 1]; a NaN becomes 0.
static float saturate(float value) {
  if (!(value > 0))
    return 0;
  return value < 1 ? value : 1.0f;
}

uint32_t evaluateChain(const Exp2Chain &chain, float decay, float distance) {
  constexpr int mantissaBits = 23;
  float u = saturate(std::fma(distance, decay, chain.offset));
  for (int i = 0; i < chain.addendCount; ++i)
    u = std::fma(u, u, chain.addends[i]);
  // The last bits of a number from this one on count units of 2^-bits.
  float base = std::ldexp(1.0f, mantissaBits - chain.bits);
  float sum = std::fma(u, u, base);
  uint32_t bits = encodeFloat(sum, FloatFormat::F32);
  return bits & ((uint32_t(1) << chain.bits) - 1);
}

float referenceExp2(float y) {
  if (!(y >= kExp2Least))
    return 0;
  float rounded = y + kFloatRounder;
  float integer = rounded - kFloatRounder;
  float fraction = y - integer;
  float value = kExp2Power[6];
  for (int i = 5; i >= 0; --i)
    value = std::fma(value, fraction, kExp2Power[i]);
  return std::ldexp(value, static_cast<int>(integer));
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// The matrix that says where the scores are.
static const SRBCRSMatrix &getPattern(const SparseValue &scores) {
  if (const auto *floats = std::get_if<SparseFloatMatrix>(&scores))
    return floats->pattern;
  return std::get<SRBCRSMatrix>(scores);
}

static Status checkValues(const SparseFloatMatrix &matrix, const char *what) {
  if (Status s = checkNatural(matrix.pattern, what); !s)
    return s;
  auto count = static_cast<int64_t>(matrix.values.size());
  int64_t expected = matrix.pattern.stored() * matrix.pattern.encoding.vector;
  if (count == expected)
    return {};
  return Error{
      message("expected ", expected, " values of ", what, ", but got ", count)};
}

static bool hasSamePositions(const SRBCRSMatrix &lhs, const SRBCRSMatrix &rhs) {
  if (lhs.rows != rhs.rows || lhs.cols != rhs.cols ||
      lhs.encoding != rhs.encoding || lhs.pointers != rhs.pointers ||
      lhs.stored() != rhs.stored())
    return false;
  for (int64_t p = 0; p < lhs.stored(); ++p)
    if (lhs.indices[p] != rhs.indices[p])
      return false;
  return true;
}

static Status checkScores(const SparseValue &scores) {
  if (const auto *floats = std::get_if<SparseFloatMatrix>(&scores)) {
    if (floats->format == FloatFormat::BF16)
      return Error{"expected scores of i32, f32 or f16, but got bf16"};
    return checkValues(*floats, "scores");
  }
  const auto &integers = std::get<SRBCRSMatrix>(scores);
  if (integers.type != ElementType{32, /*isSigned=*/true})
    return Error{message("expected scores of i32, f32 or f16, but got ",
                         integers.type.name())};
  return checkNatural(integers, "scores");
}

static Status checkScale(const SoftmaxOperands &operands) {
  bool isFloat = std::holds_alternative<SparseFloatMatrix>(operands.scores);
  if (!operands.scale)
    return isFloat ? Status()
                   : Error{"expected a scale for scores of i32",
                           "give what a unit of a score counts"};
  const FloatMatrix &scale = *operands.scale;
  int64_t rows = getPattern(operands.scores).rows;
  if (scale.cols != 1 || (scale.rows != 1 && scale.rows != rows))
    return Error{message("expected a scale of 1x1 or ", rows, "x1, but got ",
                         scale.rows, "x", scale.cols)};
  for (int64_t row = 0; row < scale.rows; ++row) {
    float octaves = scale.at(row, 0) * kLog2E;
    if (!(octaves >= 0) || std::isinf(octaves))
      return Error{message(
          "expected a scale from 0 to ",
          std::to_string(std::numeric_limits<float>::max() / kLog2E),
          ", but got ", std::to_string(scale.at(row, 0)), " in row ", row)};
  }
  return {};
}

static Status checkMask(const SoftmaxOperands &operands) {
  if (!operands.mask)
    return {};
  if (!std::holds_alternative<SparseFloatMatrix>(operands.scores))
    return Error{"expected no mask for scores of i32",
                 "leave what is masked out of the pattern"};
  if (Status s = checkValues(*operands.mask, "the mask"); !s)
    return s;
  if (hasSamePositions(operands.mask->pattern, getPattern(operands.scores)))
    return {};
  return Error{"expected a mask with the pointers and indices of the scores",
               "give its values in the order of the scores'"};
}

static Status check(const SoftmaxOperands &operands) {
  if (Status s = checkScores(operands.scores); !s)
    return s;
  if (Status s = checkScale(operands); !s)
    return s;
  return checkMask(operands);
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

namespace {

/// A row's entries: where each lies, and its distance from the maximum.
struct ScoreRow {
  int64_t row = 0;
  std::vector<int64_t> offsets;
  std::vector<float> distances;
};

} // namespace

static void fillDistances(const SRBCRSMatrix &scores, ScoreRow &row) {
  auto at = [&](int64_t offset) {
    return scores.type.load(scores.values.data(), offset);
  };
  int64_t maximum = std::numeric_limits<int32_t>::min();
  for (int64_t offset : row.offsets)
    maximum = std::max(maximum, at(offset));
  for (int64_t offset : row.offsets)
    row.distances.push_back(static_cast<float>(at(offset) - maximum));
}

static void fillDistances(const SparseFloatMatrix &scores,
                          const SparseFloatMatrix *mask, ScoreRow &row) {
  constexpr float highest = std::numeric_limits<float>::max();
  float maximum = -std::numeric_limits<float>::infinity();
  for (int64_t offset : row.offsets) {
    float value = scores.values[offset];
    if (mask)
      value = value + mask->values[offset];
    if (value > highest)
      value = highest;
    // A NaN is above nothing.
    if (value > maximum)
      maximum = value;
    row.distances.push_back(value);
  }
  // A NaN where all are -inf.
  for (float &distance : row.distances)
    distance = distance - maximum;
}

/// Calls visit(row) for each row of the matrix, vector-rows at once.
template <typename Visitor>
static void forEachRow(const SoftmaxOperands &operands, Visitor visit) {
  const SRBCRSMatrix &pattern = getPattern(operands.scores);
  StorageLayout layout = *pattern.layout();
  int64_t vector = pattern.encoding.vector;
  constexpr int64_t operationsPerEntry = 16;
  int64_t work = pattern.vectors * vector * operationsPerEntry;
  forEachVectorRow(pattern, work, [&](int64_t r) {
    for (int64_t v = 0; v < vector; ++v) {
      ScoreRow row{r * vector + v, {}, {}};
      forEachVector(pattern, r, [&](int64_t p) {
        row.offsets.push_back(layout.valueOffset(p, v));
      });
      if (const auto *floats = std::get_if<SparseFloatMatrix>(&operands.scores))
        fillDistances(*floats, operands.mask, row);
      else
        fillDistances(std::get<SRBCRSMatrix>(operands.scores), row);
      visit(row);
    }
  });
}

static float getScale(const SoftmaxOperands &operands, int64_t row) {
  if (!operands.scale)
    return 1;
  return operands.scale->at(operands.scale->rows == 1 ? 0 : row, 0);
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// L must fit 32 bits.
static Status checkRowLengths(const SRBCRSMatrix &pattern, int bits) {
  int64_t limit =
      std::numeric_limits<uint32_t>::max() / ((int64_t(1) << bits) - 1);
  for (int64_t r = 0; r < pattern.vectorRows(); ++r) {
    int64_t length = 0;
    forEachVector(pattern, r, [&](int64_t) { ++length; });
    if (length > limit)
      return Error{message("expected at most ", limit,
                           " entries in a row, whose values of ", bits,
                           " bits are summed in 32, but got ", length,
                           " in row ", r * pattern.encoding.vector),
                   "choose values of fewer bits"};
  }
  return {};
}

Result<QuantizedSoftmax>
evaluateQuantizedSoftmax(const SoftmaxOperands &operands, int bits,
                         float valueScale) {
  const Exp2Chain *chain = findExp2Chain(bits);
  if (!chain)
    return Error{message("expected values of 4, 8 or 16 bits, but got ", bits)};
  if (Status s = check(operands); !s)
    return s.error();
  const SRBCRSMatrix &pattern = getPattern(operands.scores);
  if (Status s = checkRowLengths(pattern, bits); !s)
    return s.error();
  ElementType type{bits, /*isSigned=*/false};
  QuantizedSoftmax result{makeZeros(pattern, type),
                          {pattern.rows, 1, FloatFormat::F32, {}}};
  result.factors.data.assign(pattern.rows, 0.0f);
  forEachRow(operands, [&](const ScoreRow &row) {
    float decay = getDecay(*chain, getScale(operands, row.row));
    uint32_t sum = 0;
    for (size_t i = 0; i < row.offsets.size(); ++i) {
      uint32_t q = evaluateChain(*chain, decay, row.distances[i]);
      type.store(result.values.values.data(), row.offsets[i], q);
      sum += q;
    }
    if (sum > 0)
      result.factors.data[row.row] = valueScale / static_cast<float>(sum);
  });
  return result;
}

Result<SparseFloatMatrix> evaluateFloatSoftmax(const SoftmaxOperands &operands,
                                               FloatFormat format) {
  if (format == FloatFormat::BF16)
    return Error{"expected a result of f32 or f16, but got bf16"};
  if (Status s = check(operands); !s)
    return s.error();
  const SRBCRSMatrix &pattern = getPattern(operands.scores);
  constexpr double one = int64_t(1) << kPowerSumBits;
  SparseFloatMatrix result{
      makeZeros(pattern, ElementType::pattern()), format, {}};
  result.values.assign(pattern.stored() * pattern.encoding.vector, 0.0f);
  forEachRow(operands, [&](const ScoreRow &row) {
    float octaves = getScale(operands, row.row) * kLog2E;
    std::vector<float> powers;
    uint64_t sum = 0;
    for (float distance : row.distances) {
      float exponent = distance * octaves;
      powers.push_back(referenceExp2(exponent));
      // In double the product is exact, whatever the power is.
      sum += static_cast<uint64_t>(std::rint(powers.back() * one));
    }
    float total = static_cast<float>(sum) / static_cast<float>(one);
    for (size_t i = 0; sum > 0 && i < row.offsets.size(); ++i) {
      float value = powers[i] / total;
      result.values[row.offsets[i]] =
          decodeFloat(encodeFloat(value, format), format);
    }
  });
  return result;
}

} // namespace mlir::magicube
