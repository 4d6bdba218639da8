//===- StorageLayoutTest.cpp - Component lists and addresses --------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The components of static, dynamic, batched, slabbed and pattern operands, and
// the addressing formula against the strides it describes.
//
//===----------------------------------------------------------------------===//

#include "TestUtil.h"

#include "magicube/Format/StorageLayout.h"

#include <set>

using namespace mlir::magicube;
using namespace mlir::magicube::test;

/// `name:bits[extent,...]` of each component, `?` for a dynamic extent.
static std::string describe(const StorageLayout &layout) {
  std::string text;
  for (const StorageComponent &part : layout.components()) {
    text += (text.empty() ? "" : " ") + part.name + ":" +
            std::to_string(part.bits) + "[";
    for (size_t i = 0; i < part.shape.size(); ++i)
      text += (i ? "," : "") + (part.shape[i] == kDynamic
                                    ? std::string("?")
                                    : std::to_string(part.shape[i]));
    text += "]";
  }
  return text;
}

static std::string describe(const SRBCRSEncoding &encoding,
                            std::vector<int64_t> shape, ElementType type) {
  auto layout = StorageLayout::get(encoding, std::move(shape), type);
  return layout ? describe(*layout) : layout.error().message;
}

TEST(StorageLayout, Components) {
  SRBCRSEncoding encoding;
  EXPECT_EQ(describe(encoding, {4096, 512}, {8, true}),
            "pointers:32[512,2] indices:32[?] values:8[?]");
  EXPECT_EQ(describe(encoding, {kDynamic, 512}, {4, true}),
            "pointers:32[?,2] indices:32[?] values:8[?] dim0:64[]");
  EXPECT_EQ(describe(encoding, {kDynamic, kDynamic}, {12, false}),
            "pointers:32[?,2] indices:32[?] values:16[?] dim0:64[] dim1:64[]");
  EXPECT_EQ(describe(encoding, {64, 64}, {32, true}),
            "pointers:32[8,2] indices:32[?] values:32[?]");
  EXPECT_EQ(describe(encoding, {64, 64}, ElementType::pattern()),
            "pointers:32[8,2] indices:32[?]");
  encoding.index = IndexWidth::U16;
  encoding.slab = 100;
  EXPECT_EQ(describe(encoding, {64, 512}, {16, true}),
            "pointers:32[8,6,2] indices:16[?] values:16[?]");
  EXPECT_EQ(describe(encoding, {64, kDynamic}, {16, true}),
            "pointers:32[8,?,2] indices:16[?] values:16[?] dim1:64[]");
}

TEST(StorageLayout, BatchesFoldIntoRows) {
  SRBCRSEncoding encoding;
  EXPECT_EQ(describe(encoding, {2, 3, 64, 512}, {8, true}),
            "pointers:32[48,2] indices:32[?] values:8[?]");
  EXPECT_EQ(describe(encoding, {kDynamic, 3, 64, 512}, {8, true}),
            "pointers:32[?,2] indices:32[?] values:8[?] dim0:64[]");
}

TEST(StorageLayout, Errors) {
  SRBCRSEncoding encoding;
  EXPECT_EQ(describe(encoding, {12, 8}, {8, true}),
            "expected dimension 0 to be a multiple of the vector length 8, but "
            "got 12");
  EXPECT_EQ(describe(encoding, {8}, {8, true}),
            "expected a sparse shape of rank 2 or more, but got 1");
  EXPECT_EQ(describe(encoding, {8, 0}, {8, true}),
            "expected dimension 1 to be dynamic or in [1, 2147483647], but got "
            "0");
  EXPECT_EQ(describe(encoding, {8, -7}, {8, true}),
            "expected dimension 1 to be dynamic or in [1, 2147483647], but got "
            "-7");
  EXPECT_EQ(describe(encoding, {2147483647, 8, 8}, {8, true}),
            "pointers:32[2147483647,2] indices:32[?] values:8[?]");
  EXPECT_EQ(describe(encoding, {2147483647, 2147483647, 8, 8}, {8, true}),
            "expected at most 2147483647 vector-rows over all batches, but got "
            "4611686014132420609");
  encoding.index = IndexWidth::U16;
  EXPECT_EQ(describe(encoding, {8, 70000}, {8, true}),
            "expected at most 65535 columns with u16 indices, but got 70000");
  encoding = {};
  encoding.order = VectorOrder::BankAware;
  EXPECT_EQ(describe(encoding, {8, 8}, ElementType::pattern()),
            "expected natural order for a pattern, but got bank_aware");
}

TEST(StorageLayout, OffsetsAreRowMajorInsideStrides) {
  for (int64_t vector : kVectorLengths)
    for (int64_t stride : kStrides) {
      SRBCRSEncoding encoding;
      encoding.vector = vector;
      encoding.stride = stride;
      auto layout = StorageLayout::get(encoding, {16, 16}, {8, true});
      ASSERT_TRUE(bool(layout));
      int64_t expected = 0;
      for (int64_t step = 0; step < 3; ++step)
        for (int64_t v = 0; v < vector; ++v)
          for (int64_t k = 0; k < stride; ++k)
            ASSERT_EQ(layout->valueOffset(step * stride + k, v), expected++);
      EXPECT_EQ(layout->valueBytes(3 * stride), expected);
    }
}

TEST(StorageLayout, OffsetsDoNotOverflow) {
  SRBCRSEncoding encoding;
  encoding.vector = 16;
  auto layout = StorageLayout::get(encoding, {16, 16}, {16, true});
  ASSERT_TRUE(bool(layout));
  int64_t last = 2147483647 / 32 * 32 + 31;
  EXPECT_EQ(layout->valueOffset(last, 15), (last + 1) * 16 - 1);
  EXPECT_EQ(layout->valueByte(last), 2 * last);
}

TEST(StorageLayout, Nibbles) {
  auto layout = StorageLayout::get({}, {8, 8}, {4, true});
  ASSERT_TRUE(bool(layout));
  EXPECT_EQ(layout->valueByte(5), 2);
  EXPECT_EQ(layout->nibbleShift(5), 4);
  EXPECT_EQ(layout->nibbleShift(4), 0);
  EXPECT_EQ(layout->valueBytes(32), 128);
}
