//===- MatrixBuilder.cpp - Appends vector-rows to an SR-BCRS matrix -------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits a row into slabs, orders each group and writes its components.
//
//===----------------------------------------------------------------------===//

#include "MatrixBuilder.h"

#include "Message.h"

#include "magicube/Format/Packer.h"

#include <algorithm>

namespace mlir::magicube {

Result<MatrixBuilder> MatrixBuilder::create(int64_t rows, int64_t cols,
                                            ElementType type,
                                            const SRBCRSEncoding &encoding,
                                            int64_t expectedVectors) {
  auto layout = StorageLayout::get(encoding, {rows, cols}, type);
  if (!layout)
    return layout.error();
  int64_t slabs = encoding.slabCount(cols);
  int64_t vectorRows = rows / encoding.vector;
  if (vectorRows > kMaxPointerGroups / slabs)
    return Error{message("expected at most ", kMaxPointerGroups,
                         " groups of vectors, but got ", vectorRows,
                         " vector-rows of ", slabs, " slabs"),
                 "choose a longer vector or wider slabs"};

  MatrixBuilder builder(std::move(*layout));
  SRBCRSMatrix &matrix = builder.matrix;
  matrix.rows = rows;
  matrix.cols = cols;
  matrix.encoding = encoding;
  matrix.type = type;
  matrix.indices = IndexArray(encoding.index);
  matrix.pointers.reserve(2 * vectorRows * slabs);
  matrix.indices.reserve(expectedVectors);
  matrix.values.reserve(builder.storage.valueBytes(expectedVectors));
  return builder;
}

Status MatrixBuilder::appendGroup(const int32_t *columns, int64_t count,
                                  int64_t slab) {
  const SRBCRSEncoding &encoding = storage.encoding();
  int64_t start = matrix.stored();
  int64_t padded = encoding.paddedCount(count);
  if (start + padded > kMaxExtent)
    return Error{message("expected at most ", kMaxExtent,
                         " stored vectors (pointers are int32), but got ",
                         start + padded, " or more")};
  bool bankAware = encoding.order == VectorOrder::BankAware;
  matrix.pointers.push_back(static_cast<int32_t>(start));
  matrix.pointers.push_back(
      static_cast<int32_t>(start + (bankAware ? padded : count)));
  matrix.vectors += count;
  if (count == 0)
    return Status::success();

  matrix.indices.resize(start + padded);
  matrix.values.resize(storage.valueBytes(start + padded));
  if (!bankAware) {
    for (int64_t i = 0; i < count; ++i) {
      matrix.indices.set(start + i, columns[i]);
      valueBase.push_back(storage.valueOffset(start + i, 0));
    }
    return Status::success();
  }
  int64_t low = encoding.slab ? slab * encoding.slab : 0;
  int64_t high =
      encoding.slab ? std::min(matrix.cols, low + encoding.slab) : matrix.cols;
  bankOrder.assign(columns, count, padded, low, high);
  for (int64_t p = 0; p < padded; ++p)
    matrix.indices.set(start + p, bankOrder.columnsBySlot()[p]);
  for (int64_t i = 0; i < count; ++i)
    valueBase.push_back(storage.valueOffset(start + bankOrder.slot(i), 0));
  return Status::success();
}

Status MatrixBuilder::appendRow(const int32_t *columns, int64_t count) {
  valueBase.clear();
  int64_t slabs = matrix.slabs();
  int64_t begin = 0;
  for (int64_t slab = 0; slab < slabs; ++slab) {
    int64_t end = count;
    if (slab + 1 < slabs) {
      int64_t limit = (slab + 1) * storage.encoding().slab;
      for (end = begin; end < count && columns[end] < limit;)
        ++end;
    }
    if (Status s = appendGroup(columns + begin, end - begin, slab); !s)
      return s;
    begin = end;
  }
  return Status::success();
}

} // namespace mlir::magicube
