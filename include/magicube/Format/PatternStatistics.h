//===- PatternStatistics.h - Numbers of a sparse matrix -------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the choice of a kernel depends on, of a packed matrix or of what a
// command line names, without packing it for a kernel.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_FORMAT_PATTERNSTATISTICS_H
#define MAGICUBE_FORMAT_PATTERNSTATISTICS_H

#include "magicube/Format/MatrixType.h"
#include "magicube/Format/SRBCRSMatrix.h"

#include <string>

namespace mlir::magicube {

struct PatternStatistics {
  /// Stored vectors without padding.
  int64_t vectors = 0;
  /// Those of the longest vector-row.
  int64_t longest = 0;
};

/// Of a packed matrix. In bank-aware order `longest` counts the row's padding,
/// up to one vector a column.
PatternStatistics getPatternStatistics(const SRBCRSMatrix &matrix);

/// Of the matrix that `text` names for the sparse type `type`: a `.mtx` file of
/// elements, an `.smtx` file of vectors or `random:MxK@D`, as makeArguments
/// takes them. An Error if it is none of these or does not fit the type.
Result<PatternStatistics> readPatternStatistics(const std::string &text,
                                                const MatrixType &type);

} // namespace mlir::magicube

#endif // MAGICUBE_FORMAT_PATTERNSTATISTICS_H
