//===- Unpacker.cpp - SR-BCRS to dense and COO, and reordering ------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything here validates first, so components from anywhere are safe.
//
//===----------------------------------------------------------------------===//

#include "Message.h"

#include "magicube/Format/Packer.h"
#include "magicube/Format/Random.h"

#include <utility>

namespace mlir::magicube {

/// Calls visit(vectorRow, begin, end) for each vector-row's stored positions.
/// Groups are contiguous, so a row spans its first start to its last end;
/// positions of padding in between have the padding index or zero values.
template <typename Visitor>
static void forEachRow(const SRBCRSMatrix &matrix, Visitor visit) {
  int64_t perRow = 2 * matrix.slabs();
  for (int64_t r = 0; r < matrix.vectorRows(); ++r)
    visit(r, int64_t(matrix.pointers[r * perRow]),
          int64_t(matrix.pointers[(r + 1) * perRow - 1]));
}

/// Component `v` at position `p`: 0 for padding, 1 for a pattern's vectors.
static int64_t valueAt(const SRBCRSMatrix &matrix, const StorageLayout &layout,
                       int64_t p, int64_t v) {
  if (matrix.indices[p] == kPaddingIndex)
    return 0;
  return matrix.type.load(matrix.values.data(), layout.valueOffset(p, v));
}

Result<DenseMatrix> unpackToDense(const SRBCRSMatrix &matrix) {
  if (Status s = matrix.validate(); !s)
    return s.error();
  ElementType type =
      matrix.type.isPattern() ? ElementType{8, false} : matrix.type;
  auto dense = DenseMatrix::zeros(matrix.rows, matrix.cols, type);
  auto layout = matrix.layout();
  if (!dense)
    return dense;
  const int64_t vectorLength = matrix.encoding.vector;
  forEachRow(matrix, [&](int64_t r, int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p)
      for (int64_t v = 0; v < vectorLength; ++v)
        if (int64_t value = valueAt(matrix, *layout, p, v))
          dense->set(r * vectorLength + v, matrix.indices[p], value);
  });
  return dense;
}

Result<CooMatrix> unpackToCoo(const SRBCRSMatrix &matrix) {
  if (Status s = matrix.validate(); !s)
    return s.error();
  if (matrix.type == ElementType{32, false})
    return Error{"expected values that fit i32, but got u32"};
  auto layout = matrix.layout();
  CooMatrix coo;
  coo.rows = matrix.rows;
  coo.cols = matrix.cols;
  const int64_t vectorLength = matrix.encoding.vector;
  forEachRow(matrix, [&](int64_t r, int64_t begin, int64_t end) {
    for (int64_t v = 0; v < vectorLength; ++v)
      for (int64_t p = begin; p < end; ++p)
        if (int64_t value = valueAt(matrix, *layout, p, v))
          coo.append(static_cast<int32_t>(r * vectorLength + v),
                     matrix.indices[p], static_cast<int32_t>(value));
  });
  return coo;
}

/// Exchanges the vectors at two stored positions.
static void swapVectors(SRBCRSMatrix &matrix, const StorageLayout &layout,
                        int64_t p, int64_t q) {
  int32_t column = matrix.indices[p];
  matrix.indices.set(p, matrix.indices[q]);
  matrix.indices.set(q, column);
  uint8_t *values = matrix.values.data();
  for (int64_t v = 0; v < matrix.encoding.vector; ++v) {
    int64_t a = layout.valueOffset(p, v), b = layout.valueOffset(q, v);
    int64_t value = matrix.type.load(values, a);
    matrix.type.store(values, a, matrix.type.load(values, b));
    matrix.type.store(values, b, value);
  }
}

Status shuffleVectors(SRBCRSMatrix &matrix, uint64_t seed) {
  if (Status s = matrix.validate(); !s)
    return s;
  auto layout = matrix.layout();
  uint64_t draws = 0;
  for (size_t group = 0; group < matrix.pointers.size(); group += 2) {
    int64_t start = matrix.pointers[group];
    // Fisher-Yates; the modulo bias is below 2^-32.
    for (int64_t p = matrix.pointers[group + 1] - 1; p > start; --p)
      swapVectors(matrix, *layout, p,
                  start + static_cast<int64_t>(splitMix64(seed, draws++) %
                                               uint64_t(p - start + 1)));
  }
  return Status::success();
}

} // namespace mlir::magicube
