//===- MatrixBuilder.h - Appends vector-rows to an SR-BCRS matrix ---------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of packing that all sources share: positions, pointers, padding and
// value placement, one vector-row after another.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_FORMAT_MATRIXBUILDER_H
#define MAGICUBE_LIB_FORMAT_MATRIXBUILDER_H

#include "BankOrder.h"

#include "magicube/Format/SRBCRSMatrix.h"

#include <vector>

namespace mlir::magicube {

class MatrixBuilder {
public:
  /// An empty rows x cols matrix. `expectedVectors` only reserves memory.
  static Result<MatrixBuilder> create(int64_t rows, int64_t cols,
                                      ElementType type,
                                      const SRBCRSEncoding &encoding,
                                      int64_t expectedVectors);

  const StorageLayout &layout() const { return storage; }

  /// Appends the next vector-row with `count` ascending columns, values zero.
  Status appendRow(const int32_t *columns, int64_t count);

  /// Sets component `v` of columns[i] of the latest row; `value` must fit.
  void set(int64_t i, int64_t v, int64_t value) {
    storage.elementType().store(matrix.values.data(),
                                valueBase[i] + v * storage.encoding().stride,
                                value);
  }

  /// Hands over the matrix; all vector-rows must have been appended.
  SRBCRSMatrix take() { return std::move(matrix); }

private:
  explicit MatrixBuilder(StorageLayout layout) : storage(std::move(layout)) {}
  Status appendGroup(const int32_t *columns, int64_t count, int64_t slab);

  StorageLayout storage;
  SRBCRSMatrix matrix;
  BankOrder bankOrder;
  /// Value offset of component 0 of each column of the latest row.
  std::vector<int64_t> valueBase;
};

} // namespace mlir::magicube

#endif // MAGICUBE_LIB_FORMAT_MATRIXBUILDER_H
