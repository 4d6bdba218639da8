//===- SparseFloatMatrix.h - Sparse matrices of floats --------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scores and probabilities: values of a float format beside the pointers and
// indices of a pattern, at the places where integers would be.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_FORMAT_SPARSEFLOATMATRIX_H
#define MAGICUBE_FORMAT_SPARSEFLOATMATRIX_H

#include "magicube/Format/FloatMatrix.h"
#include "magicube/Format/SRBCRSMatrix.h"

#include <variant>

namespace mlir::magicube {

struct SparseFloatMatrix {
  /// Of type i1.
  SRBCRSMatrix pattern;
  FloatFormat format = FloatFormat::F32;
  /// Component v of stored vector p is element StorageLayout::valueOffset(p,
  /// v); every value is one of `format`, padding is +0.
  std::vector<float> values;
};

/// What sparse operations give and take: integers or floats.
using SparseValue = std::variant<SRBCRSMatrix, SparseFloatMatrix>;

} // namespace mlir::magicube

#endif // MAGICUBE_FORMAT_SPARSEFLOATMATRIX_H
