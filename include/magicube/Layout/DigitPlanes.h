//===- DigitPlanes.h - Wide integers as digits of a narrow type -----------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A b-bit operand as a sum of digits that an MMA can multiply:
// x = sum of digit_i << shift_i, low digits unsigned, the top one with x's
// sign.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LAYOUT_DIGITPLANES_H
#define MAGICUBE_LAYOUT_DIGITPLANES_H

#include <cstdint>
#include <vector>

namespace mlir::magicube {

/// One digit of every element of an operand.
struct DigitPlane {
  /// Weight of the digit: 2^shift.
  int32_t shift;
  /// Width of the digit; the top digit of 12 bits in radix 2^8 has 4.
  int32_t bits;
  /// MMA operands have one sign, so planes of different sign need two MMAs.
  bool isSigned;

  bool operator==(const DigitPlane &other) const {
    return shift == other.shift && bits == other.bits &&
           isSigned == other.isSigned;
  }
};

/// The digits of a `bits`-wide operand (1..32) in radix 2^radixBits (1..32; 8
/// and 4 have MMAs), lowest first. Only the last is signed, and only if the
/// operand is.
std::vector<DigitPlane> digitPlanes(int32_t bits, bool isSigned,
                                    int32_t radixBits);

/// The digit of `value` in a plane. A container wider than the operand is
/// sign-extended (12 bits in 16), so bits above the plane may be anything.
int32_t digitOf(int32_t value, const DigitPlane &plane);

} // namespace mlir::magicube

#endif // MAGICUBE_LAYOUT_DIGITPLANES_H
