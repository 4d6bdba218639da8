//===- GatheredRows.h - Dense rows gathered step by step ------ -*- C++ -*-===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rows of the dense operand that a k-step needs, copied to shared memory.
// `magicube-gpu-pipeline-loads` makes a ring of it.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_CONVERSION_PLACEMENT_GATHEREDROWS_H
#define MAGICUBE_LIB_CONVERSION_PLACEMENT_GATHEREDROWS_H

#include "DenseTile.h"
#include "RowReader.h"

namespace mlir::magicube {

/// A CTA's gather for the k-steps of one vector-row.
struct GatheredRows {
  DenseTile dense;
  RowReader reader;
  Value indices;
  SRBCRSAttr encoding;
  /// 16-byte chunks that a thread copies.
  int64_t chunksPerThread;
  Value tile;

  /// Starts the copies of the rows of the 32 stored positions from `position`
  /// on; those from `end` on are zero.
  void cpAsync(Arithmetic e, Value position, Value end) const;

  Value ldsRows(Arithmetic e, int64_t chunk, int64_t call) const {
    return reader.create(e, tile, /*row=*/Value(), /*slot=*/Value(), chunk,
                         call);
  }
};

} // namespace mlir::magicube

#endif // MAGICUBE_LIB_CONVERSION_PLACEMENT_GATHEREDROWS_H
