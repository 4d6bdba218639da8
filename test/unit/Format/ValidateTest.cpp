//===- ValidateTest.cpp - The rules of stored matrices --------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each rule is broken once in an otherwise valid matrix.
//
//===----------------------------------------------------------------------===//

#include "TestUtil.h"

#include "magicube/Format/Packer.h"

using namespace mlir::magicube;
using namespace mlir::magicube::test;

/// Two vector-rows of V = 2 with 3 and 9 vectors, stride 8: stored 8 + 16.
static SRBCRSMatrix validMatrix(VectorOrder order, int64_t slab = 0) {
  CsrMatrix pattern{2, 20, {0, 3, 12}, {}, {}};
  pattern.col = {1, 4, 5, 0, 2, 3, 4, 5, 9, 11, 18, 19};
  SRBCRSEncoding encoding{2, 8, order, slab, IndexWidth::I32};
  auto matrix = packPattern(pattern, {8, true}, encoding,
                            [](int64_t i, int64_t) { return i + 1; });
  EXPECT_TRUE(bool(matrix)) << why(matrix);
  EXPECT_TRUE(bool(matrix->validate())) << why(matrix->validate());
  return *matrix;
}

TEST(Validate, Sizes) {
  SRBCRSMatrix matrix = validMatrix(VectorOrder::Natural);
  matrix.pointers.pop_back();
  expectError(matrix.validate(), "expected 4 pointers for 2 vector-rows");
  matrix = validMatrix(VectorOrder::Natural);
  matrix.values.push_back(0);
  expectError(matrix.validate(), "expected 48 bytes of values for 24 stored "
                                 "vectors, but got 49");
  matrix = validMatrix(VectorOrder::Natural);
  matrix.encoding.index = IndexWidth::U16;
  expectError(matrix.validate(), "expected u16 indices, but got i32");
  matrix = validMatrix(VectorOrder::Natural);
  matrix.rows = 3;
  expectError(matrix.validate(), "multiple of the vector length 2");
  matrix = validMatrix(VectorOrder::Natural);
  matrix.indices.resize(32);
  matrix.values.resize(64);
  expectError(matrix.validate(),
              "expected 24 stored vectors as the pointers say, but got 32");
}

TEST(Validate, Pointers) {
  SRBCRSMatrix matrix = validMatrix(VectorOrder::Natural);
  matrix.pointers[2] = 3;
  expectError(matrix.validate(), "vector-row 1: expected start 8");
  matrix = validMatrix(VectorOrder::Natural);
  matrix.pointers[1] = -1;
  expectError(matrix.validate(),
              "vector-row 0: expected an end in [0, 24], but got -1");
  matrix = validMatrix(VectorOrder::Natural);
  matrix.pointers[3] = 2147483647;
  expectError(matrix.validate(), "vector-row 1: expected an end in [8, 24]");
  matrix = validMatrix(VectorOrder::Natural);
  matrix.indices.resize(30);
  matrix.values.resize(60);
  matrix.pointers[3] = 30;
  expectError(matrix.validate(), "expected stored vectors up to 32");
  matrix = validMatrix(VectorOrder::BankAware);
  matrix.pointers[3] = 20;
  expectError(matrix.validate(), "vector-row 1: expected an end that is a "
                                 "multiple of the stride 8 in bank_aware");
}

TEST(Validate, Indices) {
  for (int32_t column : {-1, 20, -5}) {
    SRBCRSMatrix matrix = validMatrix(VectorOrder::Natural);
    matrix.indices.set(9, column);
    expectError(matrix.validate(), "vector-row 1: expected a column in [0, "
                                   "20) at position 9, but got " +
                                       std::to_string(column));
  }
  SRBCRSMatrix matrix = validMatrix(VectorOrder::Natural);
  matrix.indices.set(9, matrix.indices[8]);
  expectError(matrix.validate(), "position 9 repeats column 0");
  matrix = validMatrix(VectorOrder::BankAware);
  matrix.indices.set(9, -1);
  expectError(matrix.validate(), "at position 9, but got -1");
  // Column 1 belongs to slab 0, position 0 of slab 0 has it already.
  matrix = validMatrix(VectorOrder::Natural, 10);
  matrix.indices.set(0, 12);
  expectError(matrix.validate(),
              "vector-row 0, slab 0: expected a column in [0, 10)");
}

TEST(Validate, Padding) {
  SRBCRSMatrix matrix = validMatrix(VectorOrder::Natural);
  matrix.indices.set(3, 7);
  expectError(matrix.validate(),
              "expected the padding index at position 3, but got 7");
  matrix = validMatrix(VectorOrder::Natural);
  matrix.values[8 + 3] = 1; // component 1 of position 3
  expectError(matrix.validate(), "zero values at padding position 3");
}

TEST(Validate, BankAwareDuplicatesNeedZeroValues) {
  SRBCRSMatrix matrix = validMatrix(VectorOrder::BankAware);
  auto layout = matrix.layout();
  ASSERT_TRUE(bool(layout));
  int64_t first = -1, second = -1;
  for (int64_t p = 8; p < 24; ++p)
    if (matrix.values[layout->valueOffset(p, 0)])
      (first < 0 ? first : second) = p;
  ASSERT_GE(second, 0);
  matrix.indices.set(second, matrix.indices[first]);
  expectError(matrix.validate(), "repeats column");
}

TEST(Validate, Header) {
  SRBCRSMatrix matrix = validMatrix(VectorOrder::Natural);
  matrix.vectors = 11;
  expectError(matrix.validate(), "expected 12 vectors in the header");
  matrix = validMatrix(VectorOrder::BankAware);
  for (int64_t vectors : {11, 25}) {
    matrix.vectors = vectors;
    expectError(matrix.validate(), "the header's vectors in [12, 24]");
  }
}

TEST(Validate, TwelveBitContainers) {
  CooMatrix coo{2, 3, {0}, {1}, {-2048}};
  SRBCRSEncoding encoding;
  encoding.vector = 2;
  auto matrix = packCoo(coo, {12, true}, encoding);
  ASSERT_TRUE(bool(matrix)) << why(matrix);
  EXPECT_TRUE(bool(matrix->validate()));
  matrix->values[1] = 0x70;
  expectError(matrix->validate(), "does not fit i12 [-2048, 2047]");
}

TEST(Validate, AnyOrderOfVectorsIsValid) {
  for (VectorOrder order : {VectorOrder::Natural, VectorOrder::BankAware}) {
    SRBCRSMatrix matrix = validMatrix(order);
    auto before = unpackToDense(matrix);
    ASSERT_TRUE(bool(shuffleVectors(matrix, 1)));
    EXPECT_TRUE(bool(matrix.validate())) << why(matrix.validate());
    auto after = unpackToDense(matrix);
    ASSERT_TRUE(before && after);
    EXPECT_EQ(before->data, after->data);
  }
}
