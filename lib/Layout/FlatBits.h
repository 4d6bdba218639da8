//===- FlatBits.h - Dimensions as ranges of one word ----------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private to LinearLayout: the dimensions of one side of a layout share a
// 64-bit word, the first dimension lowest.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_LAYOUT_FLATBITS_H
#define MAGICUBE_LIB_LAYOUT_FLATBITS_H

#include "magicube/Layout/LinearLayout.h"

namespace mlir::magicube::detail {

/// Where the bits of a dimension lie in the flat word.
struct BitRange {
  int32_t shift = 0;
  int32_t bits = 0;
};

inline constexpr int32_t kMaxDimBits = 30;
inline constexpr int32_t kMaxTotalBits = 63;

inline bool isPowerOfTwo(int32_t size) {
  return size > 0 && (size & (size - 1)) == 0;
}

inline int32_t log2Size(int32_t size) {
  int32_t bits = 0;
  while ((int64_t(1) << bits) < size)
    ++bits;
  return bits;
}

inline int32_t totalBits(const std::vector<LayoutDim> &dims) {
  int32_t bits = 0;
  for (const LayoutDim &dim : dims)
    bits += log2Size(dim.size);
  return bits;
}

/// The range of a dimension; no bits if there is none of that name.
inline BitRange rangeOf(const std::vector<LayoutDim> &dims,
                        std::string_view name) {
  BitRange range;
  for (const LayoutDim &dim : dims) {
    range.bits = log2Size(dim.size);
    if (dim.name == name)
      return range;
    range.shift += range.bits;
  }
  return {};
}

inline uint64_t lowMask(int32_t bits) { return (uint64_t(1) << bits) - 1; }

inline int32_t extract(uint64_t flat, BitRange range) {
  return int32_t((flat >> range.shift) & lowMask(range.bits));
}

inline int32_t sizeOf(const std::vector<LayoutDim> &dims,
                      std::string_view name) {
  return int32_t(1) << rangeOf(dims, name).bits;
}

inline const LayoutDim *find(const std::vector<LayoutDim> &dims,
                             std::string_view name) {
  for (const LayoutDim &dim : dims)
    if (dim.name == name)
      return &dim;
  return nullptr;
}

/// Moves the bits of a flat word of `from` to where `to` has them. Dimensions
/// that `to` lacks are dropped. Both may differ in the sizes of a dimension if
/// the value fits.
inline uint64_t reflatten(uint64_t flat, const std::vector<LayoutDim> &from,
                          const std::vector<LayoutDim> &to) {
  uint64_t result = 0;
  for (const LayoutDim &dim : to)
    result |= uint64_t(extract(flat, rangeOf(from, dim.name)))
              << rangeOf(to, dim.name).shift;
  return result;
}

} // namespace mlir::magicube::detail

#endif // MAGICUBE_LIB_LAYOUT_FLATBITS_H
