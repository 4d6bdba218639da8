//===- SparseTile.h - Values of a k-step in shared memory ----- -*- C++ -*-===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sparse operand's values that a CTA's warps share, copied to shared memory
// beside gathered rows.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_CONVERSION_PLACEMENT_SPARSETILE_H
#define MAGICUBE_LIB_CONVERSION_PLACEMENT_SPARSETILE_H

#include "DenseTile.h"

namespace mlir::magicube {

struct SparseTile {
  Value values;
  SRBCRSAttr encoding;
  magicube_gpu::StepAttr step;
  /// Width of a value in storage.
  int64_t storedBits;
  Value tile;

  /// Starts the copy of the 32 stored positions from `position` on; those from
  /// the padded `end` on are zero.
  void cpAsync(Arithmetic e, Value position, Value end) const;
  /// The values as MMA operands of `types`.
  SmallVector<Value> ldsValues(Arithmetic e, TypeRange types) const;
};

} // namespace mlir::magicube

#endif // MAGICUBE_LIB_CONVERSION_PLACEMENT_SPARSETILE_H
