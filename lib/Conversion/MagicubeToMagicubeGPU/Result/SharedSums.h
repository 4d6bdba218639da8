//===- SharedSums.h - Sums of vector-rows in shared memory ---- -*- C++ -*-===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places in shared memory for fragments: of one warp for another, or of several
// added up.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_CONVERSION_RESULT_SHAREDSUMS_H
#define MAGICUBE_LIB_CONVERSION_RESULT_SHAREDSUMS_H

#include "dialect/magicube_gpu/MagicubeGPUDialect.h"
#include "magicube/GPU/Utils/Arithmetic.h"

namespace mlir::magicube {

/// A tile whose memory has places for a warp's fragments.
struct SharedSums {
  Value tile;

  void save(Arithmetic e, Value place, ValueRange fragments) const {
    magicube_gpu::StsFragmentsOp::create(e.b, e.loc, fragments, place, tile);
  }
  /// Sums of integers are the same in any order.
  void add(Arithmetic e, Value place, ValueRange fragments) const {
    magicube_gpu::AddFragmentsOp::create(e.b, e.loc, fragments, place, tile);
  }
  SmallVector<Value> restore(Arithmetic e, Value place, TypeRange types) const {
    auto restored =
        magicube_gpu::LdsFragmentsOp::create(e.b, e.loc, types, place, tile);
    return llvm::to_vector_of<Value>(restored.getFragments());
  }
};

} // namespace mlir::magicube

#endif // MAGICUBE_LIB_CONVERSION_RESULT_SHAREDSUMS_H
