//===- PackerErrorsTest.cpp - What the packer refuses ---------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every refusal names position, limit and value.
//
//===----------------------------------------------------------------------===//

#include "TestUtil.h"

#include "magicube/Format/Packer.h"

using namespace mlir::magicube;
using namespace mlir::magicube::test;

static const CooMatrix kOne{8, 4, {5}, {2}, {300}};

TEST(PackerErrors, Encoding) {
  SRBCRSEncoding encoding;
  encoding.vector = 3;
  CsrMatrix pattern = randomPattern(1, 4, 1.0, 0);
  expectError(packCoo(kOne, {16, true}, encoding), "but got 3");
  expectError(packPattern(pattern, {8, true}, encoding,
                          [](int64_t, int64_t) { return 0; }),
              "but got 3");
}

TEST(PackerErrors, RowsAreNoMultipleOfTheVector) {
  CooMatrix coo{12, 4, {}, {}, {}};
  auto result = packCoo(coo, {8, true}, {});
  expectError(result, "dimension 0 to be a multiple of the vector length 8, "
                      "but got 12");
  EXPECT_NE(result.error().note.find("pad the rows"), std::string::npos);
}

TEST(PackerErrors, ColumnsBeyondU16) {
  SRBCRSEncoding encoding;
  encoding.index = IndexWidth::U16;
  CooMatrix coo{8, 65536, {}, {}, {}};
  expectError(packCoo(coo, {8, true}, encoding), "at most 65535 columns");
  coo.cols = 65535;
  coo.append(0, 65534, 1);
  auto matrix = packCoo(coo, {8, true}, encoding);
  ASSERT_TRUE(bool(matrix)) << why(matrix);
  EXPECT_EQ(matrix->indices[0], 65534);
  EXPECT_EQ(matrix->indices[1], kPaddingIndex);
}

TEST(PackerErrors, ValueDoesNotFit) {
  expectError(packCoo(kOne, {8, true}, {}),
              "row 5, column 2: value 300 does not fit i8 [-128, 127]");
  CsrMatrix csr{8, 4, {0, 0, 1, 1, 1, 1, 1, 1, 1}, {3}, {-1}};
  expectError(packCsr(csr, {4, false}, {}),
              "row 1, column 3: value -1 does not fit u4 [0, 15]");
  CsrMatrix pattern{1, 4, {0, 1}, {2}, {}};
  expectError(packPattern(pattern, {4, true}, {},
                          [](int64_t, int64_t v) { return 2 * v; }),
              "row 4, column 2: value 8 does not fit i4 [-8, 7]");
  // A 16-bit container beyond 12 bits.
  DenseMatrix dense{8, 1, {16, true}, std::vector<uint8_t>(16)};
  dense.set(6, 0, 2048);
  dense.type = {12, true};
  expectError(packDense(dense.view(), {}),
              "row 6, column 0: value 2048 does not fit i12 [-2048, 2047]");
}

TEST(PackerErrors, Positions) {
  CooMatrix coo{8, 4, {8}, {0}, {1}};
  expectError(packCoo(coo, {8, true}, {}),
              "entry 0: expected a row in [0, 8), but got 8");
  coo = {8, 4, {0, 7}, {0, -2}, {1, 1}};
  expectError(packCoo(coo, {8, true}, {}),
              "entry 1: expected a column in [0, 4), but got -2");
  coo = {8, 4, {3, 2, 3}, {1, 1, 1}, {1, 1, 1}};
  expectError(packCoo(coo, {8, true}, {}), "row 3, column 1: duplicate entry");
  coo = {8, 4, {3, 2}, {1}, {1, 1}};
  expectError(packCoo(coo, {8, true}, {}), "as many columns and values");
}

TEST(PackerErrors, CsrStructure) {
  CsrMatrix csr{1, 4, {0, 2}, {1, 1}, {}};
  SRBCRSEncoding encoding;
  encoding.vector = 1;
  expectError(packCsr(csr, {8, true}, encoding),
              "row 0, column 1: duplicate entry");
  csr.offset = {0};
  expectError(packCsr(csr, {8, true}, encoding), "1 + 1 row offsets");
  csr.offset = {0, 3};
  expectError(packCsr(csr, {8, true}, encoding),
              "row offsets from 0 to 2, but got 0 to 3");
  csr = {2, 4, {0, 3, 2}, {1, 2}, {}};
  expectError(packCsr(csr, {8, true}, encoding),
              "row 1: expected row offsets that do not descend, but got 2 "
              "after 3");
  csr = {1, 4, {0, 2}, {2, 1}, {}};
  expectError(
      packPattern(csr, {8, true}, encoding, [](int64_t, int64_t) { return 0; }),
      "row 0: expected ascending columns, but got 1 after 2");
  csr = {1, 4, {0, 1}, {4}, {}};
  expectError(packCsr(csr, {8, true}, encoding),
              "entry 0: expected a column in [0, 4), but got 4");
  csr = {1, 4, {0, 1}, {3}, {1, 2}};
  expectError(packCsr(csr, {8, true}, encoding), "as many values");
}

TEST(PackerErrors, Patterns) {
  CsrMatrix pattern{1, 4, {0, 1}, {2}, {}};
  expectError(packPattern(pattern, {8, true}, {}, nullptr),
              "expected a source of values");
  SRBCRSEncoding encoding;
  encoding.order = VectorOrder::BankAware;
  expectError(packPattern(pattern, ElementType::pattern(), encoding, nullptr),
              "expected natural order for a pattern");
  expectError(packDense({nullptr, 8, 4, ElementType::pattern()}, {}),
              "expected dense values");
}

TEST(PackerErrors, PointerTableIsBounded) {
  CooMatrix coo{2147483640, 1 << 30, {}, {}, {}};
  SRBCRSEncoding encoding;
  encoding.slab = 1;
  expectError(packCoo(coo, {8, true}, encoding), "groups of vectors");
  encoding.slab = 0;
  encoding.vector = 1;
  expectError(packCoo(coo, {8, true}, encoding), "groups of vectors");
}

/// A header of a few bytes cannot ask for more pointers than its entries are
/// worth.
TEST(PackerErrors, PointersFollowTheEntries) {
  SRBCRSEncoding encoding;
  encoding.vector = 1;
  CooMatrix coo{kFreePointerGroups, 4, {7}, {1}, {1}};
  auto matrix = packCoo(coo, {8, true}, encoding);
  ASSERT_TRUE(bool(matrix)) << why(matrix);
  EXPECT_EQ(matrix->vectors, 1);
  coo.rows += 1;
  expectError(packCoo(coo, {8, true}, encoding),
              "expected at most 1048576 groups of vectors for 1 entries, but "
              "got 1048577 vector-rows");
  int64_t enough = kFreePointerGroups / kGroupsPerEntry + 1;
  for (int64_t i = coo.entries(); i < enough; ++i)
    coo.append(static_cast<int32_t>(i), 2, 1);
  matrix = packCoo(coo, {8, true}, encoding);
  ASSERT_TRUE(bool(matrix)) << why(matrix);
  encoding.slab = 1;
  expectError(packCoo(coo, {8, true}, encoding), "of 4 slabs");
  // The rows of a pattern are in memory, and so in a file of some size.
  CsrMatrix pattern{kFreePointerGroups + 1, 4, {}, {}, {}};
  pattern.offset.resize(pattern.rows + 1);
  encoding.slab = 0;
  EXPECT_TRUE(bool(packPattern(pattern, {8, true}, encoding,
                               [](int64_t, int64_t) { return 0; })));
}

/// Packing takes no memory for columns that have no entry.
TEST(PackerErrors, WideMatrices) {
  CooMatrix coo{
      8, 2147483647, {7, 0, 3}, {2147483646, 5, 2147483646}, {1, 2, 3}};
  auto matrix = packCoo(coo, {8, true}, {});
  ASSERT_TRUE(bool(matrix)) << why(matrix);
  EXPECT_EQ(matrix->vectors, 2);
  EXPECT_EQ(matrix->indices[0], 5);
  EXPECT_EQ(matrix->indices[1], 2147483646);
}

TEST(PackerErrors, UnpackRefusesInvalidAndHuge) {
  CooMatrix coo{8, 2147483647, {}, {}, {}};
  auto matrix = packCoo(coo, {8, true}, {});
  ASSERT_TRUE(bool(matrix)) << why(matrix);
  expectError(unpackToDense(*matrix), "at most 4294967296 elements");
  matrix->pointers[1] = 1;
  expectError(unpackToCoo(*matrix), "vector-row 0");
  expectError(shuffleVectors(*matrix, 0), "vector-row 0");
}
