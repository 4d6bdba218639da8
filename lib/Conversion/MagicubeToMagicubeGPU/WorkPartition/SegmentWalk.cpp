//===- SegmentWalk.cpp - A warp's way through its segments ----------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The search for the next segment with k-steps.
//
//===----------------------------------------------------------------------===//

#include "SegmentWalk.h"

#include "magicube/Layout/StepLayout.h"

using namespace mlir;
using namespace mlir::magicube;

WarpRows WarpRows::load(Arithmetic e, const SegmentRanges &ranges, Value warp,
                        Value count) {
  Value first = ranges.loadFirstRow(e, warp);
  Value end = ranges.loadFirstRow(e, e.add(warp, 1));
  return {first, end, e.min(e.add(end, 1), count)};
}

StoredRange SegmentWalk::loadOwn(Arithmetic e, Value row, Value segment) const {
  StoredRange all = ranges.loadSegment(e, row, segment);
  Value start = e.select(e.isEqual(row, rows.first),
                         ranges.loadPosition(e, warp, segment), all.start);
  Value isLast = e.isEqual(row, rows.end);
  Value cut = ranges.loadPosition(e, e.add(warp, 1), segment);
  return {start, e.select(isLast, cut, ranges.pointers.pad(e, all.end))};
}

void SegmentWalk::enterSegment(Arithmetic e,
                               MutableArrayRef<Value> cursor) const {
  int64_t count = ranges.pointers.segments;
  auto loop = scf::WhileOp::create(
      e.b, e.loc, ValueRange(cursor).getTypes(), ValueRange(cursor),
      [&](OpBuilder &, Location, ValueRange carried) {
        Value isSegmentOver =
            e.both(e.isEqual(carried[Position], carried[End]),
                   e.isBelow(carried[Segment], e.constant(count)));
        scf::ConditionOp::create(e.b, e.loc, isSegmentOver, carried);
      },
      [&](OpBuilder &, Location, ValueRange carried) {
        Value nextRow = e.add(carried[Row], 1);
        Value isLastRow = e.isEqual(nextRow, rows.limit);
        Value row = e.select(isLastRow, rows.first, nextRow);
        Value segment =
            e.select(isLastRow, e.add(carried[Segment], 1), carried[Segment]);
        auto own = e.emitIf(
            e.isBelow(segment, e.constant(count)),
            [&]() -> SmallVector<Value> {
              StoredRange range = loadOwn(e, row, segment);
              return {range.start, range.end};
            },
            [&]() -> SmallVector<Value> {
              // What was loaded last can be loaded again.
              Value last = e.add(carried[Position], -kStepPositions);
              return {last, last};
            });
        scf::YieldOp::create(e.b, e.loc,
                             ValueRange{own[0], own[1], row, segment});
      });
  llvm::copy(loop.getResults(), cursor.begin());
}

SmallVector<Value> SegmentWalk::begin(Arithmetic e) const {
  // As if a segment before the first one were over.
  Value zero = e.constant(0), before = e.add(rows.first, -1);
  Value isNone = e.isEqual(rows.first, rows.limit);
  Value segment = e.select(isNone, e.constant(ranges.pointers.segments), zero);
  SmallVector<Value> cursor = {zero, zero, before, segment};
  enterSegment(e, cursor);
  return cursor;
}

Value SegmentWalk::move(Arithmetic e, MutableArrayRef<Value> cursor) const {
  Value now = cursor[Position];
  cursor[Position] =
      e.select(isOver(e, cursor), now, e.add(now, kStepPositions));
  enterSegment(e, cursor);
  return now;
}
