//===- SampledRows.h - Rows that stored positions name ----------*- C++ -*-===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The column indices of a lane's positions, and the rows of the rhs there.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_CONVERSION_PLACEMENT_SAMPLEDROWS_H
#define MAGICUBE_LIB_CONVERSION_PLACEMENT_SAMPLEDROWS_H

#include "dialect/magicube/MagicubeDialect.h"
#include "magicube/GPU/Utils/Arithmetic.h"

namespace mlir::magicube {

struct SampledRows {
  Value indices;
  SRBCRSAttr encoding;
  /// The lane's part of the first row of the rhs, and bytes from row to row.
  Value rows, stride;

  /// Column indices of the lane's positions in the step at `position`, -1 for
  /// padding. Where the step, or the lane's part of it, lies behind `end`, the
  /// padded end of a vector-row that has vectors, memory in front of it is
  /// read.
  SmallVector<Value> loadColumns(Arithmetic e, Value position, Value end) const;

  /// Where the lane's part of the rows of `columns` begins; for padding it is
  /// some row that exists.
  SmallVector<Value> getRows(Arithmetic e, ValueRange columns) const;
};

} // namespace mlir::magicube

#endif // MAGICUBE_LIB_CONVERSION_PLACEMENT_SAMPLEDROWS_H
