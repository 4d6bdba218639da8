//===- StationaryKTiles.h - Dense rows in K-tiles ------------- -*- C++ -*-===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dense rows that do not fit in shared memory together: K-tiles of so many of
// them, some of which are there at once.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_CONVERSION_PLACEMENT_STATIONARYKTILES_H
#define MAGICUBE_LIB_CONVERSION_PLACEMENT_STATIONARYKTILES_H

#include "DenseTile.h"
#include "RowReader.h"

namespace mlir::magicube {

struct StationaryKTiles {
  DenseTile dense;
  RowReader reader;
  /// K, and rows of a K-tile (the last may have less).
  int64_t numRows, tileRows;
  /// K-tiles in all, and in shared memory at once.
  int64_t count, stages;
  Value ring;

  /// Starts the copies of K-tile `index`, if there is one, to its place in the
  /// ring. Every index has a group of copies, so that they can be counted.
  void fill(Arithmetic e, Value index) const;
  /// Waits for the oldest K-tile of the ring; all threads of the CTA meet.
  void awaitOldest(Arithmetic e) const;

  /// A K-tile that is there: its first row and last row in the ring's place.
  struct KTile {
    Value firstColumn, slot, lastRow;
  };
  KTile getTile(Arithmetic e, Value index) const;

  /// The row that a lane reads for a column index. Padding reads the last row.
  static Value getRow(Arithmetic e, const KTile &tile, Value column) {
    return e.min(e.sub(column, tile.firstColumn), tile.lastRow);
  }
  Value ldsRows(Arithmetic e, const KTile &tile, Value row, int64_t chunk,
                int64_t call) const {
    return reader.create(e, ring, row, tile.slot, chunk, call);
  }
};

} // namespace mlir::magicube

#endif // MAGICUBE_LIB_CONVERSION_PLACEMENT_STATIONARYKTILES_H
