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

#include "Int4Planes.h"

#include "magicube/Layout/DigitPlanes.h"

#include <algorithm>

using namespace mlir::magicube;

/// Digits are bytes: the MMAs' operand width.
static constexpr int32_t kRadixBits = 8;

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

/// `output` of bytes as that of their halves: the low column bit is the part.
static LinearLayout splitColumns(const LinearLayout &output) {
  LinearLayout split =
      LinearLayout::identity1D(2, dim::part, dim::column) * output;
  return split.sublayout({dim::part, dim::fragment, dim::lane, dim::reg},
                         {dim::vector, dim::column});
}

/// 16 bits, transposed.
static Result<DenseOperand> getWordOperand(const StepLayout &step) {
  // Rows g in chunk 0, then in chunk 1.
  LinearLayout rows =
      LinearLayout::identity1D(step.mma->m, dim::m, dim::column);
  Result<LinearLayout> output =
      getStepOutput(*step.mma, step.columnMeaning, rows, step.foldShift != 0,
                    step.exchange, step.fragments());
  if (!output)
    return output.error();
  DenseOperand operand{16,      /*chunks=*/2,   {},
                       *output, step.foldShift, step.exchange};
  for (const DigitPlane &digit : digitPlanes(operand.bits, true, kRadixBits))
    operand.planes.push_back(getWordPlane(step, digit));
  return operand;
}

/// 16 bits, raw: slots alternate between the digits.
static DenseOperand getRawWordOperand(const StepLayout &step) {
  DenseOperand operand{16,          step.chunks(),  {},
                       step.output, step.foldShift, step.exchange};
  std::vector<OperandRegister> raw = getByteRegisters(step, ByteHalf::Whole);
  if (step.foldShift) {
    operand.planes.push_back({raw, /*shift=*/0, /*isTop=*/true, 0});
    return operand;
  }
  for (const DigitPlane &digit : digitPlanes(operand.bits, true, kRadixBits))
    operand.planes.push_back({raw, digit.shift, digit.shift != 0,
                              /*columnSet=*/0, digit.shift / kRadixBits});
  return operand;
}

NibbleForm mlir::magicube::getNibbleForm(bool isShort, bool isSigned) {
  return !isShort   ? NibbleForm::Halves
         : isSigned ? NibbleForm::ScaledSigned
                    : NibbleForm::ScaledUnsigned;
}

/// 4 bits: low nibbles are the even columns, high ones the odd columns.
static DenseOperand getNibbleOperand(const StepLayout &step, NibbleForm form) {
  constexpr int32_t nibbleBits = 4;
  constexpr int32_t even = 0, odd = 1;
  OperandPlane low{getByteRegisters(step, ByteHalf::Low), 0, true, even};
  OperandPlane high{{}, 0, true, odd};
  switch (form) {
  case NibbleForm::Halves:
    high.registers = getByteRegisters(step, ByteHalf::High);
    break;
  case NibbleForm::ScaledSigned:
    high.registers = getByteRegisters(step, ByteHalf::HighInPlace);
    high.scale = nibbleBits;
    break;
  case NibbleForm::ScaledUnsigned:
    high.registers = getByteRegisters(step, ByteHalf::Whole);
    high.scale = nibbleBits;
    high.includesLow = true;
    break;
  }
  return {nibbleBits,
          step.chunks(),
          {std::move(low), std::move(high)},
          splitColumns(step.output),
          step.foldShift,
          step.exchange};
}

/// 8 bits: the step's registers.
static DenseOperand getByteOperand(const StepLayout &step) {
  return {8,
          step.chunks(),
          {{getByteRegisters(step, ByteHalf::Whole), /*shift=*/0,
            /*isTop=*/true, /*columnSet=*/0}},
          step.output,
          step.foldShift,
          step.exchange};
}

Result<DenseOperand> mlir::magicube::getDenseOperand(const StepLayout &step,
                                                     NibbleForm form) {
  switch (step.layout.form) {
  case OperandForm::Spread:
  case OperandForm::Merged:
    return getInt4DenseOperand(step);
  case OperandForm::Raw:
    return getRawWordOperand(step);
  case OperandForm::Transposed:
  case OperandForm::Interleaved:
    break;
  }
  if (step.widths.dense == 16)
    return getWordOperand(step);
  if (step.widths.dense == 8)
    return getByteOperand(step);
  return getNibbleOperand(step, form);
}

//===----------------------------------------------------------------------===//
// Sparse operand
//===----------------------------------------------------------------------===//

namespace {

/// Where the digits of a lane's 8 positions lie: which register, which byte.
struct ByteSource {
  int32_t source = kZeroSource;
  int32_t byte = 0;
};

/// What the MMA column of a lane takes: which k slots of operand A, and which
/// digit of the sparse values goes there.
struct LaneCase {
  int32_t slot;
  int32_t digit;
};

/// Finds the byte permutes that make operand B of what a lane loads.
class SparseBuilder {
public:
  explicit SparseBuilder(const StepLayout &step)
      : step(step),
        bits(step.widths.sparse), operand{bits, getWords(bits), {}, {}} {
    if (step.slots == SlotKind::Columns)
      operand.caseLaneBits.push_back(step.parityLaneBit);
    if (step.foldShift)
      operand.caseLaneBits.push_back(step.digitLaneBit);
  }

  Result<SparseOperand> build();

private:
  static int32_t getWords(int32_t bits) {
    return bits == 4 ? 1 : bits == 8 ? 2 : 4; // 12 bits are stored in 16
  }
  /// Sources of a plane's bytes: the loaded words, the halves of the word of 4
  /// bits, or the digits of 16 bits taken apart.
  std::vector<OperandRegister> getSources(const DigitPlane &digit,
                                          bool separates) const;
  ByteSource find(int32_t position, int32_t digit, bool separates) const;
  /// The position that byte `byte` of register `reg` of operand B has in a
  /// call, or none.
  std::optional<int32_t> getPosition(int32_t call, int32_t reg, int32_t byte,
                                     int32_t slot) const;
  LaneCase getCase(int32_t laneCase, const OperandPlane &plane) const;
  int32_t getCases() const { return 1 << operand.caseLaneBits.size(); }
  /// The permute of a register; nothing if one is not enough.
  std::optional<LanePermute> getPermute(int32_t call, int32_t reg,
                                        const OperandPlane &plane,
                                        bool separates) const;
  /// Operand B of all calls; nothing if that takes more than a permute of the
  /// plane's registers.
  bool addPermutes(OperandPlane &plane, bool separates) const;

  const StepLayout &step;
  int32_t bits;
  SparseOperand operand;
};

} // namespace

std::vector<OperandRegister> SparseBuilder::getSources(const DigitPlane &digit,
                                                       bool separates) const {
  if (bits == 4)
    return {{0, {0, 0, kIdentitySelector}, ByteHalf::Low},
            {0, {0, 0, kIdentitySelector}, ByteHalf::High}};
  std::vector<OperandRegister> sources;
  if (separates) {
    // Even bytes are low digits, odd ones high digits.
    uint16_t selector = digit.shift ? 0x7531 : 0x6420;
    for (int32_t word = 0; word < operand.words; word += 2)
      sources.push_back({0, {word, word + 1, selector}, ByteHalf::Whole});
    return sources;
  }
  for (int32_t word = 0; word < operand.words; ++word)
    sources.push_back({0, {word, word, kIdentitySelector}, ByteHalf::Whole});
  return sources;
}

ByteSource SparseBuilder::find(int32_t position, int32_t digit,
                               bool separates) const {
  if (bits == 4) // low halves are the even positions
    return {position % 2, position / 2};
  if (bits == 8 || separates)
    return {position / 4, position % 4};
  return {position / 2, 2 * (position % 2) + digit};
}

std::optional<int32_t> SparseBuilder::getPosition(int32_t call, int32_t reg,
                                                  int32_t byte,
                                                  int32_t slot) const {
  constexpr int32_t bytes = 4;
  if (!step.lhsPermutes.empty()) {
    const LhsPermute &permute = step.lhsPermutes[call];
    uint16_t selector = slot ? permute.oddSelector : permute.evenSelector;
    byte = selector >> (4 * byte) & 7;
    if (byte >= bytes)
      return std::nullopt;
  }
  return step.registersAlternate ? 2 * byte + reg : bytes * reg + byte;
}

LaneCase SparseBuilder::getCase(int32_t laneCase,
                                const OperandPlane &plane) const {
  // Bits are as in caseLaneBits: the parity, then the digit.
  bool isHighDigit = step.foldShift != 0 && laneCase >= getCases() / 2;
  LaneCase result{plane.slot == kAllSlots ? 0 : plane.slot, plane.shift != 0};
  if (step.slots == SlotKind::Columns)
    result.slot = laneCase & 1;
  if (step.needsUnsignedDense())
    result.slot = isHighDigit;
  if (step.needsUnsignedSparse())
    result.digit = isHighDigit;
  return result;
}

/// Which of a permute's sources `source` is (0 or 1), made one if there is room
/// for it; 2 if not.
static int32_t addSource(LanePermute &permute, int32_t source) {
  int32_t index = 0;
  for (int32_t *known : {&permute.sourceA, &permute.sourceB}) {
    if (*known == kZeroSource)
      *known = source;
    if (*known == source)
      return index;
    ++index;
  }
  return index;
}

std::optional<LanePermute> SparseBuilder::getPermute(int32_t call, int32_t reg,
                                                     const OperandPlane &plane,
                                                     bool separates) const {
  constexpr int32_t bytes = 4, selectorBits = 4;
  constexpr int32_t zeroByte = bytes; // the second source's, if that is zero
  LanePermute result{kZeroSource, kZeroSource, {}};
  bool hasZeros = false;
  for (int32_t i = 0; i < getCases(); ++i) {
    LaneCase laneCase = getCase(i, plane);
    int32_t selector = 0;
    for (int32_t byte = 0; byte < bytes; ++byte) {
      int32_t choice = zeroByte;
      std::optional<int32_t> position =
          getPosition(call, reg, byte, laneCase.slot);
      if (position) {
        ByteSource from = find(*position, laneCase.digit, separates);
        int32_t source = addSource(result, from.source);
        if (source == 2)
          return std::nullopt;
        choice = bytes * source + from.byte;
      }
      hasZeros |= !position;
      selector |= choice << (selectorBits * byte);
    }
    result.selectors.push_back(selector);
  }
  if (hasZeros && result.sourceB != kZeroSource)
    return std::nullopt;
  return result;
}

bool SparseBuilder::addPermutes(OperandPlane &plane, bool separates) const {
  plane.lanePermutes.clear();
  for (int32_t call = 0; call < step.calls(); ++call) {
    std::vector<LanePermute> &registers = plane.lanePermutes.emplace_back();
    for (int32_t reg = 0; reg < step.mma->bRegisters(); ++reg) {
      std::optional<LanePermute> permute =
          getPermute(call, reg, plane, separates);
      if (!permute)
        return false;
      registers.push_back(std::move(*permute));
    }
  }
  return true;
}

Result<SparseOperand> SparseBuilder::build() {
  std::vector<DigitPlane> digits = digitPlanes(bits, true, kRadixBits);
  if (step.needsUnsignedSparse())
    digits.resize(1); // stands for all of them
  bool hasSlotPlanes = step.slots == SlotKind::Digits && !step.foldShift;
  for (const DigitPlane &digit : digits)
    for (int32_t slot = 0; slot < (hasSlotPlanes ? 2 : 1); ++slot) {
      OperandPlane plane{{},
                         digit.shift,
                         /*isTop=*/&digit == &digits.back(),
                         /*columnSet=*/0,
                         hasSlotPlanes ? slot : kAllSlots};
      bool isDone = false;
      for (bool separates : {false, true}) {
        // Columns of both digits need both in one source.
        if (isDone || (separates && step.needsUnsignedSparse()))
          break;
        plane.registers = getSources(digit, separates);
        isDone = addPermutes(plane, separates);
      }
      if (!isDone)
        return Error{"operand layout '" + spelling(step.layout) +
                     "' has no byte permutes for " + std::to_string(bits) +
                     " bits"};
      operand.planes.push_back(std::move(plane));
    }
  return operand;
}

Result<SparseOperand> mlir::magicube::getSparseOperand(const StepLayout &step) {
  if (step.layout.isInt4())
    return getInt4SparseOperand(step);
  return SparseBuilder(step).build();
}
