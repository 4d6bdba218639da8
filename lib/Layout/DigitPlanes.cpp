//===- DigitPlanes.cpp - Wide integers as digits of a narrow type ---------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Digits by shift and mask; two's complement makes the sign a property of the
// top digit alone.
//
//===----------------------------------------------------------------------===//

#include "magicube/Layout/DigitPlanes.h"

#include <algorithm>

using namespace mlir::magicube;

std::vector<DigitPlane> mlir::magicube::digitPlanes(int32_t bits, bool isSigned,
                                                    int32_t radixBits) {
  std::vector<DigitPlane> planes;
  for (int32_t shift = 0; shift < bits; shift += radixBits) {
    int32_t width = std::min(radixBits, bits - shift);
    bool isTop = shift + width == bits;
    planes.push_back({shift, width, isSigned && isTop});
  }
  return planes;
}

int32_t mlir::magicube::digitOf(int32_t value, const DigitPlane &plane) {
  uint32_t mask = uint32_t((uint64_t(1) << plane.bits) - 1);
  uint32_t digit = (uint32_t(value) >> plane.shift) & mask;
  uint32_t sign = uint32_t(1) << (plane.bits - 1);
  if (plane.isSigned)
    digit = (digit ^ sign) - sign;
  return int32_t(digit);
}
