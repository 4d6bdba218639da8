//===- StepLayout.h - One step of 32 stored vectors on Tensor Cores -------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The layout object that packer, kernel generator and tests share: which lane
// gathers what, how registers are permuted, who ends with which result.
//
//===----------------------------------------------------------------------===//
//
// A vector-row of the sparse matrix is a list of V x 1 vectors. A *step* takes
// 32 of them, at *positions* p = 0..31, together with the 32 dense rows that
// their column indices name, and computes
//
//     out[vector v][column n] += sum over p of lhs[v][p] * dense[index[p]][n].
//
// Operands are swapped: the dense rows are MMA operand A (16 columns of n as
// MMA rows), the sparse vectors operand B (V as MMA columns). Per step and 16
// bytes of n:
//
//   gather    each lane supplies the address of one 16-byte dense chunk to
//             ldmatrix.x4.trans; `gather` says of which position.
//   A         .trans works on 16-bit units, so a raw register holds two columns
//             (2g, 2g + 1) of two positions. Two ways to deal with that:
//               transposed   one byte permute of two raw registers makes a
//                            register of one column and four positions
//                            (`permutes`).
//               interleaved  raw registers are A as they are: their k slots
//                            alternate between even and odd columns. Half of
//                            the MMA's columns take the even slots, half the
//                            odd ones: B has zeros in the others
//                            (`lhsPermutes`). Needs V <= 4; nothing is permuted
//                            per column of n.
//   B         lane 4g + t loads 8 bytes of one vector from position 8t on:
//             registers 0 and 1. This is the storage order, so values are never
//             permuted; the order that A wants lies in `gather` alone.
//   mma       sums over its k slots (proved in the unit test).
//   output    which accumulator is which vector and column, after neighbouring
//             registers have been added (`foldShift`) and `exchange` has
//             swapped registers between lanes (interleaved only), so that a
//             lane ends with two neighbouring columns.
//
// A dense operand of 16 bits needs no permute at any V: its raw registers have
// low and high byte of one column in neighbouring k slots (`slots`), and B with
// zeros in every other slot picks one of them: form "raw".
//
// MMA columns that are idle at V < 8 can also hold a second digit of 8 bits,
// where both are unsigned: idle columns "digits". The lowest bit of the MMA
// column is the digit, so that both digits' sums are in neighbouring registers
// of one lane.
//
// A dense operand of 4 bits has two columns in each byte. Where MMAs of 4 bits
// take it, gather and byte permutes leave registers of four positions
// times an even (low nibbles) and an odd column (high ones). Spread, they are A
// as they are: B has its values in the low nibbles of bytes for the even
// columns, in the high ones for the odd, and zeros elsewhere; up to V = 4 one
// half of the MMA's columns does the even, the other the odd ones, beyond each
// has an MMA. Merged, nibbles of two registers are joined to eight positions of
// one column, by the fewest moves: see OperandPlanes.
//
// With fewer vectors than MMA columns for them, it does not matter what the
// lanes of the others hold: their results are not stored. With V = 16 there are
// two fragments of lhs (vectors 8 * fragment + g) and of accumulators per A
// fragment.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LAYOUT_STEPLAYOUT_H
#define MAGICUBE_LAYOUT_STEPLAYOUT_H

#include "magicube/Layout/MmaTable.h"
#include "magicube/Layout/OperandLayout.h"

#include <optional>

namespace mlir::magicube {

/// Stored positions that one step consumes.
inline constexpr int32_t kStepPositions = 32;

/// PTX `prmt.b32 d, raw[sourceA], raw[sourceB], selector`: byte i of d is byte
/// (selector >> 4i) & 7 of the eight bytes {sourceA: 0-3, sourceB: 4-7}.
struct BytePermute {
  int32_t sourceA;
  int32_t sourceB;
  uint16_t selector;

  bool operator==(const BytePermute &other) const {
    return sourceA == other.sourceA && sourceB == other.sourceB &&
           selector == other.selector;
  }
};

/// The byte permutes that spread a loaded lhs register for one ldmatrix call:
/// `prmt d, loaded, 0, selector`, by the slot (even or odd) of A's bytes that
/// the lane's MMA column takes. Selects among the bytes of four positions of 8
/// bits; OperandPlanes does the same with other widths.
struct LhsPermute {
  uint16_t evenSelector;
  uint16_t oddSelector;
};

/// A swap of values between lanes: what bit `laneBit` of the lane and bit
/// `registerBit` of the register select changes places. A lane keeps the
/// registers whose bit equals its own and trades the others with the lane that
/// differs in `laneBit` (`shfl.sync.bfly`).
struct LaneExchange {
  int32_t laneBit;
  int32_t registerBit;
};

/// What neighbouring k slots of operand A hold.
enum class SlotKind {
  /// Different positions of one column.
  Positions,
  /// An even and an odd column of one position (raw registers).
  Columns,
  /// Low and high byte of 16 bits of one position (raw registers).
  Digits,
};

/// One step, for one operand layout, widths of operands and a vector length.
struct StepLayout {
  OperandLayout layout;
  OperandWidths widths;
  const MmaInstruction *mma = nullptr;
  /// V: 1, 2, 4, 8 or 16.
  int32_t vectorLength = 0;

  /// (call, lane) -> (position, chunk): ldmatrix number `call` takes from
  /// `lane` the address of 16-byte chunk `chunk` (of a group of chunks) of the
  /// dense row at `position`. A bijection.
  LinearLayout gather;
  /// (position) -> (row): the row of a shared-memory tile that the dense row of
  /// a position is copied to. Rows of one phase are neighbours. A bijection.
  LinearLayout tileRow;
  /// (call, lane) -> (row, chunk): `gather` in rows of the tile.
  LinearLayout reader;
  /// Register r of MMA operand A, from the raw registers of one call. Empty:
  /// the raw registers themselves.
  std::vector<BytePermute> permutes;
  /// (fragment, lane, register, element) -> (vector, position): what a lane
  /// loads of the lhs. Where vector >= vectorLength it does not matter what.
  LinearLayout lhs;
  /// Loaded registers alternate in the positions instead of following one
  /// another.
  bool registersAlternate = false;
  SlotKind slots = SlotKind::Positions;
  /// How the loaded registers become operand B, by call. Empty: as they are.
  std::vector<LhsPermute> lhsPermutes;
  /// Bit of the lane that says which slots its MMA column takes, if SlotKind is
  /// Columns.
  int32_t parityLaneBit = 0;
  /// Bit of the lane that says which digit its MMA column stands for, if
  /// foldShift is not 0: the dense operand's if SlotKind is Digits, else the
  /// sparse operand's.
  int32_t digitLaneBit = 0;
  /// If not 0, accumulator registers 2i and 2i + 1 are digits of one result:
  /// register i is the first plus the second times 2^foldShift.
  int32_t foldShift = 0;
  /// (n) -> (vector, column): what an MMA column stands for.
  LinearLayout columnMeaning;
  /// (m) -> (column): which column of a group of chunks an MMA row is, up to
  /// its parity where operand B decides that.
  LinearLayout rowColumn;
  /// Applied to the accumulators before they are what `output` says.
  std::optional<LaneExchange> exchange;
  /// (fragment, lane, register) -> (vector, column): who ends with what. Values
  /// with vector >= vectorLength are not part of the result. Columns have the
  /// width of the MMA's operands, with SlotKind::Digits 16 bits; where even and
  /// odd ones of 4 bits have MMAs of their own, input `part` says which.
  LinearLayout output;
  /// (position) -> (phase): positions of the same phase are read from shared
  /// memory together, so their dense rows should differ modulo 8.
  LinearLayout phase;
  /// The two halves of the MMA's columns stand for the same vectors: for even
  /// and for odd columns.
  bool sharesColumns = false;

  /// MMAs per A fragment: 1, or 2 at V = 16.
  int32_t fragments() const { return output.inputSize(dim::fragment); }
  /// ldmatrix.x4 per group of chunks.
  int32_t calls() const { return gather.inputSize(dim::call); }
  /// 16-byte chunks in a group: what the accumulators of one fragment cover.
  int32_t chunks() const { return gather.outputSize(dim::chunk); }
  /// 32-bit registers of a lane that one ldmatrix.x4 fills.
  static constexpr int32_t rawRegisters() { return 4; }
  /// Columns of a group of chunks, of the width of the MMA's operands (with
  /// SlotKind::Digits 16 bits).
  int32_t columns() const { return output.outputSize(dim::column); }
  /// Whether only unsigned values have digits that can share an MMA.
  bool needsUnsignedSparse() const {
    return foldShift != 0 && slots != SlotKind::Digits;
  }
  bool needsUnsignedDense() const {
    return foldShift != 0 && slots == SlotKind::Digits;
  }
};

/// Computes the step of an operand layout. Errors: those of verifyOperands.
Result<StepLayout> getStepLayout(OperandLayout layout, OperandWidths widths,
                                 int32_t vectorLength);

/// (fragment, lane, register) -> (vector, column) of a step whose MMA rows are
/// the columns `rows`, (m) -> (column), and that exchanges as `exchange` says.
Result<LinearLayout> getStepOutput(const MmaInstruction &mma,
                                   const LinearLayout &columnMeaning,
                                   const LinearLayout &rows, bool isFolded,
                                   const std::optional<LaneExchange> &exchange,
                                   int32_t fragments);

} // namespace mlir::magicube

#endif // MAGICUBE_LAYOUT_STEPLAYOUT_H
