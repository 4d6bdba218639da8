//===- SRBCRSMatrix.h - A sparse matrix in kernel storage -----------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The components of StorageLayout with their sizes: what the packer makes, the
// kernels read and the unpacker takes apart. validate() states every rule that
// a kernel relies on.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_FORMAT_SRBCRSMATRIX_H
#define MAGICUBE_FORMAT_SRBCRSMATRIX_H

#include "magicube/Format/StorageLayout.h"

#include <cstdint>
#include <vector>

namespace mlir::magicube {

/// Column indices as 32-bit or 16-bit containers.
class IndexArray {
public:
  explicit IndexArray(IndexWidth width = IndexWidth::I32) : width(width) {}

  int64_t size() const {
    return static_cast<int64_t>(bytes.size()) / containerBytes();
  }
  /// The column at position `p`, or kPaddingIndex for either width's padding.
  int32_t operator[](int64_t p) const {
    if (width == IndexWidth::I32) {
      int32_t column;
      std::memcpy(&column, &bytes[p * sizeof(column)], sizeof(column));
      return column;
    }
    uint16_t column;
    std::memcpy(&column, &bytes[p * sizeof(column)], sizeof(column));
    return column == kPaddingIndexU16 ? kPaddingIndex : column;
  }
  void set(int64_t p, int32_t column) {
    // Little-endian: the low half of a column is its 16-bit container.
    std::memcpy(&bytes[p * containerBytes()], &column, containerBytes());
  }
  /// New entries are padding.
  void resize(int64_t size) { bytes.resize(size * containerBytes(), 0xFF); }
  void reserve(int64_t size) { bytes.reserve(size * containerBytes()); }

  const uint8_t *data() const { return bytes.data(); }
  int64_t containerBytes() const { return width == IndexWidth::I32 ? 4 : 2; }
  IndexWidth indexWidth() const { return width; }

private:
  IndexWidth width;
  std::vector<uint8_t> bytes;
};

/// An owned M x K matrix. Leading batch dimensions are folded into `rows`.
struct SRBCRSMatrix {
  /// M, a multiple of V.
  int64_t rows = 0;
  /// K.
  int64_t cols = 0;
  SRBCRSEncoding encoding;
  ElementType type;
  /// [rows / V][slabs][2]: start and end in stored vectors.
  std::vector<int32_t> pointers;
  IndexArray indices;
  /// Containers as raw bytes; empty for a pattern.
  std::vector<uint8_t> values;
  /// Vectors without padding. Pointers give it too in natural order only.
  int64_t vectors = 0;

  /// Vectors including padding.
  int64_t stored() const { return indices.size(); }
  int64_t vectorRows() const { return rows / encoding.vector; }
  int64_t slabs() const { return encoding.slabCount(cols); }
  /// The layout of a rows x cols operand; fails as StorageLayout::get.
  Result<StorageLayout> layout() const {
    return StorageLayout::get(encoding, {rows, cols}, type);
  }

  /// Checks everything that kernels rely on, for matrices that come as
  /// components. Messages name vector-row, slab and position.
  /// - Sizes of the arrays follow from rows, cols, encoding and stored().
  /// - Groups lie one after another without gaps, each starts on a stride.
  /// - Natural: [start, end) holds distinct columns of the row's slab, in any
  ///   order; the rest of the last stride is padding index and zero values.
  /// - Bank-aware: end is a multiple of the stride as well, each position has
  ///   a column of its slab, and vectors with a value have distinct columns.
  /// - Values lie in the element type's range (12 bits in 16).
  Status validate() const;
};

} // namespace mlir::magicube

#endif // MAGICUBE_FORMAT_SRBCRSMATRIX_H
