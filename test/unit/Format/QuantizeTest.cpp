//===- QuantizeTest.cpp - Tests of the reference of quantization ----------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestUtil.h"

#include "magicube/Format/EvaluateQuantize.h"

#include <cmath>
#include <limits>
#include <random>

using namespace mlir::magicube;
using namespace mlir::magicube::test;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr BroadcastAxis kByRow = BroadcastAxis::Row;

FloatMatrix makeMatrix(int64_t rows, int64_t cols, std::vector<float> data,
                       FloatFormat format = FloatFormat::F32) {
  return {rows, cols, format, std::move(data)};
}

std::vector<int64_t> elements(const DenseMatrix &matrix) {
  std::vector<int64_t> values;
  for (int64_t r = 0; r < matrix.rows; ++r)
    for (int64_t c = 0; c < matrix.cols; ++c)
      values.push_back(matrix.at(r, c));
  return values;
}

using Elements = std::vector<int64_t>;

//===----------------------------------------------------------------------===//
// Computed scales
//===----------------------------------------------------------------------===//

TEST(Quantize, ByRow) {
  auto source = makeMatrix(2, 4, {1, -2, 0.5f, 4, 100, -254, 1, 0});
  Result<QuantizedMatrix> q = quantize(source, 8, kByRow);
  ASSERT_TRUE(bool(q)) << why(q);
  EXPECT_EQ(q->scales.data, (std::vector<float>{4.0f / 127, 2}));
  EXPECT_EQ(q->scales.rows, 2);
  // 100 * 0.5 = 50; 1 * 0.5 is halfway: to the even 0.
  EXPECT_EQ(elements(q->values), (Elements{32, -64, 16, 127, 50, -127, 0, 0}));
}

TEST(Quantize, OneScaleForAll) {
  auto source = makeMatrix(2, 2, {1, -2, 14, -7});
  Result<QuantizedMatrix> q = quantize(source, 4, BroadcastAxis::None);
  ASSERT_TRUE(bool(q)) << why(q);
  EXPECT_EQ(q->scales.data, (std::vector<float>{2}));
  EXPECT_EQ(elements(q->values), (Elements{0, -1, 7, -4})); // -3.5 to even
}

TEST(Quantize, Transposed) {
  auto source = makeMatrix(2, 3, {1, 2, 3, -4, 5, -6});
  for (int bits : {4, 8, 16}) {
    Result<QuantizedMatrix> q = quantize(source, bits, kByRow);
    Result<QuantizedMatrix> t = quantize(source, bits, kByRow, true);
    ASSERT_TRUE(q && t);
    EXPECT_EQ(t->scales.data, q->scales.data);
    for (int64_t r = 0; r < 2; ++r)
      for (int64_t c = 0; c < 3; ++c)
        EXPECT_EQ(q->values.at(r, c), t->values.at(c, r));
  }
}

TEST(Quantize, NotFinite) {
  auto source = makeMatrix(
      3, 3,
      {kInfinity, 2, kNaN, -kInfinity, kInfinity, kNaN, 1e-31f, 0, -0.0f});
  Result<QuantizedMatrix> q = quantize(source, 8, kByRow);
  ASSERT_TRUE(bool(q)) << why(q);
  EXPECT_EQ(q->infinities, 3);
  EXPECT_EQ(q->nans, 2);
  EXPECT_EQ(q->scales.data, (std::vector<float>{2.0f / 127, 1, 1}));
  EXPECT_EQ(elements(q->values), (Elements{127, 127, 0, 0, 0, 0, 0, 0, 0}));
}

/// The ends of f32's range: no scale and no reciprocal leaves it.
TEST(Quantize, Extremes) {
  constexpr float largest = std::numeric_limits<float>::max();
  for (float magnitude : {0x1p-100f, 0x1.fffffep-100f, 1e-20f, largest})
    for (int bits : {4, 8, 16}) {
      int64_t most = (int64_t(1) << (bits - 1)) - 1;
      auto source = makeMatrix(1, 3, {magnitude, -magnitude, magnitude / 4});
      Result<QuantizedMatrix> q = quantize(source, bits, kByRow);
      ASSERT_TRUE(bool(q)) << why(q);
      EXPECT_EQ(q->values.at(0, 0), most);
      EXPECT_EQ(q->values.at(0, 1), -most);
      EXPECT_NEAR(q->values.at(0, 2), most / 4.0, 0.51);
      EXPECT_TRUE(std::isnormal(q->scales.data[0]));
    }
}

/// What is dequantized is within half a unit, and a little for two roundings.
TEST(Quantize, RoundTrip) {
  std::mt19937 random(3);
  std::normal_distribution<float> normal;
  for (int bits : {4, 8, 16}) {
    FloatMatrix source = makeMatrix(7, 33, {});
    for (int64_t i = 0; i < 7 * 33; ++i)
      source.data.push_back(normal(random));
    Result<QuantizedMatrix> q = quantize(source, bits, kByRow);
    ASSERT_TRUE(bool(q)) << why(q);
    Result<FloatMatrix> back =
        dequantize(q->values, q->scales, 0, FloatFormat::F32);
    ASSERT_TRUE(bool(back)) << why(back);
    for (int64_t r = 0; r < 7; ++r)
      for (int64_t c = 0; c < 33; ++c)
        EXPECT_LE(std::fabs(back->at(r, c) - source.at(r, c)),
                  q->scales.data[r] * 0.505f);
  }
}

//===----------------------------------------------------------------------===//
// Given scales
//===----------------------------------------------------------------------===//

TEST(Quantize, ByScales) {
  auto source = makeMatrix(2, 3, {1, 1.5f, -300, kInfinity, -kInfinity, kNaN});
  Result<QuantizedMatrix> q =
      quantizeByScales(source, makeMatrix(1, 1, {0.5f}), {8, false}, 3);
  ASSERT_TRUE(bool(q)) << why(q);
  EXPECT_EQ(elements(q->values), (Elements{5, 6, 0, 255, 0, 3}));
  q = quantizeByScales(source, makeMatrix(2, 1, {0.5f, 1}), {4, true});
  ASSERT_TRUE(bool(q)) << why(q);
  EXPECT_EQ(elements(q->values), (Elements{2, 3, -8, 7, -8, 0}));
  q = quantizeByScales(source, makeMatrix(1, 3, {1, 1, 100}), {16, true}, 0,
                       true);
  ASSERT_TRUE(bool(q)) << why(q);
  EXPECT_EQ(elements(q->values), (Elements{1, 32767, 2, -32768, -3, 0}));
}

/// x / scale is divided, not multiplied by a reciprocal: 5 / 10 is halfway.
TEST(Quantize, Divides) {
  auto source = makeMatrix(1, 2, {5, 15});
  Result<QuantizedMatrix> q =
      quantizeByScales(source, makeMatrix(1, 1, {10}), {8, true});
  ASSERT_TRUE(bool(q)) << why(q);
  EXPECT_EQ(elements(q->values), (Elements{0, 2}));
}

TEST(Quantize, Dequantize) {
  Result<DenseMatrix> values = DenseMatrix::zeros(1, 3, {8, false});
  ASSERT_TRUE(bool(values));
  for (auto [i, value] :
       {std::pair(0, 0), std::pair(1, 128), std::pair(2, 255)})
    values->set(0, i, value);
  Result<FloatMatrix> x =
      dequantize(*values, makeMatrix(1, 1, {0.1f}), 128, FloatFormat::BF16);
  ASSERT_TRUE(bool(x)) << why(x);
  EXPECT_EQ(x->data, (std::vector<float>{-12.8125f, 0, 12.6875f}));
}

TEST(Quantize, Errors) {
  auto source = makeMatrix(2, 3, {1, 2, 3, 4, 5, 6});
  auto one = makeMatrix(1, 1, {1});
  expectError(quantize(source, 12, kByRow), "4, 8 or 16 bits, but got 12");
  expectError(quantize(source, 8, BroadcastAxis::Column), "by column");
  expectError(quantizeByScales(source, one, {32, true}), "but got 32");
  expectError(quantizeByScales(source, one, {4, true}, 8),
              "from -8 to 7 for i4, but got 8");
  expectError(quantizeByScales(source, makeMatrix(3, 1, {1, 1, 1}), {8, true}),
              "1x1, 2x1 or 1x3, but got 3x1");
  for (float scale : {0.0f, -1.0f, kInfinity, kNaN})
    expectError(quantizeByScales(source, makeMatrix(1, 1, {scale}), {8, true}),
                "finite and above 0");
}

} // namespace
