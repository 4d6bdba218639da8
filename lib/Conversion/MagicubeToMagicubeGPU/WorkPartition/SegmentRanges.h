//===- SegmentRanges.h - Equal ranges across K segments ---------*- C++ -*-===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Partition of a CTA's vector-rows, whose vectors are stored by K segments,
// among its warps.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_CONVERSION_WORKPARTITION_SEGMENTRANGES_H
#define MAGICUBE_LIB_CONVERSION_WORKPARTITION_SEGMENTRANGES_H

#include "StoredPointers.h"

namespace mlir::magicube {

/// The k-steps of a CTA's vector-rows (which cost `rowCost` positions each
/// besides) are cut into equal ranges for its warps, as if they had no
/// segments. A cut inside of a vector-row cuts each of its segments after the
/// same part of its k-steps. So a warp has the same vector-rows in all
/// segments.
struct SegmentRanges {
  StoredPointers pointers;
  int64_t rowCost;
  /// Threads of a CTA; whole warps.
  int64_t threads;
  /// SharedBufferRole::SegmentPointers, of the CTA's vector-rows, and
  /// RangeStarts.
  Value pairs, starts;

  /// Copies the pairs of vector-rows `first` to `end` to the table,
  /// asynchronously. All threads take part, commit, wait and meet at a barrier
  /// before they read.
  void copyPairs(Arithmetic e, Value first, Value end) const;

  /// Cuts the `count` vector-rows whose pairs are in the table. All threads
  /// take part, and meet at a barrier before they read. Steps of a segment
  /// times steps of its vector-row are below 2^32 (fitsSegmentCuts).
  void partition(Arithmetic e, Value count) const;

  /// The vector-row that a warp's range begins with, counted from the CTA's
  /// first; that of the one behind the last warp is their number.
  Value loadFirstRow(Arithmetic e, Value warp) const;
  /// Where in segment `segment` of that vector-row the range begins.
  Value loadPosition(Arithmetic e, Value warp, Value segment) const;
  /// All of a segment of vector-row `row`, unpadded.
  StoredRange loadSegment(Arithmetic e, Value row, Value segment) const;
};

} // namespace mlir::magicube

#endif // MAGICUBE_LIB_CONVERSION_WORKPARTITION_SEGMENTRANGES_H
