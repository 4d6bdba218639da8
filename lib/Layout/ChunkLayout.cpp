//===- ChunkLayout.cpp - A chunk of K of a sampled product ----------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "magicube/Layout/ChunkLayout.h"

#include "magicube/Layout/DigitPlanes.h"

#include <algorithm>

using namespace mlir::magicube;

static constexpr int32_t kWordBits = 32;
static constexpr int32_t kByteBits = 8;
static constexpr int32_t kNibbleBits = 4;

/// Bytes 0 and 2, or 1 and 3, of two words.
static constexpr uint16_t kEvenBytes = 0x6420, kOddBytes = 0x7531;
/// Bytes of two words in turn: the low halves, the high halves.
static constexpr uint16_t kLowPairs = 0x5140, kHighPairs = 0x7362;

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

static OperandRegister getWord(int32_t word, ByteHalf half) {
  return {/*chunk=*/0, {word, word, kIdentitySelector}, half};
}

/// The digits of a loaded operand, in the order of its elements; of 4 bits in
/// 8-bit MMAs, a register of even and one of odd elements in turn.
static std::vector<OperandPlane> getPlanes(const ChunkOperand &operand,
                                           int32_t computeBits) {
  OperandPlane plane{{}, /*shift=*/0, /*isTop=*/true, /*columnSet=*/0};
  if (operand.bits == 2 * kByteBits) {
    std::vector<OperandPlane> planes;
    for (const DigitPlane &digit :
         digitPlanes(operand.bits, /*isSigned=*/true, kByteBits)) {
      plane.registers.clear();
      plane.shift = digit.shift;
      plane.isTop = digit.shift != 0;
      uint16_t selector = plane.isTop ? kOddBytes : kEvenBytes;
      for (int32_t word = 0; word < operand.words; word += 2)
        plane.registers.push_back(
            {0, {word, word + 1, selector}, ByteHalf::Whole});
      planes.push_back(plane);
    }
    return planes;
  }
  bool isSplit = operand.bits < computeBits;
  for (int32_t word = 0; word < operand.words; ++word) {
    if (!isSplit) {
      plane.registers.push_back(getWord(word, ByteHalf::Whole));
      continue;
    }
    plane.registers.push_back(getWord(word, ByteHalf::Low));
    plane.registers.push_back(getWord(word, ByteHalf::High));
  }
  return {plane};
}

/// Permutes that make registers of the elements of one order of those of the
/// other: `selectors` make two registers of two.
static std::vector<BytePermute> getOrder(int32_t registers, uint16_t first,
                                         uint16_t second) {
  std::vector<BytePermute> order;
  for (int32_t i = 0; i < registers; i += 2) {
    order.push_back({i, i + 1, first});
    order.push_back({i, i + 1, second});
  }
  return order;
}

static ChunkOperand getOperand(int32_t bits, int32_t laneElements,
                               ChunkWidths widths) {
  ChunkOperand operand{bits, laneElements * bits / kWordBits, {}, {}};
  operand.planes = getPlanes(operand, widths.compute);
  int32_t registers = static_cast<int32_t>(operand.planes[0].registers.size());
  bool isSplit = bits < widths.compute;
  bool wantsSplit = widths.rhs < widths.compute;
  // The rhs decides, whose words are made into operands again and again; the
  // lhs follows.
  if (wantsSplit && !isSplit)
    operand.order = getOrder(registers, kEvenBytes, kOddBytes);
  if (isSplit && !wantsSplit)
    operand.order = getOrder(registers, kLowPairs, kHighPairs);
  return operand;
}

//===----------------------------------------------------------------------===//
// Chunks
//===----------------------------------------------------------------------===//

/// The word of half `half` of the MMA's k in a slice: words of a pair of slices
/// alternate.
static int32_t getSliceWord(int32_t slices, int32_t slice, int32_t half) {
  int32_t together = std::min(slices, 2);
  int32_t first = slice / together * together;
  return 2 * first + together * half + (slice - first);
}

static int32_t getHalf(const MmaInstruction &mma, int32_t k) {
  return k / (mma.k / 2);
}

int32_t ChunkLayout::rowOfA(int32_t reg) const {
  return mma->a.apply({{dim::reg, reg}}, dim::m) / kMmaGroups;
}

int32_t ChunkLayout::wordOfA(int32_t slice, int32_t reg) const {
  return getSliceWord(slices(), slice,
                      getHalf(*mma, mma->a.apply({{dim::reg, reg}}, dim::k)));
}

int32_t ChunkLayout::wordOfB(int32_t slice, int32_t reg) const {
  return getSliceWord(slices(), slice,
                      getHalf(*mma, mma->b.apply({{dim::reg, reg}}, dim::k)));
}

static bool isWidth(int32_t bits) {
  return bits == kNibbleBits || bits == kByteBits || bits == 2 * kByteBits;
}

Result<ChunkLayout> mlir::magicube::getChunkLayout(ChunkWidths widths) {
  if (!isWidth(widths.lhs) || !isWidth(widths.rhs))
    return Error{"expected operands of 4, 8 or 16 bits, but got " +
                 std::to_string(widths.lhs) + " and " +
                 std::to_string(widths.rhs)};
  bool isInt4 = widths.compute == kNibbleBits;
  if (!isInt4 && widths.compute != kByteBits)
    return Error{"expected MMAs of 4 or 8 bits, but got " +
                 std::to_string(widths.compute)};
  if (isInt4 && (widths.lhs != kNibbleBits || widths.rhs != kNibbleBits))
    return Error{"expected operands of 4 bits for MMAs of 4 bits, but got " +
                 std::to_string(widths.lhs) + " and " +
                 std::to_string(widths.rhs)};
  ChunkLayout layout{widths, nullptr, 0, {}, {}};
  layout.mma = lookupMma(isInt4 ? "m16n8k64" : "m16n8k32", widths.compute);
  layout.laneElements = kLaneChunkBytes * kByteBits / widths.rhs;
  layout.lhs = getOperand(widths.lhs, layout.laneElements, widths);
  layout.rhs = getOperand(widths.rhs, layout.laneElements, widths);
  return layout;
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

LinearLayout mlir::magicube::positionLayout() {
  using L = LinearLayout;
  // Row g + 8h: h is the lowest bit of the position, the tile the next.
  std::vector<std::vector<int32_t>> m;
  for (int32_t g = 1; g < kMmaGroups; g *= 2)
    m.push_back({kLanePositionRun * g});
  m.push_back({1});
  return *L::create({{dim::fragment, {{2}}}, {dim::m, m}},
                    {{dim::position, kStepPositions}});
}

LinearLayout mlir::magicube::positionsOfLane() {
  using L = LinearLayout;
  // Lanes 4g + t to row g.
  L rows = L::zeros1D(kMmaGroupLanes, dim::lane, dim::m) *
           L::identity1D(kMmaGroups, dim::lane, dim::m) *
           L::zeros1D(1, dim::lane, dim::m, /*outputSize=*/2) *
           L::zeros1D(1, dim::lane, dim::fragment, kPositionTiles);
  return *rows.compose(positionLayout());
}

LinearLayout mlir::magicube::sampledOutput(const MmaInstruction &mma) {
  using L = LinearLayout;
  L accumulators =
      L::identity1D(kPositionTiles, dim::fragment, dim::fragment) * mma.c;
  L meaning = positionLayout() * L::identity1D(mma.n, dim::n, dim::vector);
  return *accumulators.compose(meaning);
}
