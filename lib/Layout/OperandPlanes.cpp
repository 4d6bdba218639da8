//===- OperandPlanes.cpp - MMA operands of other widths than 8 bits -------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Planes of both operands from the byte permutes of a step and DigitPlanes.
//
//===----------------------------------------------------------------------===//

#include "magicube/Layout/OperandPlanes.h"

#include "magicube/Layout/DigitPlanes.h"

#include <algorithm>

using namespace mlir::magicube;

/// Digits are bytes: the MMAs' operand width.
static constexpr int32_t kRadixBits = 8;

/// Digits of MMAs of 4 bits.
static constexpr int32_t kNibbleBits = 4;

/// Selectors for the even and the odd bytes of two registers, in order: the low
/// and high halves of four 16-bit values.
static constexpr uint16_t kEvenBytes = 0x6420;
static constexpr uint16_t kOddBytes = 0x7531;

//===----------------------------------------------------------------------===//
// Dense operand
//===----------------------------------------------------------------------===//

/// The step's registers for a chunk.
static std::vector<OperandRegister> getByteRegisters(const StepLayout &step,
                                                     ByteHalf half) {
  std::vector<OperandRegister> registers;
  for (BytePermute permute : step.permutes)
    registers.push_back({/*chunk=*/0, permute, half});
  if (registers.empty()) // raw registers are the operand
    for (int32_t i = 0; i < step.mma->aRegisters(); ++i)
      registers.push_back({/*chunk=*/0, {i, i, kIdentitySelector}, half});
  return registers;
}

/// 16 bits: byte columns 2n and 2n + 1 are low and high byte of column n. Where
/// the step makes MMA rows g and g + 8 of the even and the odd bytes of one
/// chunk, a plane takes the same bytes of two chunks: the register for the even
/// bytes of chunk 0, then that of chunk 1, and so on.
static OperandPlane getWordPlane(const StepLayout &step,
                                 const DigitPlane &digit) {
  bool isHigh = digit.shift != 0;
  OperandPlane plane{{}, digit.shift, isHigh, /*columnSet=*/0};
  for (size_t i = 0; i < step.permutes.size(); ++i) {
    int32_t chunk = i % 2; // MMA rows g, then g + 8
    BytePermute permute = step.permutes[i - chunk + isHigh];
    plane.registers.push_back({chunk, permute, ByteHalf::Whole});
  }
  return plane;
}

/// (m) -> (column) of 16-bit columns: g in chunk 0, then chunk 1.
static Result<LinearLayout> getWordRows(const MmaInstruction &mma) {
  return LinearLayout::identity1D(mma.m, dim::m, dim::column);
}

/// (part, fragment, lane, register) -> (vector, column) of a step whose MMA
/// rows are columns `rows`.
static Result<LinearLayout> buildOutput(const StepLayout &step,
                                        const LinearLayout &rows) {
  LinearLayout problem =
      rows * LinearLayout::identity1D(step.mma->n, dim::n, dim::vector);
  Result<LinearLayout> output = step.mma->c.compose(problem);
  if (!output)
    return output.error();
  LinearLayout all =
      *output *
      LinearLayout::identity1D(step.fragments(), dim::fragment, dim::vector);
  return all.sublayout({dim::part, dim::fragment, dim::lane, dim::reg},
                       {dim::vector, dim::column});
}

/// `output` of bytes as that of their halves: the low column bit is the part.
static LinearLayout splitColumns(const LinearLayout &output) {
  LinearLayout split =
      LinearLayout::identity1D(2, dim::part, dim::column) * output;
  return split.sublayout({dim::part, dim::fragment, dim::lane, dim::reg},
                         {dim::vector, dim::column});
}

//===----------------------------------------------------------------------===//
// Operands of 4-bit MMAs
//===----------------------------------------------------------------------===//

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

/// Four nibbles of a loaded word from `first` on, each in the low half of a
/// byte.
static std::vector<NibbleSource> splitNibbles(int32_t first) {
  std::vector<NibbleSource> nibbles;
  for (int32_t i = first; i < first + kRegisterNibbles / 2; ++i) {
    nibbles.push_back({{0, 0, kIdentitySelector}, i});
    nibbles.push_back({{0, 0, kIdentitySelector}, kZeroNibble});
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
static Result<DenseOperand> getNibbleDenseOperand(const StepLayout &step,
                                                  int32_t bits) {
  if (bits != kNibbleBits)
    return Error{"recipe '" + step.recipe +
                     "' takes a dense operand of 4 bits, but got " +
                     std::to_string(bits),
                 "use recipe 'transpose' and MMAs on i8"};
  DenseOperand operand{bits, /*chunks=*/1, {}, step.output, step.exchange};
  if (step.int4 == Int4Form::Spread) {
    operand.planes.push_back({getByteRegisters(step, ByteHalf::Whole),
                              /*shift=*/0, /*isTop=*/true, kBothColumnSets});
    return operand;
  }
  size_t rows = step.mma->aRegisters();
  for (int32_t set : {0, 1}) {
    OperandPlane plane{{}, /*shift=*/0, /*isTop=*/true, set};
    for (size_t row = 0; row < rows; ++row) {
      BytePermute first = step.permutes[row];
      BytePermute second = step.permutes[row + rows];
      std::vector<NibbleSource> nibbles =
          step.int4 == Int4Form::Merge
              ? mergeNibbles(first, second, /*half=*/set)
              : orderNibbles(first, second, /*half=*/set);
      if (set == 1 && step.int4 == Int4Form::Merge)
        nibbles = rotateNibbles(std::move(nibbles));
      plane.registers.push_back(getNibbleRegister(std::move(nibbles)));
    }
    operand.planes.push_back(std::move(plane));
  }
  return operand;
}

Result<DenseOperand> mlir::magicube::getDenseOperand(const StepLayout &step,
                                                     int32_t bits) {
  if (step.int4 != Int4Form::None)
    return getNibbleDenseOperand(step, bits);
  if (bits == 8) {
    OperandPlane plane{getByteRegisters(step, ByteHalf::Whole), /*shift=*/0,
                       /*isTop=*/true, /*columnSet=*/0};
    return DenseOperand{
        bits, step.chunks(), {plane}, step.output, step.exchange};
  }
  if (step.permutes.empty())
    return Error{"recipe '" + step.recipe +
                     "' takes a dense operand of 8 bits, but got " +
                     std::to_string(bits),
                 "use recipe 'transpose'"};
  if (bits == 4)
    return DenseOperand{
        bits,
        /*chunks=*/1,
        {{getByteRegisters(step, ByteHalf::Low), 0, true, /*columnSet=*/0},
         {getByteRegisters(step, ByteHalf::High), 0, true, /*columnSet=*/1}},
        splitColumns(step.output),
        std::nullopt};
  if (bits != 16)
    return Error{"a dense operand has 4, 8 or 16 bits, but got " +
                 std::to_string(bits)};
  Result<LinearLayout> rows = getWordRows(*step.mma);
  if (!rows)
    return rows.error();
  Result<LinearLayout> output = buildOutput(step, *rows);
  if (!output)
    return output.error();
  DenseOperand operand{bits, /*chunks=*/2, {}, *output, std::nullopt};
  for (const DigitPlane &digit : digitPlanes(bits, true, kRadixBits))
    operand.planes.push_back(getWordPlane(step, digit));
  return operand;
}

//===----------------------------------------------------------------------===//
// Sparse operand
//===----------------------------------------------------------------------===//

std::string_view mlir::magicube::getRequiredRecipe(int32_t sparseBits) {
  return sparseBits == 4 ? "transpose-nibble" : "";
}

std::string_view mlir::magicube::getInt4Recipe(Int4Form form,
                                               int32_t sparseBits) {
  bool isNibble = sparseBits == kNibbleBits;
  switch (form) {
  case Int4Form::Spread:
    return isNibble ? "int4-spread-nibble" : "int4-spread";
  case Int4Form::Merge:
    return isNibble ? "int4-merge-nibble" : "int4-merge";
  case Int4Form::MergeOrdered:
    return isNibble ? "int4-merge-ordered" : "";
  case Int4Form::None:
    break;
  }
  return "";
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
  if (bits == kRadixBits)
    return {{word(0), word(1)}, {half, half}};
  uint16_t selector = digit.shift / kRadixBits ? kOddBytes : kEvenBytes;
  return {{{0, 1, selector}, {2, 3, selector}}, {half, half}};
}

/// The registers of one digit, for the even (0) or the odd (1) columns.
static std::vector<OperandRegister> getDigitRegisters(const StepLayout &step,
                                                      const DigitBytes &bytes,
                                                      int32_t set) {
  std::vector<std::vector<NibbleSource>> registers;
  if (step.int4 == Int4Form::Spread) {
    for (int32_t i : {0, 1})
      registers.push_back(spreadNibbles(bytes.sources[i], bytes.halves[i]));
  } else {
    registers.push_back(
        mergeNibbles(bytes.sources[0], bytes.sources[1], bytes.halves[0]));
    if (step.isNibbleLhs) // a loaded word is what the MMA takes
      for (int32_t i = 0; i < kRegisterNibbles; ++i)
        registers.back()[i].nibble = i;
  }
  bool isMoved = set == 1 && step.int4 != Int4Form::MergeOrdered;
  std::vector<OperandRegister> result;
  for (std::vector<NibbleSource> &nibbles : registers)
    result.push_back(getNibbleRegister(
        isMoved ? rotateNibbles(std::move(nibbles)) : std::move(nibbles)));
  return result;
}

/// A lane loads 8 positions: their nibbles are the digits.
static SparseOperand getNibbleSparseOperand(const StepLayout &step,
                                            int32_t bits) {
  int32_t storageBits = bits == 12 ? 16 : bits;
  SparseOperand operand{bits, storageBits / kNibbleBits, {}};
  operand.raisesOddLanes = step.sharesColumns;
  std::vector<DigitPlane> digits = digitPlanes(bits, true, kNibbleBits);
  for (const DigitPlane &digit : digits)
    for (int32_t set = 0; set < (step.sharesColumns ? 1 : 2); ++set)
      operand.planes.push_back(
          {getDigitRegisters(step, getDigitBytes(bits, digit), set),
           digit.shift, digit == digits.back(), set});
  return operand;
}

Result<SparseOperand> mlir::magicube::getSparseOperand(const StepLayout &step,
                                                       int32_t bits) {
  if (bits != 4 && bits != 8 && bits != 12 && bits != 16)
    return Error{"a sparse operand has 4, 8, 12 or 16 bits, but got " +
                 std::to_string(bits)};
  if (step.int4 != Int4Form::None) {
    if (step.isNibbleLhs != (bits == kNibbleBits))
      return Error{"recipe '" + step.recipe + "' takes a sparse operand of " +
                       (step.isNibbleLhs ? "4 bits" : "8 bits or more") +
                       ", but got " + std::to_string(bits),
                   "use recipe 'int4-merge' from 8 bits on, "
                   "'int4-merge-nibble' below"};
    return getNibbleSparseOperand(step, bits);
  }
  bool isNibbleRecipe = step.isNibbleLhs;
  if (isNibbleRecipe != (bits == 4))
    return Error{"recipe '" + step.recipe + "' takes a sparse operand of " +
                     (isNibbleRecipe ? "4 bits" : "8 bits or more") +
                     ", but got " + std::to_string(bits),
                 "use recipe 'transpose' from 8 bits on, 'transpose-nibble' "
                 "below"};
  if (!step.lhsPermutes.empty() && bits != 8)
    return Error{"recipe '" + step.recipe +
                     "' takes a sparse operand of 8 bits, but got " +
                     std::to_string(bits),
                 "use recipe 'transpose'"};
  auto whole = [](int32_t word) {
    return OperandRegister{0, {word, word, kIdentitySelector}, ByteHalf::Whole};
  };
  switch (bits) {
  case 4: // positions alternate between the registers, or follow the gather
    if (!step.registersAlternate)
      return SparseOperand{bits,
                           1,
                           {{{getNibbleRegister(splitNibbles(0)),
                              getNibbleRegister(splitNibbles(4))},
                             0,
                             true,
                             0}}};
    return SparseOperand{bits,
                         1,
                         {{{{0, {0, 0, kIdentitySelector}, ByteHalf::Low},
                            {0, {0, 0, kIdentitySelector}, ByteHalf::High}},
                           0,
                           true,
                           0}}};
  case 8:
    return SparseOperand{bits, 2, {{{whole(0), whole(1)}, 0, true, 0}}};
  case 12: // stored in 16
  case 16: {
    SparseOperand operand{bits, 4, {}};
    for (const DigitPlane &digit : digitPlanes(bits, true, kRadixBits)) {
      uint16_t selector = digit.shift ? kOddBytes : kEvenBytes;
      operand.planes.push_back({{{0, {0, 1, selector}, ByteHalf::Whole},
                                 {0, {2, 3, selector}, ByteHalf::Whole}},
                                digit.shift,
                                digit.shift != 0,
                                0});
    }
    return operand;
  }
  default:
    return Error{"a sparse operand has 4, 8, 12 or 16 bits, but got " +
                 std::to_string(bits)};
  }
}
