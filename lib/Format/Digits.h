//===- Digits.h - Digits of wide operands in the references ---------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_FORMAT_DIGITS_H
#define MAGICUBE_LIB_FORMAT_DIGITS_H

#include "magicube/Format/ElementType.h"

namespace mlir::magicube {

inline constexpr int digitBits = 8;
inline constexpr float digitRadix = 1 << digitBits;

inline int countDigits(ElementType type) {
  return (type.bits + digitBits - 1) / digitBits;
}

/// Digit `digit` of `count` of a value: the highest is what is left, with its
/// sign.
inline int64_t getDigit(int64_t value, int digit, int count) {
  int64_t shifted = value >> digit * digitBits;
  return digit == count - 1 ? shifted : shifted & ((1 << digitBits) - 1);
}

} // namespace mlir::magicube

#endif // MAGICUBE_LIB_FORMAT_DIGITS_H
