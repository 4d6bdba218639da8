//===- RowsPerCta.h - Vector-rows of a CTA that holds their sums *- C++ -*-===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Partition of the vector-rows among CTAs that can have only so many.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_CONVERSION_WORKPARTITION_ROWSPERCTA_H
#define MAGICUBE_LIB_CONVERSION_WORKPARTITION_ROWSPERCTA_H

#include "StoredPointers.h"

namespace mlir::magicube {

/// A CTA gets `rowsPerCta` vector-rows (the last may get less) if the ranges of
/// all CTAs then begin about where even ranges of the stored positions would.
/// Otherwise vector-rows are cut into ranges of equal work, where one costs at
/// least as much as the mean one has positions: no CTA then has more of them
/// than getMostCtaRows (lib/Layout's WorkTables.h) says.
struct RowsPerCta {
  StoredPointers pointers;
  Value vectorRows;
  int64_t rowsPerCta;
  /// Threads of a CTA.
  int64_t threads;

  /// Vector-rows from `first` to `end`.
  struct Rows {
    Value first, end;
  };
  /// Those that CTA `cta` most likely gets.
  Rows getLikely(Arithmetic e, Value cta) const;

  /// The end of all vector-rows, and where those of the CTA with the thread's
  /// number would begin. Loaded before the copies that fill the queues to
  /// memory.
  struct Loaded {
    Value storedEnd, start;
  };
  Loaded load(Arithmetic e) const;

  /// The vector-rows of CTA `cta`; `numCtas` is `vectorRows` / `rowsPerCta`,
  /// rounded up. All threads of the CTA meet inside; `scratch` is a tile of one
  /// row of at least 8 bytes.
  Rows partition(Arithmetic e, const Loaded &loaded, Value cta, Value numCtas,
                 Value scratch) const;
};

} // namespace mlir::magicube

#endif // MAGICUBE_LIB_CONVERSION_WORKPARTITION_ROWSPERCTA_H
