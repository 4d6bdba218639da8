//===- DenseMatrix.h - Dense integer matrices in containers ---------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Row-major dense operands as kernels read them. Every row starts on a byte, so
// a row of N 4-bit values takes ceil(N / 2) bytes, odd tail zero.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_FORMAT_DENSEMATRIX_H
#define MAGICUBE_FORMAT_DENSEMATRIX_H

#include "magicube/Format/ElementType.h"
#include "magicube/Format/Npy.h"

#include <cstdint>
#include <string>
#include <vector>

namespace mlir::magicube {

/// Most elements of a dense matrix that this library allocates (16 GiB of
/// 32-bit values): a typing error in a shape must not take the machine down.
inline constexpr int64_t kMaxDenseElements = int64_t(1) << 32;

/// Fails for extents below 1 and for too many elements.
Status checkDenseExtents(int64_t rows, int64_t cols);

/// A dense matrix that someone else owns, aligned to its containers.
struct DenseView {
  const uint8_t *data = nullptr;
  int64_t rows = 0;
  int64_t cols = 0;
  ElementType type;

  int64_t rowBytes() const { return type.bytesFor(cols); }
  const uint8_t *row(int64_t r) const { return data + r * rowBytes(); }
  int64_t at(int64_t r, int64_t c) const { return type.load(row(r), c); }
};

/// A dense matrix with its containers.
struct DenseMatrix {
  int64_t rows = 0;
  int64_t cols = 0;
  ElementType type;
  std::vector<uint8_t> data;

  /// All zero. Fails for extents below 1, a pattern type or too many elements.
  static Result<DenseMatrix> zeros(int64_t rows, int64_t cols,
                                   ElementType type);
  /// Uniform over the full range of `type`: element (r, c) is value number
  /// r * cols + c of SeededValues.
  static Result<DenseMatrix> random(int64_t rows, int64_t cols,
                                    ElementType type, uint64_t seed);
  /// One value per element of an array of rank 2, range checked against
  /// `type`. `name` is for messages.
  static Result<DenseMatrix> fromNpy(const NpyArray &array, ElementType type,
                                     const std::string &name);

  DenseView view() const { return {data.data(), rows, cols, type}; }
  int64_t rowBytes() const { return type.bytesFor(cols); }
  int64_t at(int64_t r, int64_t c) const { return view().at(r, c); }
  void set(int64_t r, int64_t c, int64_t value) {
    type.store(data.data() + r * rowBytes(), c, value);
  }
  /// A rank-2 array with one container per value (4-bit values in bytes).
  NpyArray toNpy() const;
};

} // namespace mlir::magicube

#endif // MAGICUBE_FORMAT_DENSEMATRIX_H
