//===- BalancedRanges.cpp - Equal ranges of k-steps -----------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads look at the vector-rows side by side and write the starts that lie in
// theirs: first those of this CTA and the next, then those of the warps between
// them.
//
//===----------------------------------------------------------------------===//
//
// Work is counted in positions: vector-row r, with its cost, is
// [start[r] + r * cost, start[r + 1] + (r + 1) * cost).
//
// All in 32 bits, unsigned: positions are below 2^31, and the costs together
// less. Rows cost nothing where there are too many for that; rows without steps
// are then no work at all.
//
//===----------------------------------------------------------------------===//

#include "BalancedRanges.h"

#include "dialect/magicube_gpu/MagicubeGPUDialect.h"
#include "magicube/Layout/StepLayout.h"
#include "magicube/Layout/WorkTables.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::magicube;
using namespace mlir::magicube_gpu;

namespace {

/// Emits a partition.
class Partitioner : Arithmetic {
public:
  Partitioner(Arithmetic e, const BalancedRanges &ranges,
              const BalancedRanges::Loaded &loaded)
      : Arithmetic(e), ranges(ranges), pointers(ranges.pointers),
        rows(ranges.vectorRows), threads(ranges.threads),
        warps(threads / kWarpSize), loaded(loaded) {
    constexpr int64_t maxCosts = int64_t(1) << 30;
    int64_t rowCost = ranges.rowCost;
    cost = rowCost == 0 ? constant(0)
                        : select(isBelow(rows, constant(maxCosts / rowCost)),
                                 constant(rowCost), constant(0));
  }

  /// Where the ranges of CTA `cta` of `numCtas` and of the one behind it start.
  void emitCtaStarts(Value cta, Value numCtas) {
    Value share = ceilDivide(add(loaded.storedEnd, mul(cost, rows)), numCtas);
    Value next = add(cta, 1);
    // All rows lie before the end of the last range: those without work too.
    Value end = select(isEqual(next, numCtas), constant(-1), mul(next, share));
    Value last = add(rows, -1);
    forRows(constant(0), rows, [&](Value row, const Range &range) {
      emitCtaStart(row, range, last, mul(cta, share), /*local=*/0);
      emitCtaStart(row, range, last, end, /*local=*/warps);
    });
  }

  /// Starts of the warps but the first, between those of the CTAs.
  void emitWarpStarts() {
    CtaStart begin = loadCtaStart(0), end = loadCtaStart(warps);
    Value share = shiftRight(add(sub(end.work, begin.work), warps - 1),
                             llvm::Log2_64(warps));
    share = max(share, constant(1));
    // Warps that get nothing.
    Value thread = threadId();
    Value isInner = isBelow(add(thread, -1), constant(warps - 1));
    Value isUnused = isNotBelow(add(begin.work, mul(thread, share)), end.work);
    emitIf(both(isInner, isUnused),
           [&] { store(thread, end.row, constant(0), end.position); });
    forRows(begin.row, end.row, [&](Value row, const Range &range) {
      emitStartsIn(row, range, begin, share);
    });
  }

private:
  /// Positions of a vector-row, and where the one before it starts.
  struct Range {
    Value start, end, previous;
  };

  /// Where a CTA starts; `work` positions lie before it.
  struct CtaStart {
    Value row, position, work;
  };

  /// Runs `body` for rows [first, limit), dealt to the threads. A thread's last
  /// step may lead past 2^31, so that rows are compared unsigned.
  void forRows(Value first, Value limit,
               function_ref<void(Value, const Range &)> body) {
    Value thread = threadId();
    Value rounds = shiftRight(add(sub(max(first, thread), thread), threads - 1),
                              llvm::Log2_64(threads));
    emitFor(
        add(thread, mul(rounds, threads)), limit, threads,
        [&](Value row) { body(row, getRange(row)); }, /*isUnsigned=*/true);
  }

  /// The range of one of the thread's rows: the first is loaded.
  Range getRange(Value row) {
    auto branch = emitIf(
        isBelow(row, constant(threads)),
        [&]() -> SmallVector<Value> {
          return {loaded.start, loaded.end, loaded.previousStart};
        },
        [&]() -> SmallVector<Value> {
          Range range = load(*this, pointers, row);
          return {range.start, range.end, range.previous};
        });
    return {branch[0], branch[1], branch[2]};
  }

  /// Where the range of warp `local` of the CTA starts.
  void store(Value local, Value row, Value inside, Value position) {
    StsWordsOp::create(b, loc, ValueRange{row, inside, position, position},
                       ranges.starts, mul(local, kRangeStartBytes));
  }

  CtaStart loadCtaStart(int64_t local) {
    SmallVector<Type> types(kRangeStartBytes / sizeof(int32_t), b.getI32Type());
    auto start = LdsWordsOp::create(b, loc, types, ranges.starts,
                                    constant(local * kRangeStartBytes));
    Value row = start.getResult(0), position = start.getResult(2);
    return {row, position, getWork(row, position)};
  }

  Value getWork(Value row, Value position) {
    return add(position, mul(cost, row));
  }

  /// Whether the middle of a vector-row's work lies before `work`: then the row
  /// belongs to the CTA whose range ends there.
  Value isBefore(Value row, Value start, Value end, Value work) {
    Value size = add(sub(end, start), cost);
    return isBelow(add(getWork(row, start), shiftRight(size, 1)), work);
  }

  /// Writes start `local`, the first vector-row that is not before `work`, if
  /// it is `row`, or the end if `row` is the last.
  void emitCtaStart(Value row, const Range &range, Value last, Value work,
                    int64_t local) {
    Value isRowBefore = isBefore(row, range.start, range.end, work);
    Value isPreviousBefore =
        either(isEqual(row, 0),
               isBefore(add(row, -1), range.previous, range.start, work));
    Value isHere =
        both(isPreviousBefore,
             isEqual(isRowBefore,
                     arith::ConstantIntOp::create(b, loc, 0, /*width=*/1)));
    Value isEnd = both(isRowBefore, isEqual(row, last));
    emitIf(either(isHere, isEnd), [&] {
      store(constant(local), select(isHere, row, add(row, 1)), constant(0),
            select(isHere, range.start, range.end));
    });
  }

  /// Starts of the warps that lie in `row`.
  void emitStartsIn(Value row, const Range &range, const CtaStart &begin,
                    Value share) {
    Value workStart = sub(getWork(row, range.start), begin.work);
    Value workEnd = sub(getWork(add(row, 1), range.end), begin.work);
    Value first = max(ceilDivide(workStart, share), constant(1));
    Value limit = min(ceilDivide(workEnd, share), constant(warps));
    emitFor(first, limit, 1, [&](Value local) {
      Value offset = sub(mul(local, share), workStart);
      Value behindCost = sub(offset, min(offset, cost));
      Value steps = ceilDivide(behindCost, constant(kStepPositions));
      Value position = add(range.start, mul(steps, kStepPositions));
      Value isFirst = isEqual(steps, 0);
      // A warp that would start behind the last step starts with the next
      // vector-row instead.
      Value isHere = either(isFirst, isBelow(position, range.end));
      store(local, select(isHere, row, add(row, 1)),
            select(isHere, select(isFirst, constant(0), constant(1)),
                   constant(0)),
            select(isHere, position, range.end));
    });
  }

public:
  static Range load(Arithmetic e, const StoredPointers &pointers, Value row) {
    Value previous = e.select(e.isEqual(row, 0), row, e.add(row, -1));
    Value start = pointers.loadStart(e, row);
    Value end = pointers.loadEnd(e, row);
    return {start, end, pointers.loadStart(e, previous)};
  }

private:
  const BalancedRanges &ranges;
  const StoredPointers &pointers;
  Value rows;
  int64_t threads, warps;
  BalancedRanges::Loaded loaded;
  Value cost;
};

} // namespace

BalancedRanges::Loaded BalancedRanges::load(Arithmetic e) const {
  Value last = e.add(vectorRows, -1);
  Value storedEnd = pointers.loadEnd(e, last);
  auto [start, end, previous] =
      Partitioner::load(e, pointers, e.min(e.threadId(), last));
  return {storedEnd, start, end, previous};
}

void BalancedRanges::partitionAll(Arithmetic e, const Loaded &loaded, Value cta,
                                  Value numCtas) const {
  Partitioner(e, *this, loaded).emitCtaStarts(cta, numCtas);
}

void BalancedRanges::partitionCta(Arithmetic e, const Loaded &loaded) const {
  Partitioner(e, *this, loaded).emitWarpStarts();
}

BalancedRanges::Start BalancedRanges::loadStart(Arithmetic e,
                                                Value warp) const {
  Value byte =
      e.mul(OptimizationBarrierOp::create(e.b, e.loc, warp), kRangeStartBytes);
  SmallVector<Type> types(kRangeStartBytes / sizeof(int32_t), e.b.getI32Type());
  auto start = LdsWordsOp::create(e.b, e.loc, types, starts, byte);
  return {start.getResult(0), start.getResult(1), start.getResult(2)};
}
