//===- Encoding.h - Parameters of the SR-BCRS storage format --------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plain twin of the attribute #magicube.sr_bcrs: legal values, spellings
// and checks live here once, so that IR verifier, packer and tools cannot
// disagree. design.md section 3 is the contract.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_FORMAT_ENCODING_H
#define MAGICUBE_FORMAT_ENCODING_H

#include "magicube/Support/Result.h"

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace mlir::magicube {

/// Order of the vectors of one vector-row. Any order is correct for every
/// kernel; this is a promise about speed, and about where padding stands.
enum class VectorOrder {
  /// Ascending columns, padding at the end with the padding index.
  Natural,
  /// Shared-memory reads of eight vectors hit distinct banks as far as
  /// possible; padding stands anywhere, carries a column and zero values.
  BankAware,
};

/// Type of a stored column index.
enum class IndexWidth { I32, U16 };

inline constexpr std::array kVectorOrders = {VectorOrder::Natural,
                                             VectorOrder::BankAware};
inline constexpr std::array kIndexWidths = {IndexWidth::I32, IndexWidth::U16};

/// Legal vector lengths V (the published system has 2, 4 and 8).
inline constexpr std::array<int64_t, 5> kVectorLengths = {1, 2, 4, 8, 16};
/// Legal strides: vectors per unit of padding and of value layout.
inline constexpr std::array<int64_t, 4> kStrides = {8, 16, 32, 64};

/// Column index of a padding vector in natural order, by index type. Both are
/// all ones, so an index array is padded by filling its bytes with 0xFF.
inline constexpr int32_t kPaddingIndex = -1;
inline constexpr uint16_t kPaddingIndexU16 = 0xFFFF;

/// Most rows or columns of any matrix: indices and pointers are int32.
inline constexpr int64_t kMaxExtent = std::numeric_limits<int32_t>::max();
/// Most columns (K) that an index type can address beside its padding index.
inline constexpr int64_t kMaxColsI32 = kMaxExtent;
inline constexpr int64_t kMaxColsU16 = kPaddingIndexU16;

/// The order of values in memory, the one home of where a value is: runs of
/// `run` stored positions; in a run component by component, each the values of
/// neighbouring positions. In storage a run is a stride.
struct ValueOrder {
  /// Components of a vector.
  int64_t vector;
  /// Positions of a run, a power of two.
  int64_t run;

  /// Elements from a component to the next, and from a run to the next.
  int64_t componentPitch() const { return run; }
  int64_t runPitch() const { return run * vector; }
  /// Element of component `v` (0 <= v < vector) of position `p`.
  int64_t offset(int64_t p, int64_t v) const {
    return p / run * runPitch() + v * componentPitch() + p % run;
  }
};

/// Parameters of #magicube.sr_bcrs<vector, stride, order, slab, index>.
struct SRBCRSEncoding {
  /// V: consecutive rows that are kept or dropped together.
  int64_t vector = 8;
  /// Vectors per stride.
  int64_t stride = 32;
  VectorOrder order = VectorOrder::Natural;
  /// Columns per slab; vectors of a row are grouped by column / slab. 0: none.
  int64_t slab = 0;
  IndexWidth index = IndexWidth::I32;

  /// Checks every parameter against its legal values.
  Status verify() const;
  /// Checks that `cols` columns can be indexed (K >= 1, K <= maxCols()).
  Status verifyCols(int64_t cols) const;

  int64_t maxCols() const {
    return index == IndexWidth::U16 ? kMaxColsU16 : kMaxColsI32;
  }
  /// Slabs of a matrix with `cols` columns; 1 without slabs.
  int64_t slabCount(int64_t cols) const {
    return slab ? cols / slab + (cols % slab != 0) : 1;
  }
  ValueOrder valueOrder() const { return {vector, stride}; }
  /// Vectors stored for a group of `count` vectors: a multiple of the stride.
  int64_t paddedCount(int64_t count) const {
    return (count + stride - 1) / stride * stride;
  }
};

bool operator==(const SRBCRSEncoding &lhs, const SRBCRSEncoding &rhs);
inline bool operator!=(const SRBCRSEncoding &lhs, const SRBCRSEncoding &rhs) {
  return !(lhs == rhs);
}

/// Spellings in IR and messages: `natural`, `bank_aware`; `i32`, `u16`.
std::string_view spelling(VectorOrder order);
std::string_view spelling(IndexWidth index);
/// The inverse of `spelling`; nothing for an unknown word.
std::optional<VectorOrder> parseVectorOrder(std::string_view word);
std::optional<IndexWidth> parseIndexWidth(std::string_view word);

} // namespace mlir::magicube

#endif // MAGICUBE_FORMAT_ENCODING_H
