//===- StationaryKTiles.cpp - Dense rows in K-tiles -----------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fill of places in the ring.
//
//===----------------------------------------------------------------------===//

#include "StationaryKTiles.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::magicube;
using namespace mlir::magicube_gpu;

/// Rows of a K-tile from row `first` of the dense operand on.
static Value getRows(Arithmetic e, const StationaryKTiles &tiles, Value first) {
  return e.min(e.sub(e.constant(tiles.numRows), first),
               e.constant(tiles.tileRows));
}

void StationaryKTiles::fill(Arithmetic e, Value index) const {
  e.emitIf(e.isBelow(index, e.constant(count)), [&] {
    Value first = e.mul(index, tileRows);
    Value rows = getRows(e, *this, first);
    Value start = e.offset(dense.rows, e.wideProduct(first, dense.stride));
    Value slot = e.remainder(index, stages);
    CpAsyncRowsOp::create(e.b, e.loc, start, rows, dense.stride,
                          dense.getFirstByte(e), dense.limit, ring, slot,
                          e.b.getI64IntegerAttr(dense.alignment));
  });
  NVVM::CpAsyncCommitGroupOp::create(e.b, e.loc);
}

void StationaryKTiles::awaitOldest(Arithmetic e) const {
  // All but the K-tiles after it are there.
  NVVM::CpAsyncWaitGroupOp::create(e.b, e.loc, stages - 1);
  gpu::BarrierOp::create(e.b, e.loc);
}

StationaryKTiles::KTile StationaryKTiles::getTile(Arithmetic e,
                                                  Value index) const {
  Value first = e.mul(index, tileRows);
  Value slot = e.remainder(index, stages);
  return {first, slot, e.add(getRows(e, *this, first), -1)};
}
