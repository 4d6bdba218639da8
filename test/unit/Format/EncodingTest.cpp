//===- EncodingTest.cpp - Encoding and element types ----------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Legal values, spellings, ranges and containers.
//
//===----------------------------------------------------------------------===//

#include "TestUtil.h"

#include "magicube/Format/ElementType.h"
#include "magicube/Format/Encoding.h"

using namespace mlir::magicube;
using namespace mlir::magicube::test;

TEST(Encoding, AcceptsEveryLegalValue) {
  for (int64_t vector : kVectorLengths)
    for (int64_t stride : kStrides)
      for (int64_t slab : {0, 1, 64}) {
        SRBCRSEncoding encoding{vector, stride, VectorOrder::Natural, slab,
                                IndexWidth::I32};
        EXPECT_TRUE(bool(encoding.verify()));
      }
}

TEST(Encoding, NamesLimitAndValue) {
  SRBCRSEncoding encoding;
  encoding.vector = 3;
  expectError(encoding.verify(),
              "expected vector length to be one of 1, 2, 4, 8, 16, but got 3");
  encoding = {};
  encoding.stride = 12;
  expectError(encoding.verify(),
              "expected stride to be one of 8, 16, 32, 64, but got 12");
  encoding = {};
  encoding.slab = -1;
  expectError(encoding.verify(),
              "expected slab to be 0 (none) or positive, but got -1");
}

TEST(Encoding, BoundsColumnsByIndexWidth) {
  SRBCRSEncoding encoding;
  EXPECT_TRUE(bool(encoding.verifyCols(2147483647)));
  expectError(encoding.verifyCols(2147483648), "at most 2147483647 columns");
  expectError(encoding.verifyCols(0), "at least 1 column, but got 0");
  encoding.index = IndexWidth::U16;
  EXPECT_TRUE(bool(encoding.verifyCols(65535)));
  expectError(encoding.verifyCols(65536),
              "at most 65535 columns with u16 indices, but got 65536");
}

TEST(Encoding, CountsSlabsAndPadding) {
  SRBCRSEncoding encoding;
  EXPECT_EQ(encoding.slabCount(100), 1);
  encoding.slab = 32;
  EXPECT_EQ(encoding.slabCount(96), 3);
  EXPECT_EQ(encoding.slabCount(97), 4);
  EXPECT_EQ(encoding.paddedCount(0), 0);
  EXPECT_EQ(encoding.paddedCount(1), 32);
  EXPECT_EQ(encoding.paddedCount(32), 32);
}

TEST(Encoding, SpellingsRoundTrip) {
  for (VectorOrder order : {VectorOrder::Natural, VectorOrder::BankAware})
    EXPECT_EQ(parseVectorOrder(spelling(order)), order);
  for (IndexWidth index : {IndexWidth::I32, IndexWidth::U16})
    EXPECT_EQ(parseIndexWidth(spelling(index)), index);
  EXPECT_EQ(spelling(VectorOrder::BankAware), "bank_aware");
  EXPECT_FALSE(parseVectorOrder("ascending"));
  EXPECT_FALSE(parseIndexWidth("u8"));
}

TEST(Encoding, Compares) {
  SRBCRSEncoding a, b;
  EXPECT_EQ(a, b);
  b.slab = 64;
  EXPECT_NE(a, b);
}

TEST(ElementType, Ranges) {
  struct {
    int bits;
    bool isSigned;
    int64_t min, max;
    int container;
  } rows[] = {{4, true, -8, 7, 8},
              {4, false, 0, 15, 8},
              {8, true, -128, 127, 8},
              {8, false, 0, 255, 8},
              {12, true, -2048, 2047, 16},
              {12, false, 0, 4095, 16},
              {16, true, -32768, 32767, 16},
              {16, false, 0, 65535, 16},
              {32, true, -2147483648LL, 2147483647, 32},
              {32, false, 0, 4294967295LL, 32}};
  for (const auto &row : rows) {
    auto type = ElementType::get(row.bits, row.isSigned);
    ASSERT_TRUE(bool(type));
    EXPECT_EQ(type->min(), row.min);
    EXPECT_EQ(type->max(), row.max);
    EXPECT_EQ(type->containerBits(), row.container);
    EXPECT_TRUE(type->fits(row.min) && type->fits(row.max));
    EXPECT_FALSE(type->fits(row.min - 1) || type->fits(row.max + 1));
    // Extremes survive storage, and neighbours stay as they are.
    std::vector<uint8_t> data(type->bytesFor(3));
    type->store(data.data(), 0, row.max);
    type->store(data.data(), 2, row.max);
    type->store(data.data(), 1, row.min);
    EXPECT_EQ(type->load(data.data(), 0), row.max);
    EXPECT_EQ(type->load(data.data(), 1), row.min);
    EXPECT_EQ(type->load(data.data(), 2), row.max);
  }
  expectError(ElementType::get(5, true), "but got 5");
  EXPECT_EQ((ElementType{4, false}).describe(), "u4 [0, 15]");
  EXPECT_EQ(ElementType::pattern().name(), "i1");
}

TEST(ElementType, FirstNibbleIsLow) {
  ElementType type{4, true};
  uint8_t bytes[2] = {0, 0};
  type.store(bytes, 0, 1);
  type.store(bytes, 1, -2);
  type.store(bytes, 2, 7);
  EXPECT_EQ(bytes[0], 0xE1);
  EXPECT_EQ(bytes[1], 0x07);
  EXPECT_EQ(type.bytesFor(3), 2);
}

TEST(ElementType, TwelveBitsAreExtended) {
  uint16_t container = 0;
  auto *data = reinterpret_cast<uint8_t *>(&container);
  ElementType{12, true}.store(data, 0, -2);
  EXPECT_EQ(container, 0xFFFE);
  ElementType{12, false}.store(data, 0, 4095);
  EXPECT_EQ(container, 0x0FFF);
}
