//===- DenseTile.h - A tile of columns of the dense operand --- -*- C++ -*-===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every placement of dense rows in shared memory starts from.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_CONVERSION_PLACEMENT_DENSETILE_H
#define MAGICUBE_LIB_CONVERSION_PLACEMENT_DENSETILE_H

#include "dialect/magicube_gpu/MagicubeGPUDialect.h"
#include "magicube/GPU/Utils/Arithmetic.h"
#include "magicube/Layout/SharedMemoryPlan.h"

namespace mlir::magicube {

/// The dense operand in global memory, and the columns of it that a CTA
/// multiplies.
struct DenseTile {
  Value rows;
  /// Bytes from row to row, and of a row.
  Value stride, limit;
  /// The tile's first column, bits of an element, and bytes of a row's part.
  Value firstColumn;
  int64_t bits, tileBytes;
  /// Known alignment of the rows: 16, 4 or 1 bytes.
  int64_t alignment;

  Value getFirstByte(Arithmetic e) const {
    return toBytes(e, firstColumn, bits);
  }
  /// Bytes that `columns` columns of `bits` bits take.
  static Value toBytes(Arithmetic e, Value columns, int64_t bits) {
    constexpr int64_t byteBits = 8;
    return bits >= byteBits
               ? e.mul(columns, bits / byteBits)
               : e.ceilDivide(columns, e.constant(byteBits / bits));
  }
};

/// Allocates a buffer of a kernel's plan: `stages` tiles, of one that becomes a
/// ring later the first.
inline Value allocate(Arithmetic e, const SharedBuffer &buffer,
                      int64_t stages) {
  MLIRContext *context = e.b.getContext();
  return magicube_gpu::AllocTileOp::create(
      e.b, e.loc,
      magicube_gpu::TileType::get(context, buffer.rows, buffer.rowBytes, stages,
                                  /*layout=*/{}),
      SharedFormAttr::get(context, getSharedForm(buffer.form)));
}
inline Value allocate(Arithmetic e, const SharedBuffer &buffer) {
  return allocate(e, buffer, buffer.stages);
}

} // namespace mlir::magicube

#endif // MAGICUBE_LIB_CONVERSION_PLACEMENT_DENSETILE_H
