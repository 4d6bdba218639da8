//===- OperandLayout.h - How operands become those of MMAs ----------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The choices that there are; StepLayout.h computes lanes, registers and
// selectors from them. docs/Precision.md says which pays when.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LAYOUT_OPERANDLAYOUT_H
#define MAGICUBE_LAYOUT_OPERANDLAYOUT_H

#include "magicube/Layout/MmaTable.h"
#include "magicube/Support/Result.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace mlir::magicube {

/// What MMA operand A is made of: the gathered rows of the dense operand, of
/// which ldmatrix leaves bytes of two columns in each register.
enum class OperandForm {
  /// A byte permute of two raw registers makes a register of one column.
  Transposed,
  /// The raw registers: k alternates between even and odd columns, and operand
  /// B has zeros in one half of them. Up to V = 4.
  Interleaved,
  /// The raw registers of 16-bit values: k alternates between low and high
  /// bytes.
  Raw,
  /// MMAs of 4 bits on transposed bytes as they are: k alternates between even
  /// and odd columns.
  Spread,
  /// MMAs of 4 bits on the nibbles of two transposed registers, merged to one
  /// of one column.
  Merged,
};

/// Which stored positions lie next to each other in a matrix of ldmatrix. It
/// decides which bytes a permute has to move.
enum class GatherOrder {
  /// Positions that differ in bit 1. All have the phases that the bank-aware
  /// order of storage is made for.
  Standard,
  /// Positions that differ in bit 0: the values that an interleaved register of
  /// operand B needs are in one loaded word. Transposed: for comparison.
  Paired,
  /// Sparse operands of 4 bits as if they were of 8: their nibbles are moved to
  /// their places in registers, which the other orders save. For comparison.
  Stored,
};

/// What the columns of the MMA that V < 8 leaves are used for, beyond what the
/// form needs.
enum class IdleColumns {
  None,
  /// The second digit of a wide unsigned operand: of the dense one if raw, else
  /// of the sparse one.
  Digits,
};

inline constexpr std::array kOperandForms = {
    OperandForm::Transposed, OperandForm::Interleaved, OperandForm::Raw,
    OperandForm::Spread, OperandForm::Merged};
inline constexpr std::array kGatherOrders = {
    GatherOrder::Standard, GatherOrder::Paired, GatherOrder::Stored};
inline constexpr std::array kIdleColumns = {IdleColumns::None,
                                            IdleColumns::Digits};

/// As a value of the attribute `#magicube.operand_layout`.
struct OperandLayout {
  OperandForm form = OperandForm::Transposed;
  GatherOrder order = GatherOrder::Standard;
  IdleColumns idleColumns = IdleColumns::None;

  bool operator==(const OperandLayout &other) const {
    return form == other.form && order == other.order &&
           idleColumns == other.idleColumns;
  }
  bool operator!=(const OperandLayout &other) const {
    return !(*this == other);
  }
  bool hasDigits() const { return idleColumns == IdleColumns::Digits; }
  /// Whether it is for MMAs of 4 bits.
  bool isInt4() const {
    return form == OperandForm::Spread || form == OperandForm::Merged;
  }
  /// Whether the ldmatrix registers are operand A as they are.
  bool hasRawRegisters() const {
    return form == OperandForm::Interleaved || form == OperandForm::Raw;
  }
};

/// Bits of the operands' values.
struct OperandWidths {
  /// 4, 8, 12 or 16.
  int32_t sparse = 8;
  /// 4, 8 or 16.
  int32_t dense = 8;

  bool operator==(const OperandWidths &other) const {
    return sparse == other.sparse && dense == other.dense;
  }
};

/// Words of the enumerations, as in IR.
std::string_view spelling(OperandForm form);
std::string_view spelling(GatherOrder order);
std::string_view spelling(IdleColumns use);
/// Those of a layout, without defaults, as in "interleaved,paired,digits".
std::string spelling(OperandLayout layout);
/// The inverse.
Result<OperandLayout> parseOperandLayout(std::string_view text);

/// All layouts that some operands have.
const std::vector<OperandLayout> &operandLayouts();

/// Fails if no operands have the layout; the note lists those that some have.
Status verifyLayout(OperandLayout layout);

/// The instruction of a layout: m16n8k32 of 8 bits, or of 4 the one whose k is
/// that of its form.
const MmaInstruction *getMma(OperandLayout layout);

/// Longest vectors that a layout takes.
int32_t getMaxVectorLength(OperandLayout layout);

/// Whether a layout is made for operands and vectors. Errors name what it takes
/// and, if another width is wanted, the layouts that take it.
Status verifyOperands(OperandLayout layout, OperandWidths widths,
                      int32_t vectorLength);

/// Fails if the layout needs unsigned operands and gets signed ones.
Status checkSigns(OperandLayout layout, bool unsignedSparse,
                  bool unsignedDense);

} // namespace mlir::magicube

#endif // MAGICUBE_LAYOUT_OPERANDLAYOUT_H
