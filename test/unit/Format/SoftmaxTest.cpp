//===- SoftmaxTest.cpp - Unit tests of the sparse softmax -----------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions against exp2 in double, with the bounds that they promise; the
// operation against exp in double, by hand, and against itself in other orders.
//
//===----------------------------------------------------------------------===//

#include "magicube/Format/EvaluateSoftmax.h"

#include "TestUtil.h"
#include "magicube/Format/Packer.h"

#include "gtest/gtest.h"

#include <cmath>
#include <limits>

using namespace mlir::magicube;
using namespace mlir::magicube::test;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr int widths[] = {4, 8, 16};

float fromBits(uint32_t bits) { return decodeFloat(bits, FloatFormat::F32); }
uint32_t toBits(float value) { return encodeFloat(value, FloatFormat::F32); }

/// By how much the chain differs from the exact value, in units of q.
double chainError(int bits) {
  return bits == 4 ? 0.081 : bits == 8 ? 0.080 : 0.22;
}

//===----------------------------------------------------------------------===//
// Functions of one number
//===----------------------------------------------------------------------===//

TEST(Softmax, ChainIsNearTheExactValueAndMonotone) {
  for (int bits : widths) {
    const Exp2Chain &chain = *findExp2Chain(bits);
    double full = std::ldexp(1.0, bits) - 1;
    uint32_t previous = 0;
    // From -20 up to -0, a sample of the floats.
    for (uint32_t pattern = toBits(-20.0f); pattern >= 0x80000000u;
         pattern -= 1009) {
      float y = fromBits(pattern);
      uint32_t q = evaluateChain(chain, chain.slope, y);
      ASSERT_GE(q, previous) << bits << " bits at " << y;
      ASSERT_NEAR(q, full * std::exp2(double(y)), 0.5 + chainError(bits))
          << bits << " bits at " << y;
      previous = q;
    }
    EXPECT_EQ(evaluateChain(chain, chain.slope, 0.0f), full);
    EXPECT_EQ(evaluateChain(chain, chain.slope, -0.0f), full);
    for (float far : {-20.0f, -1e3f, -1e30f, -infinity, nan})
      EXPECT_EQ(evaluateChain(chain, chain.slope, far), 0u) << far;
    // All distances count alike, but for what is masked.
    EXPECT_EQ(evaluateChain(chain, 0.0f, -1e9f), full);
    EXPECT_EQ(evaluateChain(chain, 0.0f, -infinity), 0u);
  }
  EXPECT_EQ(findExp2Chain(12), nullptr);
}

TEST(Softmax, DecayHasFewBits) {
  constexpr double log2E = 1.4426950408889634;
  for (int bits : widths) {
    const Exp2Chain &chain = *findExp2Chain(bits);
    EXPECT_EQ(getDecay(chain, 0.0f), 0.0f);
    for (int i = 0; i < 20000; ++i) {
      double exponent = double(splitMix64(bits, i) >> 11) * 0x1p-53 * 60 - 50;
      auto scale = static_cast<float>(std::exp2(exponent));
      float decay = getDecay(chain, scale);
      double exact = double(chain.slope) * scale * log2E;
      EXPECT_NEAR(decay, exact, exact * 0x1p-21 + 0x1p-47);
      EXPECT_EQ(toBits(decay) & 3, 0u) << scale;
      double grains = std::ldexp(decay, 46);
      EXPECT_EQ(grains, std::rint(grains)) << scale;
    }
  }
}

/// What kernels do: the accumulator of the scores starts at the bits of
/// 1.5 * 2^23 less the maximum, so that its bits are a float, of which the fma
/// takes 1.5 * 2^23 off again.
TEST(Softmax, DistancesMayCarryTheMagicNumber) {
  constexpr float magic = 12582912.0f;
  struct {
    int bits;
    double octaves;
  } limits[] = {{4, 1.7}, {8, 1.4}, {16, 1.2}};
  for (auto [bits, octaves] : limits) {
    const Exp2Chain &chain = *findExp2Chain(bits);
    for (int i = 0; i < 2000; ++i) {
      double exponent = double(splitMix64(bits, i) >> 11) * 0x1p-53 * 40;
      auto scale = static_cast<float>(octaves * 0.693 * std::exp2(-exponent));
      float decay = getDecay(chain, scale);
      double exact = double(chain.offset) - double(magic) * double(decay);
      auto offset = static_cast<float>(exact);
      ASSERT_EQ(double(offset), exact) << bits << " bits, scale " << scale;
      Exp2Chain fused = chain;
      fused.offset = offset;
      for (uint64_t j = 0; j < 64; ++j) {
        auto t = -float(splitMix64(i, j) % (j % 2 ? 200 : 1 << 22));
        EXPECT_EQ(evaluateChain(fused, decay, magic + t),
                  evaluateChain(chain, decay, t));
      }
    }
  }
}

TEST(Softmax, Exp2IsNearTheExactValue) {
  EXPECT_EQ(referenceExp2(0.0f), 1.0f);
  EXPECT_EQ(referenceExp2(-0.0f), 1.0f);
  EXPECT_EQ(referenceExp2(-126.0f), std::ldexp(1.0f, -126));
  for (float far : {-126.00001f, -1e30f, -infinity, nan})
    EXPECT_EQ(referenceExp2(far), 0.0f);
  for (uint32_t pattern = toBits(-126.0f); pattern >= 0x80000000u;
       pattern -= 1009) {
    float y = fromBits(pattern);
    double exact = std::exp2(double(y)), value = referenceExp2(y);
    ASSERT_LE(std::fabs(value / exact - 1), 7.9e-8) << y;
    ASSERT_LE(value, 1.0) << y;
  }
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// A pattern of rows of every kind: empty, full, one vector, some.
CsrMatrix makeVectors(int64_t vectorRows, int64_t cols) {
  CsrMatrix vectors;
  vectors.rows = vectorRows;
  vectors.cols = cols;
  vectors.offset = {0};
  for (int64_t row = 0; row < vectorRows; ++row) {
    for (int64_t col = 0; col < cols; ++col)
      if (row % 4 == 1 || (row % 4 == 2 && col == cols / 2) ||
          (row % 4 == 3 && splitMix64(row, col) % 3 == 0))
        vectors.col.push_back(static_cast<int32_t>(col));
    vectors.offset.push_back(vectors.entries());
  }
  return vectors;
}

/// Scores from `score(entry number, component)`.
SRBCRSMatrix makeScores(const CsrMatrix &vectors,
                        const SRBCRSEncoding &encoding,
                        const ValueSource &score) {
  return *packPattern(vectors, ElementType{32, true}, encoding, score);
}

/// Scores of floats whose bits are those of a matrix of i32.
SparseFloatMatrix toFloats(const SRBCRSMatrix &bits, FloatFormat format) {
  SparseFloatMatrix floats{bits, format, {}};
  floats.pattern.type = ElementType::pattern();
  floats.pattern.values.clear();
  for (int64_t i = 0; i < bits.stored() * bits.encoding.vector; ++i)
    floats.values.push_back(
        fromBits(uint32_t(bits.type.load(bits.values.data(), i))));
  return floats;
}
SRBCRSMatrix toInts(const SparseFloatMatrix &floats) {
  SRBCRSMatrix bits = floats.pattern;
  bits.type = ElementType{32, true};
  bits.values.resize(floats.values.size() * 4);
  memcpy(bits.values.data(), floats.values.data(), bits.values.size());
  return bits;
}

/// Elements by row and column, one list a row; columns ascend. Padding must be
/// zero.
using Rows = std::vector<std::map<int64_t, int64_t>>;
Rows toRows(const SRBCRSMatrix &matrix) {
  Rows rows(matrix.rows);
  StorageLayout layout = *matrix.layout();
  int64_t v = matrix.encoding.vector;
  for (int64_t r = 0; r < matrix.vectorRows(); ++r) {
    int64_t start = matrix.pointers[2 * r], end = matrix.pointers[2 * r + 1];
    for (int64_t p = start;
         p < start + matrix.encoding.paddedCount(end - start); ++p)
      for (int64_t i = 0; i < v; ++i) {
        int64_t value =
            matrix.type.load(matrix.values.data(), layout.valueOffset(p, i));
        if (p < end)
          rows[r * v + i][matrix.indices[p]] = value;
        else
          EXPECT_EQ(value, 0);
      }
  }
  return rows;
}

FloatMatrix makeNumber(float value) {
  return {1, 1, FloatFormat::F32, {value}};
}

/// Scores of one row of V = 1.
SparseValue makeRow(const std::vector<float> &scores) {
  CsrMatrix vectors;
  vectors.rows = 1;
  vectors.cols = std::max<int64_t>(1, int64_t(scores.size()));
  vectors.offset = {0, int64_t(scores.size())};
  for (size_t i = 0; i < scores.size(); ++i)
    vectors.col.push_back(int32_t(i));
  return toFloats(makeScores(vectors, SRBCRSEncoding{1, 8},
                             [&](int64_t entry, int64_t) {
                               return int32_t(toBits(scores[entry]));
                             }),
                  FloatFormat::F32);
}

std::vector<float> softmaxOfRow(const std::vector<float> &scores,
                                const std::vector<float> &mask = {}) {
  SparseValue operand = makeRow(scores), masks = makeRow(mask);
  SoftmaxOperands operands{operand};
  if (!mask.empty())
    operands.mask = &std::get<SparseFloatMatrix>(masks);
  Result<SparseFloatMatrix> result =
      evaluateFloatSoftmax(operands, FloatFormat::F32);
  EXPECT_TRUE(bool(result)) << why(result);
  std::vector<float> values = result->values;
  for (size_t i = scores.size(); i < values.size(); ++i)
    EXPECT_EQ(toBits(values[i]), 0u);
  values.resize(scores.size());
  return values;
}

//===----------------------------------------------------------------------===//
// By hand
//===----------------------------------------------------------------------===//

using Floats = std::vector<float>;

TEST(Softmax, FloatsByHand) {
  EXPECT_EQ(softmaxOfRow({}), Floats());
  EXPECT_EQ(softmaxOfRow({-3}), Floats({1}));
  EXPECT_EQ(softmaxOfRow({7, 7}), Floats({0.5, 0.5}));
  EXPECT_EQ(softmaxOfRow({5, -infinity, 5, 5, 5}),
            Floats({0.25, 0, 0.25, 0.25, 0.25}));
  EXPECT_EQ(softmaxOfRow({0, -1e30f}), Floats({1, 0}));
  EXPECT_EQ(softmaxOfRow({-infinity, -infinity}), Floats({0, 0}));
  // The largest float stands for infinity.
  EXPECT_EQ(softmaxOfRow({infinity, 1, infinity}), Floats({0.5, 0, 0.5}));
  EXPECT_EQ(softmaxOfRow({nan, 1, 1}), Floats({0, 0.5, 0.5}));
  EXPECT_EQ(softmaxOfRow({nan, nan}), Floats({0, 0}));
  EXPECT_EQ(softmaxOfRow({1, 2, 3}, {1, 0, -infinity}), Floats({0.5, 0.5, 0}));
  EXPECT_EQ(softmaxOfRow({infinity, 2}, {-infinity, 0}), Floats({0, 1}));
}

TEST(Softmax, IntegersByHand) {
  // Rows: 4 4 | 10 10 - 2 octaves | one entry | none, for V = 1.
  CsrMatrix vectors;
  vectors.rows = 4;
  vectors.cols = 2;
  vectors.offset = {0, 2, 4, 5, 5};
  vectors.col = {0, 1, 0, 1, 1};
  int32_t scores[] = {4, 4, 10, 8, -2147483648};
  SparseValue operand =
      makeScores(vectors, SRBCRSEncoding{1, 8},
                 [&](int64_t entry, int64_t) { return scores[entry]; });
  FloatMatrix scale = makeNumber(0.6931472f);
  Result<QuantizedSoftmax> result =
      evaluateQuantizedSoftmax({operand, &scale}, 8, 3.0f);
  ASSERT_TRUE(bool(result)) << why(result);
  ASSERT_TRUE(bool(result->values.validate()));
  EXPECT_EQ(result->values.type, (ElementType{8, false}));
  Rows expected = {{{0, 255}, {1, 255}}, {{0, 255}, {1, 64}}, {{1, 255}}, {}};
  EXPECT_EQ(toRows(result->values), expected);
  EXPECT_EQ(result->factors.data,
            Floats({3.0f / 510, 3.0f / 319, 3.0f / 255, 0}));
}

/// The whole range of i32 in a row.
TEST(Softmax, ExtremeScores) {
  CsrMatrix vectors = randomPattern(1, 3, 1, 0);
  int64_t scores[] = {2147483647, -2147483648, 2147483646};
  SparseValue operand =
      makeScores(vectors, SRBCRSEncoding{1, 8},
                 [&](int64_t entry, int64_t) { return scores[entry]; });
  for (float factor : {0.0f, 1e-10f, 1.0f, 1e30f}) {
    FloatMatrix scale = makeNumber(factor);
    Result<QuantizedSoftmax> result =
        evaluateQuantizedSoftmax({operand, &scale}, 16);
    ASSERT_TRUE(bool(result)) << why(result);
    Rows rows = toRows(result->values);
    EXPECT_EQ(rows[0][0], 65535);
    // What the decay stands for: of a tiny scale it has few bits.
    const Exp2Chain &chain = *findExp2Chain(16);
    double octaves = double(getDecay(chain, factor)) / double(chain.slope);
    double far = 65535 * std::exp2(-octaves * 4294967295.0);
    EXPECT_NEAR(double(rows[0][1]), far, 0.8);
    EXPECT_NEAR(double(rows[0][2]), 65535 * std::exp(-double(factor)), 0.8);
  }
}

//===----------------------------------------------------------------------===//
// Against double
//===----------------------------------------------------------------------===//

/// Integer scores of a few octaves' range.
int64_t score(int64_t entry, int64_t v) {
  return int64_t(splitMix64(entry, v) % 40001) - 20000;
}

TEST(Softmax, IntegersAgainstDouble) {
  for (int64_t v : kVectorLengths)
    for (int bits : widths)
      for (bool perRow : {false, true}) {
        CsrMatrix vectors = makeVectors(8, 77);
        SRBCRSMatrix scores = makeScores(vectors, SRBCRSEncoding{v}, score);
        SparseValue operand = scores;
        FloatMatrix scale{perRow ? 8 * v : 1, 1, FloatFormat::F32, {}};
        for (int64_t row = 0; row < scale.rows; ++row)
          scale.data.push_back(2e-4f / float(row + 1));
        Result<QuantizedSoftmax> result =
            evaluateQuantizedSoftmax({operand, &scale}, bits, 0.5f);
        ASSERT_TRUE(bool(result)) << why(result);
        ASSERT_TRUE(bool(result->values.validate()));
        Rows in = toRows(scores), out = toRows(result->values);
        for (int64_t row = 0; row < scores.rows; ++row) {
          double sum = 0, factor = scale.data[perRow ? row : 0];
          int64_t maximum = -2147483648, total = 0;
          for (auto [col, s] : in[row])
            maximum = std::max(maximum, s);
          for (auto [col, s] : in[row]) {
            sum += std::exp(factor * double(s - maximum));
            total += out[row][col];
          }
          EXPECT_EQ(result->factors.at(row, 0),
                    total ? 0.5f / float(total) : 0.0f);
          ASSERT_EQ(in[row].size(), out[row].size());
          for (auto [col, s] : in[row]) {
            double p = std::exp(factor * double(s - maximum)) / sum;
            double actual = double(out[row][col]) / double(total);
            // An error of d in each q is one of d (1 + n p) / L.
            double d = 0.5 + chainError(bits) + 0.03;
            double n = double(in[row].size());
            EXPECT_NEAR(actual, p, d * (1 + n * p) / double(total));
          }
        }
      }
}

TEST(Softmax, FloatsAgainstDouble) {
  for (int64_t v : {1, 8, 16})
    for (FloatFormat format : {FloatFormat::F32, FloatFormat::F16})
      for (bool isInteger : {false, true}) {
        CsrMatrix vectors = makeVectors(8, 77);
        SRBCRSMatrix scores = makeScores(
            vectors, SRBCRSEncoding{v}, [&](int64_t entry, int64_t i) {
              return isInteger ? score(entry, i)
                               : int32_t(toBits(float(score(entry, i))));
            });
        SparseValue operand = scores;
        if (!isInteger)
          operand = toFloats(scores, FloatFormat::F32);
        FloatMatrix scale = makeNumber(3e-4f);
        Result<SparseFloatMatrix> result =
            evaluateFloatSoftmax({operand, &scale}, format);
        ASSERT_TRUE(bool(result)) << why(result);
        EXPECT_EQ(result->format, format);
        Rows in = toRows(scores), out = toRows(toInts(*result));
        for (int64_t row = 0; row < scores.rows; ++row) {
          auto value = [&](int64_t s) {
            return isInteger ? double(s) : double(fromBits(uint32_t(s)));
          };
          double sum = 0, maximum = -1e30;
          for (auto [col, s] : in[row])
            maximum = std::max(maximum, value(s));
          for (auto [col, s] : in[row])
            sum += std::exp(double(scale.data[0]) * (value(s) - maximum));
          for (auto [col, s] : in[row]) {
            double t = double(scale.data[0]) * (value(s) - maximum);
            double p = std::exp(t) / sum;
            // exp2, the division and L; the exponent's roundings; the format.
            double bound = 2e-7 - t * 0x1p-22;
            if (format == FloatFormat::F16)
              bound += 0x1p-11 + 0x1p-25 / p;
            EXPECT_NEAR(fromBits(uint32_t(out[row][col])), p, p * bound);
          }
        }
      }
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

TEST(Softmax, OrderDoesNotMatter) {
  FloatMatrix scale = makeNumber(3e-4f);
  for (int64_t v : kVectorLengths) {
    SRBCRSMatrix scores =
        makeScores(makeVectors(8, 77), SRBCRSEncoding{v}, score);
    SRBCRSMatrix bits = makeScores(
        makeVectors(8, 77), SRBCRSEncoding{v}, [&](int64_t entry, int64_t i) {
          return int32_t(toBits(float(score(entry, i)) / 7));
        });
    auto evaluate = [&](uint64_t seed) {
      SRBCRSMatrix integers = scores, floats = bits;
      if (seed) {
        EXPECT_TRUE(bool(shuffleVectors(integers, seed)));
        EXPECT_TRUE(bool(shuffleVectors(floats, seed + 1)));
      }
      SparseValue first = integers, second = toFloats(floats, FloatFormat::F32);
      std::vector<Rows> results;
      for (const SparseValue *operand : {&first, &second}) {
        for (int width : widths) {
          Result<QuantizedSoftmax> result =
              evaluateQuantizedSoftmax({*operand, &scale}, width);
          EXPECT_TRUE(bool(result)) << why(result);
          results.push_back(toRows(result->values));
          Rows factors(1);
          for (int64_t row = 0; row < result->factors.rows; ++row)
            factors[0][row] = toBits(result->factors.at(row, 0));
          results.push_back(factors);
        }
        Result<SparseFloatMatrix> result =
            evaluateFloatSoftmax({*operand, &scale}, FloatFormat::F32);
        EXPECT_TRUE(bool(result)) << why(result);
        results.push_back(toRows(toInts(*result)));
      }
      return results;
    };
    std::vector<Rows> natural = evaluate(0);
    EXPECT_EQ(evaluate(5), natural);
    EXPECT_EQ(evaluate(9), natural);
  }
}

/// Enough entries for several threads.
TEST(Softmax, ThreadsDoNotMatter) {
  CsrMatrix vectors = randomPattern(64, 2000, 0.9, 1);
  SRBCRSMatrix scores = makeScores(vectors, SRBCRSEncoding{8}, score);
  SparseValue operand = scores;
  FloatMatrix scale = makeNumber(3e-4f);
  Result<QuantizedSoftmax> all = evaluateQuantizedSoftmax({operand, &scale}, 4);
  ASSERT_TRUE(bool(all)) << why(all);
  for (int64_t row : {0, 63}) {
    CsrMatrix one = vectors;
    one.rows = 1;
    one.offset = {0, vectors.offset[row + 1] - vectors.offset[row]};
    one.col.assign(vectors.col.begin() + vectors.offset[row],
                   vectors.col.begin() + vectors.offset[row + 1]);
    SparseValue part =
        makeScores(one, SRBCRSEncoding{8}, [&](int64_t entry, int64_t v) {
          return score(vectors.offset[row] + entry, v);
        });
    Result<QuantizedSoftmax> alone =
        evaluateQuantizedSoftmax({part, &scale}, 4);
    ASSERT_TRUE(bool(alone)) << why(alone);
    Rows rows = toRows(all->values);
    EXPECT_EQ(Rows(rows.begin() + row * 8, rows.begin() + row * 8 + 8),
              toRows(alone->values));
  }
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

TEST(Softmax, ErrorsNameLimitAndValue) {
  SparseValue integers =
      makeScores(makeVectors(4, 9), SRBCRSEncoding{2}, score);
  SparseValue floats =
      toFloats(std::get<SRBCRSMatrix>(integers), FloatFormat::F32);
  FloatMatrix scale = makeNumber(1);
  expectError(evaluateQuantizedSoftmax({integers}, 8),
              "expected a scale for scores of i32");
  expectError(evaluateQuantizedSoftmax({integers, &scale}, 12),
              "expected values of 4, 8 or 16 bits, but got 12");
  for (auto [value, text] :
       {std::pair(-1.0f, "-1.0"), {infinity, "inf"}, {nan, "nan"}}) {
    FloatMatrix bad{8, 1, FloatFormat::F32, Floats(8, 1.0f)};
    bad.data[5] = value;
    expectError(evaluateFloatSoftmax({floats, &bad}, FloatFormat::F32),
                std::string("but got ") + text);
    expectError(evaluateFloatSoftmax({floats, &bad}, FloatFormat::F32),
                "in row 5");
  }
  FloatMatrix wide{1, 8, FloatFormat::F32, Floats(8, 1.0f)};
  expectError(evaluateFloatSoftmax({floats, &wide}, FloatFormat::F32),
              "expected a scale of 1x1 or 8x1, but got 1x8");
  expectError(evaluateFloatSoftmax({floats}, FloatFormat::BF16),
              "expected a result of f32 or f16, but got bf16");
  SparseFloatMatrix bf16 = std::get<SparseFloatMatrix>(floats);
  bf16.format = FloatFormat::BF16;
  expectError(evaluateFloatSoftmax({SparseValue(bf16)}, FloatFormat::F32),
              "expected scores of i32, f32 or f16, but got bf16");
  SRBCRSMatrix bytes =
      *packPattern(makeVectors(4, 9), ElementType{8, true}, SRBCRSEncoding{2},
                   [](int64_t, int64_t) { return 1; });
  expectError(evaluateQuantizedSoftmax({SparseValue(bytes), &scale}, 8),
              "expected scores of i32, f32 or f16, but got i8");

  SparseFloatMatrix mask = std::get<SparseFloatMatrix>(floats);
  expectError(evaluateQuantizedSoftmax({integers, &scale, &mask}, 8),
              "expected no mask for scores of i32");
  mask.values.pop_back();
  expectError(evaluateFloatSoftmax({floats, nullptr, &mask}, FloatFormat::F32),
              "values of the mask, but got");
  mask = toFloats(makeScores(makeVectors(4, 8), SRBCRSEncoding{2}, score),
                  FloatFormat::F32);
  expectError(evaluateFloatSoftmax({floats, nullptr, &mask}, FloatFormat::F32),
              "expected a mask with the pointers and indices of the scores");
  SRBCRSEncoding encoding{2};
  encoding.order = VectorOrder::BankAware;
  SparseValue bankAware = makeScores(makeVectors(4, 9), encoding, score);
  expectError(evaluateQuantizedSoftmax({bankAware, &scale}, 8),
              "expected scores in natural order, but got order = bank_aware");
}

/// 65537 values of 16 bits fit 32 bits, one more may not.
TEST(Softmax, RowsHaveALimit) {
  FloatMatrix scale = makeNumber(0);
  for (int64_t cols : {65537, 65538}) {
    SparseValue scores =
        makeScores(randomPattern(1, cols, 1, 0), SRBCRSEncoding{1},
                   [](int64_t, int64_t) { return 3; });
    Result<QuantizedSoftmax> result =
        evaluateQuantizedSoftmax({scores, &scale}, 16);
    if (cols == 65538)
      expectError(result, "expected at most 65537 entries in a row, whose "
                          "values of 16 bits are summed in 32, but got 65538");
    else
      EXPECT_EQ(result->factors.at(0, 0), 1.0f / 4294967295.0f);
    EXPECT_TRUE(bool(evaluateQuantizedSoftmax({scores, &scale}, 8)));
  }
}

} // namespace
