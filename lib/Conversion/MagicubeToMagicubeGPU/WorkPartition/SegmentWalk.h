//===- SegmentWalk.h - A warp's way through its segments ------ -*- C++ -*-===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a warp has of the segments of its vector-rows, and a cursor that goes
// through them: K-tile by K-tile, in each through its vector-rows.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_CONVERSION_WORKPARTITION_SEGMENTWALK_H
#define MAGICUBE_LIB_CONVERSION_WORKPARTITION_SEGMENTWALK_H

#include "SegmentRanges.h"

namespace mlir::magicube {

/// The vector-rows of a warp's range, counted from the CTA's first: from
/// `first` to `limit`. With `end`, the last or the one behind it, the next
/// range begins.
struct WarpRows {
  Value first, end, limit;

  /// Of `count` vector-rows that the CTA has.
  static WarpRows load(Arithmetic e, const SegmentRanges &ranges, Value warp,
                       Value count);
};

struct SegmentWalk {
  SegmentRanges ranges;
  Value warp;
  WarpRows rows;

  /// Start and padded end of what the warp has of a vector-row's segment.
  StoredRange loadOwn(Arithmetic e, Value row, Value segment) const;

  /// A cursor: the position of the next k-step, the end of what the warp has of
  /// its segment, the segment's vector-row and number.
  enum Field { Position, End, Row, Segment };

  /// A cursor at the first k-step of the range, or over.
  SmallVector<Value> begin(Arithmetic e) const;
  /// Whether all k-steps are behind the cursor.
  Value isOver(Arithmetic e, ArrayRef<Value> cursor) const {
    return e.isEqual(cursor[Segment], e.constant(ranges.pointers.segments));
  }
  /// Moves the cursor to the next k-step, which may be another segment's, and
  /// returns the position it was at. Behind the last k-step it stays there.
  Value move(Arithmetic e, MutableArrayRef<Value> cursor) const;

private:
  /// Moves the cursor to the next segment with k-steps if its segment is over.
  void enterSegment(Arithmetic e, MutableArrayRef<Value> cursor) const;
};

} // namespace mlir::magicube

#endif // MAGICUBE_LIB_CONVERSION_WORKPARTITION_SEGMENTWALK_H
