//===- DenseMatrixTest.cpp - Dense matrices and seeded values -------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Row layout, conversion from and to arrays, and the generator's golden values.
//
//===----------------------------------------------------------------------===//

#include "TestUtil.h"

#include "magicube/Format/DenseMatrix.h"
#include "magicube/Format/FloatMatrix.h"

#include <set>

using namespace mlir::magicube;
using namespace mlir::magicube::test;

TEST(DenseMatrix, NibbleRowsStartOnBytes) {
  auto dense = DenseMatrix::zeros(2, 3, {4, true});
  ASSERT_TRUE(bool(dense));
  EXPECT_EQ(dense->rowBytes(), 2);
  for (int64_t c = 0; c < 3; ++c) {
    dense->set(0, c, c + 1);
    dense->set(1, c, -c - 1);
  }
  EXPECT_EQ(dense->data, (std::vector<uint8_t>{0x21, 0x03, 0xEF, 0x0D}));
  NpyArray array = dense->toNpy();
  EXPECT_EQ(array.type, NpyType::I8);
  EXPECT_EQ(array.shape, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(array.integerAt(5), -3);
}

TEST(DenseMatrix, ArrayRoundTrip) {
  for (int bits : {4, 8, 12, 16, 32})
    for (bool isSigned : {false, true}) {
      ElementType type{bits, isSigned};
      auto dense = DenseMatrix::random(7, 5, type, 3);
      ASSERT_TRUE(bool(dense));
      auto back = DenseMatrix::fromNpy(dense->toNpy(), type, "b.npy");
      ASSERT_TRUE(bool(back)) << why(back);
      EXPECT_EQ(back->data, dense->data);
    }
}

TEST(DenseMatrix, ArraysAreRangeChecked) {
  NpyArray array{NpyType::I8, {2, 2}, {1, 2, 3, 0xF7}};
  expectError(DenseMatrix::fromNpy(array, {4, true}, "b.npy"),
              "b.npy: value -9 at row 1, column 1 does not fit i4 [-8, 7]");
  array = {NpyType::U64, {1, 1}, std::vector<uint8_t>(8, 0xFF)};
  expectError(DenseMatrix::fromNpy(array, {8, true}, "b.npy"),
              "value 18446744073709551615 at row 0, column 0");
  array = {NpyType::F32, {1, 1}, std::vector<uint8_t>(4)};
  expectError(DenseMatrix::fromNpy(array, {8, true}, "b.npy"),
              "b.npy: expected an integer array, but got float32");
  array = {NpyType::I8, {3, 0}, {}};
  expectError(
      DenseMatrix::fromNpy(array, {8, true}, "b.npy"),
      "b.npy: expected a dense matrix of at least 1 x 1, but got 3 x 0");
}

TEST(DenseMatrix, ArraysHaveRank2) {
  const std::pair<std::vector<int64_t>, const char *> shapes[] = {
      {{}, "()"}, {{6}, "(6,)"}, {{2, 1, 3}, "(2, 1, 3)"}, {{0}, "(0,)"}};
  for (const auto &[shape, text] : shapes) {
    NpyArray array{NpyType::I8, shape, {1, 2, 3, 4, 5, 6}};
    std::string message =
        std::string("b.npy: expected an array of rank 2, but got shape ") +
        text;
    expectError(DenseMatrix::fromNpy(array, {8, true}, "b.npy"), message);
    array.type = NpyType::F32;
    expectError(FloatMatrix::fromNpy(array, "b.npy"), message);
  }
}

TEST(DenseMatrix, Limits) {
  expectError(DenseMatrix::zeros(0, 4, {8, true}), "but got 0 x 4");
  expectError(DenseMatrix::zeros(int64_t(1) << 40, int64_t(1) << 40, {8, true}),
              "at most 4294967296 elements");
  expectError(DenseMatrix::zeros(1, 1, ElementType::pattern()), "a pattern");
}

TEST(SeededValues, KnownOutputs) {
  // First outputs of the published splitmix64 for seed 1234567.
  EXPECT_EQ(splitMix64(1234567, 0), 6457827717110365317u);
  EXPECT_EQ(splitMix64(1234567, 1), 3203168211198807973u);
  EXPECT_EQ(splitMix64(1234567, 2), 9817491932198370423u);
}

TEST(SeededValues, CoverTheFullRange) {
  for (ElementType type : {ElementType{4, true}, ElementType{4, false},
                           ElementType{8, true}, ElementType{8, false}}) {
    SeededValues values(type, 42);
    std::set<int64_t> seen;
    for (uint64_t i = 0; i < 5000; ++i) {
      ASSERT_TRUE(type.fits(values(i)));
      seen.insert(values(i));
    }
    EXPECT_EQ(static_cast<int64_t>(seen.size()), type.max() - type.min() + 1);
  }
}

TEST(RandomPattern, HasDistinctAscendingColumns) {
  CsrMatrix pattern = randomPattern(20, 50, 0.3, 1);
  ASSERT_TRUE(bool(pattern.validate()));
  for (int64_t r = 0; r < 20; ++r) {
    EXPECT_EQ(pattern.offset[r + 1] - pattern.offset[r], 15);
    for (int64_t i = pattern.offset[r] + 1; i < pattern.offset[r + 1]; ++i)
      EXPECT_LT(pattern.col[i - 1], pattern.col[i]);
  }
  EXPECT_EQ(randomPattern(2, 5, 0.0, 1).entries(), 0);
  EXPECT_EQ(randomPattern(2, 5, 1.0, 1).entries(), 10);
}
