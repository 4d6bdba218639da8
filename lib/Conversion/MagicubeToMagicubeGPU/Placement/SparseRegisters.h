//===- SparseRegisters.h - Sparse operand of a k-step in registers  -*- C++
//-*-===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a warp that works on its own needs of the sparse operand in a k-step:
// one column index a call, and the words of the values.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_CONVERSION_PLACEMENT_SPARSEREGISTERS_H
#define MAGICUBE_LIB_CONVERSION_PLACEMENT_SPARSEREGISTERS_H

#include "dialect/magicube_gpu/MagicubeGPUDialect.h"
#include "magicube/GPU/Utils/Arithmetic.h"

namespace mlir::magicube {

struct SparseRegisters {
  Value indices, values;
  SRBCRSAttr encoding;
  magicube_gpu::StepAttr step;
  /// `ldmatrix` calls of a k-step, and words of values.
  int64_t calls, words;

  /// Loads for the k-step at a stored position: indices, then words.
  SmallVector<Value> ldg(Arithmetic e, Value position) const;
  /// The same registers, all zero.
  SmallVector<Value> createZeros(Arithmetic e) const;

  static ValueRange getColumns(ValueRange registers) {
    return registers.drop_back();
  }
  /// The values of loaded registers as MMA operands of `types`.
  SmallVector<Value> split(Arithmetic e, ValueRange registers,
                           TypeRange types) const;
};

} // namespace mlir::magicube

#endif // MAGICUBE_LIB_CONVERSION_PLACEMENT_SPARSEREGISTERS_H
