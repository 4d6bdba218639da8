//===- ElementType.h - Integer types of matrix elements -------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Widths, signedness, ranges and storage containers of the integers that sparse
// and dense operands hold: the only home of these facts.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_FORMAT_ELEMENTTYPE_H
#define MAGICUBE_FORMAT_ELEMENTTYPE_H

#include "magicube/Support/Result.h"

#include <cstdint>
#include <cstring>
#include <string>

namespace mlir::magicube {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
              "containers are little-endian and copied as they are");

/// An integer of 4, 8, 12, 16 or 32 bits, or a pattern (1 bit, no values).
/// Containers are little-endian: 4 bits are packed two to a byte with element
/// 0 in the low nibble; 12 bits are sign- or zero-extended in 16.
struct ElementType {
  int bits = 8;
  bool isSigned = true;

  /// Fails for a width that has no container.
  static Result<ElementType> get(int bits, bool isSigned);
  static ElementType pattern() { return {1, false}; }

  /// True if only positions are stored, no values.
  bool isPattern() const { return bits == 1; }
  /// Two values share a byte.
  bool isPacked() const { return bits == 4; }
  /// Width of the container: 8, 16 or 32 bits; 0 for a pattern.
  int containerBits() const {
    return bits == 1 ? 0 : bits <= 8 ? 8 : bits <= 16 ? 16 : 32;
  }

  /// Smallest and largest value.
  int64_t min() const { return isSigned ? -(int64_t(1) << (bits - 1)) : 0; }
  int64_t max() const {
    return (int64_t(1) << (isSigned ? bits - 1 : bits)) - 1;
  }
  bool fits(int64_t value) const { return value >= min() && value <= max(); }
  /// Bytes that `count` consecutive values take; an odd 4-bit tail fills up.
  int64_t bytesFor(int64_t count) const {
    return isPacked() ? (count + 1) / 2 : count * (containerBits() / 8);
  }

  /// The `index`-th value of an array that starts at `data`; 1 for a pattern.
  int64_t load(const uint8_t *data, int64_t index) const;
  /// Replaces the `index`-th value; `value` must fit.
  void store(uint8_t *data, int64_t index, int64_t value) const;

  /// `i8`, `u4`, ...
  std::string name() const;
  /// `i8 [-128, 127]`, for messages about a value that does not fit.
  std::string describe() const;
};

inline int64_t ElementType::load(const uint8_t *data, int64_t index) const {
  switch (containerBits()) {
  case 8:
    if (isPacked()) {
      int nibble = data[index / 2] >> (index % 2 * 4) & 0xF;
      return isSigned ? (nibble ^ 8) - 8 : nibble;
    }
    return isSigned ? int64_t(int8_t(data[index])) : int64_t(data[index]);
  case 16: {
    uint16_t raw;
    std::memcpy(&raw, data + index * sizeof(raw), sizeof(raw));
    return isSigned ? int64_t(int16_t(raw)) : int64_t(raw);
  }
  case 32: {
    uint32_t raw;
    std::memcpy(&raw, data + index * sizeof(raw), sizeof(raw));
    return isSigned ? int64_t(int32_t(raw)) : int64_t(raw);
  }
  default:
    return 1;
  }
}

inline void ElementType::store(uint8_t *data, int64_t index,
                               int64_t value) const {
  switch (containerBits()) {
  case 8:
    if (isPacked()) {
      int shift = index % 2 * 4;
      data[index / 2] = (data[index / 2] & ~(0xF << shift)) | (value & 0xF)
                                                                  << shift;
    } else {
      data[index] = static_cast<uint8_t>(value);
    }
    return;
  case 16: {
    uint16_t raw = static_cast<uint16_t>(value);
    std::memcpy(data + index * sizeof(raw), &raw, sizeof(raw));
    return;
  }
  case 32: {
    uint32_t raw = static_cast<uint32_t>(value);
    std::memcpy(data + index * sizeof(raw), &raw, sizeof(raw));
    return;
  }
  default:
    return;
  }
}

inline bool operator==(const ElementType &lhs, const ElementType &rhs) {
  return lhs.bits == rhs.bits && lhs.isSigned == rhs.isSigned;
}
inline bool operator!=(const ElementType &lhs, const ElementType &rhs) {
  return !(lhs == rhs);
}

} // namespace mlir::magicube

#endif // MAGICUBE_FORMAT_ELEMENTTYPE_H
