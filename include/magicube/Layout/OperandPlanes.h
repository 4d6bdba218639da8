//===- OperandPlanes.h - MMA operands of other widths than 8 bits ---------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the byte view of a step (StepLayout) serves operands of 4, 12 and 16
// bits: digits, halves of bytes, and which accumulators they end in.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LAYOUT_OPERANDPLANES_H
#define MAGICUBE_LAYOUT_OPERANDPLANES_H

#include "magicube/Layout/StepLayout.h"

namespace mlir::magicube {

/// What an MMA takes of each byte of a register.
enum class ByteHalf {
  Whole,
  /// Low or high nibble, moved to the low half of the byte.
  Low,
  High,
  /// High nibble where it is: 16 times its value.
  HighInPlace,
};

/// One nibble of a register of a 4-bit MMA: number `nibble` (0 the lowest) of
/// the register that `bytes` makes; kZeroNibble: zero.
struct NibbleSource {
  BytePermute bytes;
  int32_t nibble;
};
inline constexpr int32_t kZeroNibble = -1;
inline constexpr int32_t kRegisterNibbles = 8;

/// A register of an MMA operand: bytes of two source registers, or one source
/// register as it is.
struct OperandRegister {
  /// Chunk of the group that the raw registers are of (dense operand only).
  int32_t chunk;
  /// Source registers and selector; selector kIdentitySelector: sourceA itself.
  BytePermute permute;
  ByteHalf half;
  /// Operands of 4 bits: its nibbles from the lowest on, in place of `permute`
  /// and `half`. Empty: those.
  std::vector<NibbleSource> nibbles = {};
};
inline constexpr uint16_t kIdentitySelector = 0x3210;

/// A register that differs between lanes: `prmt` with a selector of the lane's
/// case (SparseOperand::caseLaneBits). Source kZeroSource: zero bytes.
struct LanePermute {
  int32_t sourceA, sourceB;
  /// By case; one if all lanes have the same.
  std::vector<uint16_t> selectors;
};
inline constexpr int32_t kZeroSource = -1;
/// Slot of a plane that takes all k slots of its partner.
inline constexpr int32_t kAllSlots = -1;

/// An MMA operand made of an operand's registers, and what it stands for: a
/// digit of weight 2^shift. Only the top digit has the operand's sign, the
/// others are unsigned.
struct OperandPlane {
  /// Dense operand: operand A. Sparse operand: what lanePermutes start from.
  std::vector<OperandRegister> registers;
  int32_t shift;
  bool isTop;
  /// Dense operand of 4 bits: even (0) or odd (1) columns; else 0. MMAs of 4
  /// bits: planes of both operands have one, and those of equal ones are
  /// multiplied; a dense plane of kBothColumnSets holds both, and the sparse
  /// plane takes one of them.
  int32_t columnSet;
  /// Which k slots (even: 0, odd: 1) hold this digit of a dense operand, or are
  /// not zero in a sparse one. A sparse plane multiplies the dense planes of
  /// its slot.
  int32_t slot = kAllSlots;
  /// Sparse operand: operand B of each ldmatrix call, of `registers`.
  std::vector<std::vector<LanePermute>> lanePermutes = {};
  /// Dense operand of 4 bits: the operand is the digit times 2^scale, plus, if
  /// `includesLow`, the digit of the columns next to it.
  int32_t scale = 0;
  bool includesLow = false;

  bool multiplies(const OperandPlane &dense) const {
    return slot == kAllSlots || slot == dense.slot;
  }
  /// Whether the registers hold nibbles as bytes, which are biased if signed.
  bool isHalf() const {
    ByteHalf half = registers.front().half;
    return half == ByteHalf::Low || half == ByteHalf::High;
  }
};
inline constexpr int32_t kBothColumnSets = -1;

/// The dense operand of a width: a group of `chunks` 16-byte chunks of the 32
/// gathered rows becomes one MMA operand A per plane.
struct DenseOperand {
  int32_t bits;
  int32_t chunks;
  std::vector<OperandPlane> planes;
  /// (part, fragment, lane, register) -> (vector, column): which result an
  /// accumulator holds; `part` is the column set of its planes.
  LinearLayout output;
  /// Adds digits in neighbouring registers, then swaps registers between lanes,
  /// before they are what `output` says; see StepLayout.
  int32_t foldShift;
  std::optional<LaneExchange> exchange;

  /// Columns of a group.
  int32_t columns() const { return output.outputSize(dim::column); }
  int32_t columnSets() const { return output.inputSize(dim::part); }
};

/// The sparse operand of a width: a lane loads 8 positions of one component,
/// `words` 32-bit registers, and makes one MMA operand B per plane of them.
struct SparseOperand {
  int32_t bits;
  int32_t words;
  std::vector<OperandPlane> planes;
  /// Case of a lane: bit i is bit caseLaneBits[i] of its number.
  std::vector<int32_t> caseLaneBits;
  /// Lanes whose MMA column stands for odd columns of the dense operand have
  /// the nibbles of all planes one place further up. The lane's bit is the
  /// step's parityLaneBit.
  bool raisesOddLanes = false;
};

/// Nibbles that are signed are used as unsigned n + 8, with exact sums: the
/// MMA's sum is too large by 8 times the sum of the sparse values, which one
/// more MMA per step, with all of A = 8, computes in the same accumulator
/// layout.
inline constexpr uint32_t kNibbleBias = 0x08080808;

/// How bytes of two 4-bit values become operands for their even (low) and odd
/// (high) columns. Operations on the two registers together:
enum class NibbleForm {
  /// low: r & 0x0F (^ 8), high: r >> 4 & 0x0F (^ 8). 3 operations.
  Halves,
  /// Signed. low: r & 0x0F ^ 8, high: r & 0xF0, 16 times the value. 2.
  ScaledSigned,
  /// Unsigned. low: r & 0x0F, high: r, 16 times the value plus the low one,
  /// which the low columns' sum takes off again. 1.
  ScaledUnsigned,
};

/// Scaled sums are divided by 16 at the end, so 16 times a sum of products may
/// not wrap. That of the largest products, sparse digits of 8 bits times 4-bit
/// values (255 * 16 * -8), does from 65794 vectors on: a row of no more than
/// this many is exact.
inline constexpr int64_t kMaxScaledVectors = 65536;

/// The form for rows of no more than kMaxScaledVectors vectors (`isShort`), or
/// of any length.
NibbleForm getNibbleForm(bool isShort, bool isSigned);

/// The dense operand of a step. The form is that of 4 bits.
Result<DenseOperand> getDenseOperand(const StepLayout &step,
                                     NibbleForm form = NibbleForm::Halves);

/// The sparse operand of a step.
Result<SparseOperand> getSparseOperand(const StepLayout &step);

} // namespace mlir::magicube

#endif // MAGICUBE_LAYOUT_OPERANDPLANES_H
