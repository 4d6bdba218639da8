//===- Int4Planes.cpp - Operands of 4-bit MMAs -------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the nibbles of both operands come from, and the digits of radix 2^4.
//
//===----------------------------------------------------------------------===//

#include "Int4Planes.h"

#include "magicube/Layout/DigitPlanes.h"

#include <algorithm>

using namespace mlir::magicube;

/// Digits of MMAs of 4 bits, and of a byte.
static constexpr int32_t kNibbleBits = 4;
static constexpr int32_t kByteBits = 8;

/// Selectors for the even and the odd bytes of two registers, in order: the low
/// and high halves of four 16-bit values.
static constexpr uint16_t kEvenBytes = 0x6420;
static constexpr uint16_t kOddBytes = 0x7531;

/// The register as a list of nibbles.
static OperandRegister getNibbleRegister(std::vector<NibbleSource> nibbles) {
  return {/*chunk=*/0,
          {0, 0, kIdentitySelector},
          ByteHalf::Whole,
          std::move(nibbles)};
}

/// Nibble `half` (0 low, 1 high) of each byte of two registers, alternating:
/// four positions of each.
static std::vector<NibbleSource>
mergeNibbles(BytePermute first, BytePermute second, int32_t half) {
  std::vector<NibbleSource> nibbles;
  for (int32_t low = 0; low < kRegisterNibbles; low += 2) {
    nibbles.push_back({first, low + half});
    nibbles.push_back({second, low + half});
  }
  return nibbles;
}

/// The same, first all of one register, then all of the other.
static std::vector<NibbleSource>
orderNibbles(BytePermute first, BytePermute second, int32_t half) {
  std::vector<NibbleSource> nibbles;
  for (BytePermute source : {first, second})
    for (int32_t low = 0; low < kRegisterNibbles; low += 2)
      nibbles.push_back({source, low + half});
  return nibbles;
}

/// Nibble `half` of each byte, in the low halves of bytes that are zero
/// otherwise.
static std::vector<NibbleSource> spreadNibbles(BytePermute source,
                                               int32_t half) {
  std::vector<NibbleSource> nibbles;
  for (int32_t low = 0; low < kRegisterNibbles; low += 2) {
    nibbles.push_back({source, low + half});
    nibbles.push_back({source, kZeroNibble});
  }
  return nibbles;
}

/// Every nibble one place up; the highest becomes the lowest.
static std::vector<NibbleSource>
rotateNibbles(std::vector<NibbleSource> nibbles) {
  std::rotate(nibbles.begin(), nibbles.end() - 1, nibbles.end());
  return nibbles;
}

/// Merged, the odd columns are the high nibbles where they are: with both
/// operands rotated by one place the low halves of bytes are the ones to move,
/// and the same shift serves the even columns.
DenseOperand mlir::magicube::getInt4DenseOperand(const StepLayout &step) {
  DenseOperand operand{kNibbleBits, /*chunks=*/1,   {},
                       step.output, step.foldShift, step.exchange};
  if (step.layout.form == OperandForm::Spread) {
    OperandPlane plane{{}, /*shift=*/0, /*isTop=*/true, kBothColumnSets};
    for (BytePermute permute : step.permutes)
      plane.registers.push_back({/*chunk=*/0, permute, ByteHalf::Whole});
    operand.planes.push_back(std::move(plane));
    return operand;
  }
  bool isStored = step.layout.order == GatherOrder::Stored;
  size_t rows = step.mma->aRegisters();
  for (int32_t set : {0, 1}) {
    OperandPlane plane{{}, /*shift=*/0, /*isTop=*/true, set};
    for (size_t row = 0; row < rows; ++row) {
      BytePermute first = step.permutes[row];
      BytePermute second = step.permutes[row + rows];
      std::vector<NibbleSource> nibbles =
          isStored ? orderNibbles(first, second, /*half=*/set)
                   : mergeNibbles(first, second, /*half=*/set);
      if (set == 1 && !isStored)
        nibbles = rotateNibbles(std::move(nibbles));
      plane.registers.push_back(getNibbleRegister(std::move(nibbles)));
    }
    operand.planes.push_back(std::move(plane));
  }
  return operand;
}

/// Two registers of four bytes each, and which nibble of a byte is the digit: 8
/// positions of a component.
struct DigitBytes {
  BytePermute sources[2];
  int32_t halves[2];
};

/// Where a digit of the loaded words is.
static DigitBytes getDigitBytes(int32_t bits, const DigitPlane &digit) {
  auto word = [](int32_t i) { return BytePermute{i, i, kIdentitySelector}; };
  if (bits == kNibbleBits) // positions alternate between the halves
    return {{word(0), word(0)}, {0, 1}};
  int32_t half = digit.shift / kNibbleBits % 2;
  if (bits == kByteBits)
    return {{word(0), word(1)}, {half, half}};
  uint16_t selector = digit.shift / kByteBits ? kOddBytes : kEvenBytes;
  return {{{0, 1, selector}, {2, 3, selector}}, {half, half}};
}

/// The registers of one digit, for the even (0) or the odd (1) columns.
static std::vector<OperandRegister> getDigitRegisters(const StepLayout &step,
                                                      const DigitBytes &bytes,
                                                      int32_t set) {
  std::vector<std::vector<NibbleSource>> registers;
  if (step.layout.form == OperandForm::Spread) {
    for (int32_t i : {0, 1})
      registers.push_back(spreadNibbles(bytes.sources[i], bytes.halves[i]));
  } else {
    registers.push_back(
        mergeNibbles(bytes.sources[0], bytes.sources[1], bytes.halves[0]));
    if (step.widths.sparse ==
        kNibbleBits) // a loaded word is what the MMA takes
      for (int32_t i = 0; i < kRegisterNibbles; ++i)
        registers.back()[i].nibble = i;
  }
  bool isMoved = set == 1 && step.layout.order != GatherOrder::Stored;
  std::vector<OperandRegister> result;
  for (std::vector<NibbleSource> &nibbles : registers)
    result.push_back(getNibbleRegister(
        isMoved ? rotateNibbles(std::move(nibbles)) : std::move(nibbles)));
  return result;
}

/// A lane loads 8 positions: their nibbles are the digits.
SparseOperand mlir::magicube::getInt4SparseOperand(const StepLayout &step) {
  int32_t bits = step.widths.sparse;
  int32_t storageBits = bits == 12 ? 16 : bits;
  SparseOperand operand{bits, storageBits / kNibbleBits, {}, {}};
  operand.raisesOddLanes = step.sharesColumns;
  // Registers are operand B as they are.
  std::vector<LanePermute> asTheyAre;
  for (int32_t i = 0; i < step.mma->bRegisters(); ++i)
    asTheyAre.push_back({i, kZeroSource, {kIdentitySelector}});
  std::vector<DigitPlane> digits = digitPlanes(bits, true, kNibbleBits);
  for (const DigitPlane &digit : digits)
    for (int32_t set = 0; set < (step.sharesColumns ? 1 : 2); ++set) {
      OperandPlane plane{
          getDigitRegisters(step, getDigitBytes(bits, digit), set), digit.shift,
          /*isTop=*/digit == digits.back(), set};
      plane.lanePermutes = {asTheyAre};
      operand.planes.push_back(std::move(plane));
    }
  return operand;
}
