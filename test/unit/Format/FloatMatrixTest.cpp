//===- FloatMatrixTest.cpp - Floats of 16 and 32 bits ---------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rounding against the compiler's own 16-bit floats, arrays, comparison.
//
//===----------------------------------------------------------------------===//

#include "TestUtil.h"

#include "magicube/Format/FloatMatrix.h"
#include "magicube/Format/Random.h"

#include <cmath>
#include <cstring>
#include <limits>

using namespace mlir::magicube;
using namespace mlir::magicube::test;

namespace {

/// binary16 as clang rounds to it.
uint32_t nativeHalf(float value) {
  _Float16 half = static_cast<_Float16>(value);
  uint16_t bits;
  std::memcpy(&bits, &half, sizeof(bits));
  return bits;
}

float randomFloat(uint64_t i) {
  uint32_t bits = static_cast<uint32_t>(splitMix64(1, i));
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

TEST(FloatMatrix, HalfRoundsAsTheCompilerDoes) {
  for (uint64_t i = 0; i < 200000; ++i) {
    float value = randomFloat(i);
    if (std::isnan(value))
      continue;
    // Random exponents seldom hit the range of 16 bits; fold them into it.
    int exponent;
    float folded = std::ldexp(std::frexp(value, &exponent), exponent % 32);
    for (float x : {value, folded})
      ASSERT_EQ(encodeFloat(x, FloatFormat::F16), nativeHalf(x)) << x;
  }
}

TEST(FloatMatrix, EveryHalfSurvivesTheRoundTrip) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits)
    for (FloatFormat format : {FloatFormat::F16, FloatFormat::BF16}) {
      float value = decodeFloat(bits, format);
      if (!std::isnan(value))
        ASSERT_EQ(encodeFloat(value, format), bits);
      else
        ASSERT_TRUE(
            std::isnan(decodeFloat(encodeFloat(value, format), format)));
    }
}

TEST(FloatMatrix, BrainFloatRoundsToNearestEven) {
  auto round = [](float value) {
    return decodeFloat(encodeFloat(value, FloatFormat::BF16),
                       FloatFormat::BF16);
  };
  EXPECT_EQ(round(256.0f), 256.0f);
  EXPECT_EQ(round(257.0f), 256.0f); // tie, to even
  EXPECT_EQ(round(259.0f), 260.0f); // tie, to even
  EXPECT_EQ(round(257.5f), 258.0f);
  EXPECT_EQ(round(-257.5f), -258.0f);
  EXPECT_EQ(round(std::numeric_limits<float>::max()),
            std::numeric_limits<float>::infinity());
}

TEST(FloatMatrix, Arrays) {
  FloatMatrix matrix = FloatMatrix::random(3, 4, 7);
  for (float value : matrix.data)
    EXPECT_TRUE(value >= -2 && value < 2);
  Result<FloatMatrix> same = FloatMatrix::fromNpy(matrix.toNpy(), "a.npy");
  ASSERT_TRUE(bool(same));
  EXPECT_TRUE(bool(compareResult(0, matrix, *same)));
  matrix.format = FloatFormat::F16;
  EXPECT_EQ(matrix.toNpy().type, NpyType::F16);
  same = FloatMatrix::fromNpy(matrix.toNpy(), "a.npy");
  ASSERT_TRUE(bool(same));
  EXPECT_EQ(same->data, matrix.data);
  EXPECT_EQ(same->format, FloatFormat::F32);
  expectError(FloatMatrix::fromNpy({NpyType::I32, {0, 0}, {}}, "a.npy"),
              "a.npy: expected an array of floats, but got int32");
  expectError(FloatMatrix::fromNpy({NpyType::F32, {16, 0}, {}}, "a.npy"),
              "a.npy: expected a matrix of at least 1 x 1, but got 16 x 0");
}

NpyArray makeDoubles(const std::vector<double> &values) {
  NpyArray array{NpyType::F64, {1, static_cast<int64_t>(values.size())}, {}};
  array.data.resize(values.size() * sizeof(double));
  std::memcpy(array.data.data(), values.data(), array.data.size());
  return array;
}

TEST(FloatMatrix, DoublesAreRoundedOnce) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  // 1 + 2^-24 lies between two floats of which 1 is the even one.
  std::vector<double> values = {0.1, 1 + std::ldexp(1, -24), -infinity, 1e-60,
                                // Above the largest float, but rounded to it.
                                std::ldexp(1 - std::ldexp(1, -26), 128) -
                                    std::ldexp(1, 103)};
  Result<FloatMatrix> matrix =
      FloatMatrix::fromNpy(makeDoubles(values), "a.npy");
  ASSERT_TRUE(bool(matrix)) << why(matrix);
  EXPECT_EQ(matrix->data, (std::vector<float>{
                              0.1f, 1, -std::numeric_limits<float>::infinity(),
                              0, std::numeric_limits<float>::max()}));
  expectError(FloatMatrix::fromNpy(makeDoubles({0, 1e39}), "a.npy"),
              "a.npy: value 1e+39 at row 0, column 1 is too large for float32");
}

TEST(FloatMatrix, MismatchesAreReported) {
  FloatMatrix a{1, 3, FloatFormat::F32, {1, 0.0f, std::nanf("")}}, b = a;
  b.data[2] = std::nanf("1");
  EXPECT_TRUE(bool(compareResult(0, a, b)));
  b.data[1] = -0.0f;
  expectError(compareResult(0, a, b),
              "result #0: 1 of 3 elements differ from the reference\n"
              "  [0, 1]: expected 0, but got -0");
}

} // namespace
