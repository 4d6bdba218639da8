//===- SegmentRanges.cpp - Equal ranges across K segments -----------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Thread w makes the range of warp w: its first vector-row, and where it starts
// in each of that row's segments.
//
//===----------------------------------------------------------------------===//

#include "SegmentRanges.h"

#include "dialect/magicube_gpu/MagicubeGPUDialect.h"
#include "magicube/Layout/StepLayout.h"
#include "magicube/Layout/WorkTables.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::magicube;
using namespace mlir::magicube_gpu;

/// Start and unpadded end of a pair in the table.
static StoredRange loadPair(Arithmetic e, Value pairs, Value pair) {
  SmallVector<Type> types(2, e.b.getI32Type());
  auto load = LdsWordsOp::create(e.b, e.loc, types, pairs,
                                 e.mul(pair, kPointerPairBytes));
  return {load.getResult(0), load.getResult(1)};
}

namespace {

/// Emits a partition.
class Partitioner : Arithmetic {
public:
  Partitioner(Arithmetic e, const SegmentRanges &ranges, Value count)
      : Arithmetic(e), ranges(ranges), pointers(ranges.pointers), count(count),
        segments(ranges.pointers.segments), cost(ranges.rowCost),
        warps(ranges.threads / kWarpSize) {}

  void emit() {
    Value warp = threadId();
    Value isWarp = isBelow(warp, constant(warps));
    Value isAny = isDifferent(count, constant(0));
    emitIf(both(isWarp, isAny), [&] { emitRange(warp); });
    // Behind the last warp, and where there is nothing to cut: at the end.
    Value isInTable = isBelow(warp, constant(warps + 1));
    Value isOver = both(isInTable, either(isNotBelow(warp, constant(warps)),
                                          isEqual(count, 0)));
    emitIf(isOver, [&] { store(warp, /*field=*/0, count); });
  }

private:
  void emitRange(Value warp) {
    begin = loadRow(constant(0)).start;
    Value end = loadRow(add(count, -1)).end;
    Value work = add(sub(end, begin), mul(count, cost));
    Value share = shiftRight(add(work, warps - 1), llvm::Log2_64(warps));
    Value target = mul(warp, share);
    Value row = emitSearch(target);
    StoredRange range = loadRow(row);
    Value offset = sub(target, getWork(row, range.start));
    Value behindCost = sub(offset, min(offset, constant(cost)));
    Value all = StoredPointers::toSteps(*this, sub(range.end, range.start));
    Value done = min(ceilDivide(behindCost, constant(kStepPositions)), all);
    store(warp, /*field=*/0, row);
    for (int64_t segment = 0; segment < segments; ++segment) {
      auto [start, unpadded] =
          loadPair(*this, ranges.pairs, add(mul(row, segments), segment));
      Value steps = StoredPointers::toSteps(
          *this, sub(pointers.pad(*this, unpadded), start));
      // A vector-row without steps has none to divide.
      Value part = Arithmetic::divide(mul(steps, done), max(all, constant(1)));
      store(warp, 1 + segment, add(start, mul(part, kStepPositions)));
    }
  }

  /// First position and padded end of a vector-row.
  StoredRange loadRow(Value row) {
    Value first = mul(row, segments);
    Value end = loadPair(*this, ranges.pairs, add(first, segments - 1)).end;
    return {loadPair(*this, ranges.pairs, first).start,
            pointers.pad(*this, end)};
  }

  /// Work of the CTA before a vector-row.
  Value getWork(Value row, Value start) {
    return add(sub(start, begin), mul(row, cost));
  }

  /// The last vector-row whose work starts at or before `target`.
  Value emitSearch(Value target) {
    SmallVector<Value> initial = {constant(0), count};
    auto loop = scf::WhileOp::create(
        b, loc, ValueRange(initial).getTypes(), initial,
        [&](OpBuilder &, Location, ValueRange range) {
          Value isOpen = isBelow(add(range[0], 1), range[1]);
          scf::ConditionOp::create(b, loc, isOpen, range);
        },
        [&](OpBuilder &, Location, ValueRange range) {
          Value middle = shiftRight(add(range[0], range[1]), 1);
          Value start =
              loadPair(*this, ranges.pairs, mul(middle, segments)).start;
          Value isBehind = isBelow(target, getWork(middle, start));
          Value low = select(isBehind, range[0], middle);
          Value high = select(isBehind, middle, range[1]);
          scf::YieldOp::create(b, loc, ValueRange{low, high});
        });
    return loop.getResult(0);
  }

  void store(Value warp, int64_t field, Value value) {
    Value byte = add(mul(warp, getSegmentStartBytes(segments)),
                     field * int64_t(sizeof(int32_t)));
    StsWordsOp::create(b, loc, value, ranges.starts, byte);
  }

  const SegmentRanges &ranges;
  const StoredPointers &pointers;
  Value count;
  int64_t segments, cost, warps;
  /// The CTA's first position.
  Value begin;
};

} // namespace

void SegmentRanges::copyPairs(Arithmetic e, Value first, Value end) const {
  Value firstPair = e.mul(first, pointers.segments);
  Value count = e.mul(e.sub(end, first), pointers.segments);
  Value source = pointers.getPairAddress(e, firstPair);
  e.emitFor(e.threadId(), count, threads, [&](Value i) {
    Value byte = e.mul(i, kPointerPairBytes);
    CpAsyncWordsOp::create(e.b, e.loc, source, byte, pairs, byte,
                           e.b.getI64IntegerAttr(kPointerPairBytes));
  });
}

void SegmentRanges::partition(Arithmetic e, Value count) const {
  Partitioner(e, *this, count).emit();
}

/// A number that a partition has written. Loads that the optimizer does not
/// join: what is needed again later need not wait in registers.
static Value loadField(Arithmetic e, const SegmentRanges &ranges, Value warp,
                       Value field) {
  Value hidden = OptimizationBarrierOp::create(e.b, e.loc, warp);
  Value byte =
      e.add(e.mul(hidden, getSegmentStartBytes(ranges.pointers.segments)),
            e.mul(field, sizeof(int32_t)));
  return LdsWordsOp::create(e.b, e.loc, e.b.getI32Type(), ranges.starts, byte)
      .getResult(0);
}

Value SegmentRanges::loadFirstRow(Arithmetic e, Value warp) const {
  return loadField(e, *this, warp, e.constant(0));
}

Value SegmentRanges::loadPosition(Arithmetic e, Value warp,
                                  Value segment) const {
  return loadField(e, *this, warp, e.add(segment, 1));
}

StoredRange SegmentRanges::loadSegment(Arithmetic e, Value row,
                                       Value segment) const {
  return loadPair(e, pairs, e.add(e.mul(row, pointers.segments), segment));
}
