//===- FixUp.h - Sums of split vector-rows -------------------- -*- C++ -*-===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A vector-row that lies in the ranges of several warps: the warp where it
// begins adds the partial sums of those that continue it.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_CONVERSION_RESULT_FIXUP_H
#define MAGICUBE_LIB_CONVERSION_RESULT_FIXUP_H

#include "../WorkPartition/BalancedRanges.h"
#include "SharedSums.h"

namespace mlir::magicube {

/// Partial sums of one warp.
struct PartialSums {
  /// Of the vector-row that the range begins inside of.
  SmallVector<Value> continued;
  /// Of the range's last vector-row, which may go on in the next range.
  SmallVector<Value> last;
};

/// The fix-up of a CTA with balanced ranges.
struct FixUp {
  BalancedRanges ranges;
  Value warp;
  /// Places for the sums of each warp, free once all warps are here.
  SharedSums places;

  /// Whether a warp's part of vector-row `row` is one that an earlier warp
  /// begins, and whether it is part of it at all.
  struct Split {
    Value isContinued, isPart;
  };
  Split getSplit(Arithmetic e, Value row) const;

  /// Adds up what is split. `store` stores the sums of a vector-row.
  void create(Arithmetic e, const PartialSums &sums,
              function_ref<void(ArrayRef<Value>, Value)> store) const;

private:
  /// Adds the sums of the warps that continue vector-row `row`.
  SmallVector<Value> addContinued(Arithmetic e, ArrayRef<Value> sums,
                                  Value row) const;
};

} // namespace mlir::magicube

#endif // MAGICUBE_LIB_CONVERSION_RESULT_FIXUP_H
