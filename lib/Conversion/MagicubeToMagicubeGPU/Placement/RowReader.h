//===- RowReader.h - ldmatrix of dense rows ------------------- -*- C++ -*-===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a warp reads of dense rows in shared memory, wherever they are.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_CONVERSION_PLACEMENT_ROWREADER_H
#define MAGICUBE_LIB_CONVERSION_PLACEMENT_ROWREADER_H

#include "dialect/magicube_gpu/MagicubeGPUDialect.h"
#include "magicube/GPU/Utils/Arithmetic.h"
#include "magicube/Layout/StepLayout.h"

namespace mlir::magicube {

/// A warp's part of the rows of a tile.
struct RowReader {
  magicube_gpu::StepAttr step;
  /// Registers of one call.
  int64_t registers;
  /// First 16-byte chunk of the warp's part.
  Value firstChunk;

  /// `ldmatrix` call `call` on chunk `chunk` of the part. `row`: the row that
  /// the lane supplies the address of, or null for a tile of one k-step's rows;
  /// `slot`: the place in a ring, or null.
  Value create(Arithmetic e, Value tile, Value row, Value slot, int64_t chunk,
               int64_t call) const {
    return magicube_gpu::LdsRowsOp::create(
        e.b, e.loc,
        magicube_gpu::RegistersType::get(e.b.getContext(), registers), tile,
        e.add(firstChunk, chunk), row, slot, step, e.b.getI64IntegerAttr(call));
  }
};

} // namespace mlir::magicube

#endif // MAGICUBE_LIB_CONVERSION_PLACEMENT_ROWREADER_H
