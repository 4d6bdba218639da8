//===- StationaryRows.h - All dense rows of a tile of columns - -*- C++ -*-===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All K rows of a CTA's tile of columns, filled once.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_CONVERSION_PLACEMENT_STATIONARYROWS_H
#define MAGICUBE_LIB_CONVERSION_PLACEMENT_STATIONARYROWS_H

#include "DenseTile.h"
#include "RowReader.h"

namespace mlir::magicube {

struct StationaryRows {
  DenseTile dense;
  RowReader reader;
  int64_t numRows;
  Value tile;

  /// Starts the copies, as one group.
  void fill(Arithmetic e) const;
  /// Waits for all copies; all threads of the CTA meet.
  static void await(Arithmetic e);

  /// The row that a lane reads for a column index. Padding, which has no column
  /// and multiplies by zero, reads the last row.
  Value getRow(Arithmetic e, Value column) const {
    return e.min(column, e.constant(numRows - 1));
  }
  Value ldsRows(Arithmetic e, Value row, int64_t chunk, int64_t call) const {
    return reader.create(e, tile, row, /*slot=*/Value(), chunk, call);
  }
};

} // namespace mlir::magicube

#endif // MAGICUBE_LIB_CONVERSION_PLACEMENT_STATIONARYROWS_H
