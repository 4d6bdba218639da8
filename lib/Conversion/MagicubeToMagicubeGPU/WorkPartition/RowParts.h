//===- RowParts.h - Equal parts of vector-rows ------------------*- C++ -*-===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every vector-row is cut into as many parts, and a warp does one: that of its
// vector-row that its CTA is for.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_CONVERSION_WORKPARTITION_ROWPARTS_H
#define MAGICUBE_LIB_CONVERSION_WORKPARTITION_ROWPARTS_H

#include "StoredPointers.h"

namespace mlir::magicube {

/// Part p of P of a vector-row of n steps is steps floor(n p / P) to
/// floor(n (p + 1) / P): about the same columns in all vector-rows whose
/// vectors are spread evenly.
struct RowParts {
  StoredPointers pointers;

  /// Stored positions of a warp, from a whole step of the vector-row on, and
  /// the padded end of the row.
  struct Range {
    Value first, limit, end;
  };
  /// Part `part` of `parts` (below 2^16) of vector-row `row`.
  Range load(Arithmetic e, Value row, Value part, Value parts) const;
};

} // namespace mlir::magicube

#endif // MAGICUBE_LIB_CONVERSION_WORKPARTITION_ROWPARTS_H
