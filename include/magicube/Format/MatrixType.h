//===- MatrixType.h - Types of a program's operands and results -----------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plain twin of a ranked tensor type of rank 2, for tools and bundles that
// know no IR.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_FORMAT_MATRIXTYPE_H
#define MAGICUBE_FORMAT_MATRIXTYPE_H

#include "magicube/Format/FloatMatrix.h"
#include "magicube/Format/StorageLayout.h"

namespace mlir::magicube {

/// What a program takes or gives: a sparse or dense matrix of integers or
/// floats, or a number of f32. Extents may be kDynamic.
struct MatrixType {
  /// Absent for a dense matrix.
  std::optional<SRBCRSEncoding> encoding;
  ElementType element;
  int64_t rows = kDynamic;
  int64_t cols = kDynamic;
  /// A matrix of `format`, not of `element`; a number is one of 1 x 1.
  bool isFloat = false;
  bool isNumber = false;
  FloatFormat format = FloatFormat::F32;

  bool isSparse() const { return encoding.has_value(); }
  /// Whether a rows x cols matrix is of this type.
  bool fits(int64_t actualRows, int64_t actualCols) const {
    return (rows == kDynamic || rows == actualRows) &&
           (cols == kDynamic || cols == actualCols);
  }
  /// Makes a vector, an array of rank 1, a row or a column where the type has
  /// just one row or one column; leaves other arrays alone.
  void reshapeVector(NpyArray &array) const;
  /// As in IR: `tensor<?x512xi8, #magicube.sr_bcrs<vector = 8>>`.
  std::string str() const;
};

/// Whether both are of the same kind, elements and declared extents.
bool operator==(const MatrixType &lhs, const MatrixType &rhs);

} // namespace mlir::magicube

#endif // MAGICUBE_FORMAT_MATRIXTYPE_H
