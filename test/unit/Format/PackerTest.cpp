//===- PackerTest.cpp - Packing by example --------------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The worked example of the published format, explicit zeros, patterns with
// seeded values, and sizes that a header may promise.
//
//===----------------------------------------------------------------------===//

#include "TestUtil.h"

#include "magicube/Format/Packer.h"

using namespace mlir::magicube;
using namespace mlir::magicube::test;

static std::vector<int32_t> indicesOf(const SRBCRSMatrix &matrix) {
  std::vector<int32_t> indices;
  for (int64_t p = 0; p < matrix.stored(); ++p)
    indices.push_back(matrix.indices[p]);
  return indices;
}

/// The 4 x 6 example of the format's description (V = 2), with the smallest
/// legal stride in place of the toy stride 4.
static DenseMatrix workedExample() {
  const int8_t values[4][6] = {{0, 3, 0, 0, 0, 2},
                               {0, -1, 0, 0, 5, 2},
                               {7, 0, -4, 1, 9, 2},
                               {1, 0, 6, 1, 0, -3}};
  DenseMatrix dense{4, 6, {8, true}, std::vector<uint8_t>(24)};
  for (int64_t r = 0; r < 4; ++r)
    for (int64_t c = 0; c < 6; ++c)
      dense.set(r, c, values[r][c]);
  return dense;
}

TEST(Packer, WorkedExample) {
  SRBCRSEncoding encoding;
  encoding.vector = 2;
  encoding.stride = 8;
  auto matrix = packDense(workedExample().view(), encoding);
  ASSERT_TRUE(bool(matrix)) << why(matrix);
  EXPECT_EQ(matrix->pointers, (std::vector<int32_t>{0, 3, 8, 13}));
  EXPECT_EQ(indicesOf(*matrix),
            (std::vector<int32_t>{1, 4, 5, -1, -1, -1, -1, -1, 0, 2, 3, 4, 5,
                                  -1, -1, -1}));
  const std::vector<int8_t> values = {3, 0, 2, 0, 0, 0, 0,  0, -1, 5, 2,
                                      0, 0, 0, 0, 0, 7, -4, 1, 9,  2, 0,
                                      0, 0, 1, 6, 1, 0, -3, 0, 0,  0};
  ASSERT_EQ(matrix->values.size(), values.size());
  for (size_t i = 0; i < values.size(); ++i)
    EXPECT_EQ(int8_t(matrix->values[i]), values[i]) << i;
  EXPECT_EQ(matrix->vectors, 8);
}

TEST(Packer, WorkedExampleWithSlabs) {
  SRBCRSEncoding encoding;
  encoding.vector = 2;
  encoding.stride = 8;
  encoding.slab = 3;
  encoding.index = IndexWidth::U16;
  auto matrix = packDense(workedExample().view(), encoding);
  ASSERT_TRUE(bool(matrix)) << why(matrix);
  EXPECT_EQ(matrix->pointers,
            (std::vector<int32_t>{0, 1, 8, 10, 16, 18, 24, 27}));
  EXPECT_EQ(matrix->stored(), 32);
  EXPECT_EQ(matrix->indices[8], 4);
  EXPECT_EQ(matrix->indices[10], kPaddingIndex);
  uint16_t raw;
  std::memcpy(&raw, matrix->indices.data() + 2 * 10, sizeof(raw));
  EXPECT_EQ(raw, kPaddingIndexU16);
}

TEST(Packer, ExplicitZerosAreEntries) {
  CooMatrix coo{2, 4, {0, 1}, {3, 1}, {0, 5}};
  SRBCRSEncoding encoding;
  encoding.vector = 2;
  auto matrix = packCoo(coo, {8, true}, encoding);
  ASSERT_TRUE(bool(matrix)) << why(matrix);
  EXPECT_EQ(matrix->vectors, 2);
  EXPECT_EQ(matrix->indices[0], 1);
  EXPECT_EQ(matrix->indices[1], 3);
}

TEST(Packer, UnsortedCsrColumns) {
  CsrMatrix csr{2, 5, {0, 3, 4}, {4, 0, 2}, {1, 2, 3}};
  csr.col.push_back(2);
  csr.value.push_back(4);
  SRBCRSEncoding encoding;
  encoding.vector = 2;
  auto matrix = packCsr(csr, {8, true}, encoding);
  ASSERT_TRUE(bool(matrix)) << why(matrix);
  EXPECT_EQ(matrix->pointers, (std::vector<int32_t>{0, 3}));
  auto dense = unpackToDense(*matrix);
  ASSERT_TRUE(bool(dense));
  EXPECT_EQ(dense->at(0, 4), 1);
  EXPECT_EQ(dense->at(0, 0), 2);
  EXPECT_EQ(dense->at(0, 2), 3);
  EXPECT_EQ(dense->at(1, 2), 4);
}

TEST(Packer, NoEntries) {
  CooMatrix coo{16, 9, {}, {}, {}};
  for (VectorOrder order : {VectorOrder::Natural, VectorOrder::BankAware}) {
    SRBCRSEncoding encoding;
    encoding.order = order;
    auto matrix = packCoo(coo, {8, true}, encoding);
    ASSERT_TRUE(bool(matrix)) << why(matrix);
    EXPECT_EQ(matrix->pointers, (std::vector<int32_t>{0, 0, 0, 0}));
    EXPECT_EQ(matrix->stored(), 0);
    EXPECT_TRUE(matrix->values.empty());
    auto back = unpackToCoo(*matrix);
    ASSERT_TRUE(bool(back));
    EXPECT_EQ(back->entries(), 0);
  }
}

TEST(Packer, PatternsTakeValuesFromTheirSource) {
  CsrMatrix pattern = randomPattern(5, 40, 0.25, 3);
  ASSERT_EQ(pattern.entries(), 50);
  for (ElementType type : {ElementType{4, true}, ElementType{16, false}})
    for (VectorOrder order : {VectorOrder::Natural, VectorOrder::BankAware}) {
      SRBCRSEncoding encoding;
      encoding.order = order;
      SeededValues values(type, 11);
      auto matrix =
          packPattern(pattern, type, encoding, [&](int64_t i, int64_t v) {
            return values(i * encoding.vector + v);
          });
      ASSERT_TRUE(bool(matrix)) << why(matrix);
      EXPECT_EQ(matrix->rows, 40);
      EXPECT_EQ(matrix->vectors, 50);
      auto dense = unpackToDense(*matrix);
      ASSERT_TRUE(bool(dense));
      for (int64_t r = 0; r < pattern.rows; ++r)
        for (int64_t i = pattern.offset[r]; i < pattern.offset[r + 1]; ++i)
          for (int64_t v = 0; v < 8; ++v)
            EXPECT_EQ(dense->at(r * 8 + v, pattern.col[i]), values(i * 8 + v));
    }
}

TEST(Packer, PatternTypeStoresNoValues) {
  CsrMatrix pattern = randomPattern(3, 20, 0.3, 5);
  auto matrix = packPattern(pattern, ElementType::pattern(), {}, nullptr);
  ASSERT_TRUE(bool(matrix)) << why(matrix);
  EXPECT_TRUE(matrix->values.empty());
  EXPECT_TRUE(bool(matrix->validate())) << why(matrix->validate());
  auto coo = unpackToCoo(*matrix);
  ASSERT_TRUE(bool(coo));
  EXPECT_EQ(coo->entries(), 8 * pattern.entries());
  auto dense = unpackToDense(*matrix);
  ASSERT_TRUE(bool(dense));
  EXPECT_EQ(dense->at(0, pattern.col[0]), 1);
}

TEST(Packer, WideAndHypersparse) {
  // Six summary levels of the column set; time and memory follow the entries.
  CooMatrix coo{1 << 20, 2147483647, {}, {}, {}};
  const int32_t columns[] = {2147483646, 0, 64, 4096, 1 << 30, 63};
  for (int32_t column : columns)
    coo.append(1048575, column, 1 + column % 100);
  auto matrix = packCoo(coo, {8, true}, {});
  ASSERT_TRUE(bool(matrix)) << why(matrix);
  EXPECT_EQ(matrix->vectors, 6);
  EXPECT_EQ(matrix->indices[0], 0);
  EXPECT_EQ(matrix->indices[1], 63);
  EXPECT_EQ(matrix->indices[5], 2147483646);
}
