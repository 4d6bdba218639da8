//===- DenseMatrix.cpp - Dense integer matrices in containers -------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Creation of dense matrices, and conversion from and to .npy arrays.
//
//===----------------------------------------------------------------------===//

#include "magicube/Format/DenseMatrix.h"

#include "Message.h"

#include "magicube/Format/Random.h"

namespace mlir::magicube {

Status checkDenseExtents(int64_t rows, int64_t cols) {
  if (rows < 1 || cols < 1)
    return Error{message("expected a dense matrix of at least 1 x 1, but got ",
                         rows, " x ", cols)};
  if (rows > kMaxDenseElements / cols)
    return Error{message("expected a dense matrix of at most ",
                         kMaxDenseElements, " elements, but got ", rows, " x ",
                         cols)};
  return Status::success();
}

Result<DenseMatrix> DenseMatrix::zeros(int64_t rows, int64_t cols,
                                       ElementType type) {
  if (Status status = checkDenseExtents(rows, cols); !status)
    return status.error();
  if (type.isPattern())
    return Error{"expected an element type with values, but got a pattern"};
  DenseMatrix matrix{rows, cols, type, {}};
  matrix.data.resize(rows * matrix.rowBytes());
  return matrix;
}

Result<DenseMatrix> DenseMatrix::random(int64_t rows, int64_t cols,
                                        ElementType type, uint64_t seed) {
  auto matrix = zeros(rows, cols, type);
  if (!matrix)
    return matrix;
  SeededValues values(type, seed);
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < cols; ++c)
      matrix->set(r, c, values(r * cols + c));
  return matrix;
}

Result<DenseMatrix> DenseMatrix::fromNpy(const NpyArray &array,
                                         ElementType type,
                                         const std::string &name) {
  if (!isInteger(array.type))
    return Error{message(name, ": expected an integer array, but got ",
                         npyTypeName(array.type)),
                 "quantize the values and save them as int8 or int16"};
  if (Status status = array.checkRank2(name); !status)
    return status.error();
  int64_t rows = array.shape[0], cols = array.shape[1];
  auto matrix = zeros(rows, cols, type);
  if (!matrix)
    return Error{message(name, ": ", matrix.error().message),
                 matrix.error().note};
  for (int64_t i = 0; i < rows * cols; ++i) {
    int64_t value = array.integerAt(i);
    // A 64-bit unsigned value beyond int64 reads as negative.
    bool overflows = array.type == NpyType::U64 && value < 0;
    if (overflows || !type.fits(value))
      return Error{message(name, ": value ",
                           overflows ? std::to_string(uint64_t(value))
                                     : std::to_string(value),
                           " at row ", i / cols, ", column ", i % cols,
                           " does not fit ", type.describe())};
    matrix->set(i / cols, i % cols, value);
  }
  return matrix;
}

/// The array type with one container per value.
static NpyType npyTypeFor(ElementType type) {
  switch (type.containerBits()) {
  case 8:
    return type.isSigned ? NpyType::I8 : NpyType::U8;
  case 16:
    return type.isSigned ? NpyType::I16 : NpyType::U16;
  default:
    return type.isSigned ? NpyType::I32 : NpyType::U32;
  }
}

NpyArray DenseMatrix::toNpy() const {
  NpyArray array;
  array.type = npyTypeFor(type);
  array.shape = {rows, cols};
  if (!type.isPacked()) {
    array.data = data;
    return array;
  }
  array.data.resize(rows * cols);
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < cols; ++c)
      array.data[r * cols + c] = static_cast<uint8_t>(at(r, c));
  return array;
}

} // namespace mlir::magicube
