//===- ChunkLayoutTest.cpp - Chunks of K of a sampled product -------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves tagged elements through loads and permutes: both operands must have the
// same element of K in each k slot of an MMA, and each element once.
//
//===----------------------------------------------------------------------===//

#include "magicube/Layout/ChunkLayout.h"

#include "gtest/gtest.h"

#include <map>

using namespace mlir::magicube;

namespace {

/// An element of K of a lane, and which byte of it.
struct Tag {
  int32_t element, digit;
  bool operator<(const Tag &other) const {
    return std::pair(element, digit) < std::pair(other.element, other.digit);
  }
};

/// A register of an operand, slot by slot: bytes, or nibbles.
using Register = std::vector<Tag>;

/// Byte `byte` (0 to 3) of word `word` as a lane loads it, of which `half`
/// stays.
Tag getTag(int32_t bits, int32_t word, int32_t byte, ByteHalf half) {
  if (bits == 16)
    return {word * 2 + byte / 2, byte % 2};
  if (bits == 8)
    return {word * 4 + byte, 0};
  return {word * 8 + byte * 2 + (half == ByteHalf::High), 0};
}

std::vector<Register> getRegisters(const ChunkLayout &chunk,
                                   const ChunkOperand &operand,
                                   const OperandPlane &plane) {
  std::vector<Register> registers;
  for (const OperandRegister &source : plane.registers) {
    Register &result = registers.emplace_back();
    if (chunk.widths.compute == 4) {
      for (int32_t nibble = 0; nibble < 8; ++nibble)
        result.push_back({source.permute.sourceA * 8 + nibble, 0});
      continue;
    }
    for (int32_t byte = 0; byte < 4; ++byte) {
      int32_t selected = source.permute.selector >> 4 * byte & 7;
      int32_t word =
          selected < 4 ? source.permute.sourceA : source.permute.sourceB;
      result.push_back(getTag(operand.bits, word, selected % 4, source.half));
    }
  }
  if (operand.order.empty())
    return registers;
  std::vector<Register> ordered;
  for (const BytePermute &permute : operand.order) {
    Register &result = ordered.emplace_back();
    for (int32_t byte = 0; byte < 4; ++byte) {
      int32_t selected = permute.selector >> 4 * byte & 7;
      const Register &from =
          registers[selected < 4 ? permute.sourceA : permute.sourceB];
      result.push_back(from[selected % 4]);
    }
  }
  return ordered;
}

/// (slice, half of k, slot) -> element, of one plane.
using Places = std::map<std::array<int32_t, 3>, Tag>;

Places getPlaces(const ChunkLayout &chunk, bool isA,
                 const OperandPlane &plane) {
  const ChunkOperand &operand = isA ? chunk.rhs : chunk.lhs;
  std::vector<Register> registers = getRegisters(chunk, operand, plane);
  const LinearLayout &layout = isA ? chunk.mma->a : chunk.mma->b;
  Places places;
  for (int32_t slice = 0; slice < chunk.slices(); ++slice)
    for (int32_t reg = 0; reg < layout.inputSize(dim::reg); ++reg) {
      if (isA && chunk.rowOfA(reg) != 0)
        continue;
      int32_t word =
          isA ? chunk.wordOfA(slice, reg) : chunk.wordOfB(slice, reg);
      int32_t half =
          layout.apply({{dim::reg, reg}}, dim::k) / (chunk.mma->k / 2);
      for (size_t slot = 0; slot < registers[word].size(); ++slot)
        places[{slice, half, int32_t(slot)}] = registers[word][slot];
    }
  return places;
}

void check(ChunkWidths widths) {
  SCOPED_TRACE(std::to_string(widths.lhs) + " " + std::to_string(widths.rhs));
  Result<ChunkLayout> chunk = getChunkLayout(widths);
  ASSERT_TRUE(bool(chunk));
  EXPECT_EQ(chunk->rhs.laneBytes(), kLaneChunkBytes);
  EXPECT_EQ(chunk->lhs.words * 32, chunk->laneElements * widths.lhs);
  for (const OperandPlane &lhs : chunk->lhs.planes)
    for (const OperandPlane &rhs : chunk->rhs.planes) {
      Places a = getPlaces(*chunk, true, rhs);
      Places b = getPlaces(*chunk, false, lhs);
      ASSERT_EQ(a.size(), b.size());
      std::map<int32_t, int> uses;
      for (auto [place, tag] : a) {
        EXPECT_EQ(tag.element, b[place].element);
        EXPECT_EQ(tag.digit, rhs.shift / 8);
        EXPECT_EQ(b[place].digit, lhs.shift / 8);
        ++uses[tag.element];
      }
      EXPECT_EQ(int32_t(uses.size()), chunk->laneElements);
      for (auto [element, count] : uses)
        EXPECT_EQ(count, 1) << element;
    }
}

} // namespace

TEST(ChunkLayout, BothOperandsHaveTheSameElements) {
  for (int32_t lhs : {4, 8, 16})
    for (int32_t rhs : {4, 8, 16})
      check({lhs, rhs, 8});
  check({4, 4, 4});
}

TEST(ChunkLayout, LanesEndWithThePositionsTheyLoaded) {
  LinearLayout output = sampledOutput(*lookupMma("m16n8k32", 8));
  EXPECT_TRUE(output.isBijective());
  LinearLayout first = positionsOfLane();
  for (int32_t lane = 0; lane < kWarpSize; ++lane)
    for (int32_t fragment = 0; fragment < kPositionTiles; ++fragment)
      for (int32_t reg = 0; reg < 4; ++reg) {
        LayoutPoint point = output.apply(
            {{dim::fragment, fragment}, {dim::lane, lane}, {dim::reg, reg}});
        int32_t own = first.apply({{dim::lane, lane}}, dim::position);
        EXPECT_EQ(point[dim::position] / kLanePositionRun,
                  own / kLanePositionRun);
        EXPECT_EQ(point[dim::vector] / 2, lane % kMmaGroupLanes);
      }
}

TEST(ChunkLayout, RefusesOtherWidths) {
  EXPECT_EQ(getChunkLayout({12, 8, 8}).error().message,
            "expected operands of 4, 8 or 16 bits, but got 12 and 8");
  EXPECT_EQ(getChunkLayout({4, 8, 4}).error().message,
            "expected operands of 4 bits for MMAs of 4 bits, but got 4 and 8");
  EXPECT_EQ(getChunkLayout({8, 8, 16}).error().message,
            "expected MMAs of 4 or 8 bits, but got 16");
}
