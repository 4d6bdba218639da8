//===- ResultPacking.h - Words of narrow results --------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How lanes trade results of 8 and 4 bits until each has neighbouring columns
// of a row, to be stored as whole words.
//
//===----------------------------------------------------------------------===//
//
// A lane has a few results, its *slots*, of some components and columns; which
// ones is a linear map over bits (DenseOperand::output). A word of four bytes
// (eight nibbles) of one row wants the low two (three) column bits inside a
// lane. Those that are not, belong to a bit of the lane; it changes places with
// a slot bit that a word has no use for, which is one shuffle:
//
//     traded   lane bit 2 (column bit 1) for position bit 1 (vector bit 0)
//     before   lane 4g + t: vectors 2t and 2t + 1 of columns 2g and 2g + 1
//     after    lane 4g + t: vector 2t + (g & 1) of columns 4(g / 2) + 0..3
//
// Values are bytes meanwhile, four to a word by *position*, whose low bits are
// the low column bits in the end. Nibbles are put together last; a lane with
// four of them has half a word, and a lane bit says which half.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LAYOUT_RESULTPACKING_H
#define MAGICUBE_LAYOUT_RESULTPACKING_H

#include "magicube/Layout/OperandPlanes.h"

namespace mlir::magicube {

struct ResultPacking {
  /// Position -> slot: (part * registers + register) of an accumulator.
  std::vector<int32_t> slots;
  /// Trades of bytes, in order: `registerBit` is a bit of the position.
  std::vector<LaneExchange> exchanges;
  /// (lane, position) -> (vector, column) after that.
  LinearLayout output;
  /// The lane bit that is the word's highest column bit: lanes where it is 0
  /// have the low half of a word, and take the other from the lane where it is
  /// 1. Only for 4 values a lane of 4 bits.
  std::optional<int32_t> halfLaneBit;
};

/// The packing of results of 8 or 4 bits. Errors: another width, or an operand
/// whose lanes have too few values or more than one bit for a column bit.
Result<ResultPacking> getResultPacking(const DenseOperand &operand,
                                       int32_t bits);

} // namespace mlir::magicube

#endif // MAGICUBE_LAYOUT_RESULTPACKING_H
