//===- PackDense.cpp - Dense matrices to SR-BCRS --------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the columns of a vector-row with a nonzero by combining its rows in
// storage order, then copies their values.
//
//===----------------------------------------------------------------------===//

#include "MatrixBuilder.h"
#include "Message.h"

#include "magicube/Format/Packer.h"

#include <algorithm>

namespace mlir::magicube {

/// Appends the vector-rows of `dense`, whose containers are of type T.
/// `rowSource(r, v)` gives row r, component v of its vector-row, as T values
/// that stay valid until the next vector-row.
template <typename T, typename RowSource>
static Status appendRows(MatrixBuilder &builder, const DenseView &dense,
                         RowSource rowSource) {
  const int64_t vectorLength = builder.layout().encoding().vector;
  const ElementType type = dense.type;
  std::vector<T> combined(dense.cols);
  std::vector<const T *> rows(vectorLength);
  std::vector<int32_t> columns;
  for (int64_t base = 0; base < dense.rows; base += vectorLength) {
    std::fill(combined.begin(), combined.end(), T(0));
    for (int64_t v = 0; v < vectorLength; ++v) {
      rows[v] = rowSource(base + v, v);
      for (int64_t c = 0; c < dense.cols; ++c)
        combined[c] |= rows[v][c];
    }
    columns.clear();
    for (int64_t c = 0; c < dense.cols; ++c)
      if (combined[c])
        columns.push_back(static_cast<int32_t>(c));
    if (Status s = builder.appendRow(columns.data(), columns.size()); !s)
      return s;
    for (size_t i = 0; i < columns.size(); ++i)
      for (int64_t v = 0; v < vectorLength; ++v) {
        T value = rows[v][columns[i]];
        // Only 12-bit containers can hold more than their type.
        if (!type.fits(value))
          return Error{message("row ", base + v, ", column ", columns[i],
                               ": value ", int64_t(value), " does not fit ",
                               type.describe())};
        builder.set(i, v, value);
      }
  }
  return Status::success();
}

/// Containers of type T are read where they lie.
template <typename T>
static Status appendContainers(MatrixBuilder &builder, const DenseView &dense) {
  return appendRows<T>(builder, dense, [&](int64_t r, int64_t) {
    return reinterpret_cast<const T *>(dense.row(r));
  });
}

/// Nibbles are widened to bytes, V rows at a time.
static Status appendNibbles(MatrixBuilder &builder, const DenseView &dense) {
  std::vector<int8_t> wide(builder.layout().encoding().vector * dense.cols);
  return appendRows<int8_t>(builder, dense, [&](int64_t r, int64_t v) {
    int8_t *row = wide.data() + v * dense.cols;
    for (int64_t c = 0; c < dense.cols; ++c)
      row[c] = static_cast<int8_t>(dense.at(r, c));
    return row;
  });
}

Result<SRBCRSMatrix> packDense(const DenseView &dense,
                               const SRBCRSEncoding &encoding) {
  auto builder =
      MatrixBuilder::create(dense.rows, dense.cols, dense.type, encoding, 0);
  if (!builder)
    return builder.error();
  const bool isSigned = dense.type.isSigned;
  Status status;
  switch (dense.type.containerBits()) {
  case 8:
    status = dense.type.isPacked() ? appendNibbles(*builder, dense)
             : isSigned            ? appendContainers<int8_t>(*builder, dense)
                                   : appendContainers<uint8_t>(*builder, dense);
    break;
  case 16:
    status = isSigned ? appendContainers<int16_t>(*builder, dense)
                      : appendContainers<uint16_t>(*builder, dense);
    break;
  case 32:
    status = isSigned ? appendContainers<int32_t>(*builder, dense)
                      : appendContainers<uint32_t>(*builder, dense);
    break;
  default:
    status = Error{"expected dense values, but got a pattern type"};
  }
  if (!status)
    return status.error();
  return builder->take();
}

} // namespace mlir::magicube
