//===- RowsPerCta.cpp - Vector-rows of a CTA that holds their sums --------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// By number, which takes one look at where the ranges begin, or by work.
//
//===----------------------------------------------------------------------===//

#include "RowsPerCta.h"

#include "dialect/magicube_gpu/MagicubeGPUDialect.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::magicube;
using namespace mlir::magicube_gpu;

namespace {

/// Emits a partition.
class Partitioner : Arithmetic {
public:
  Partitioner(Arithmetic e, const RowsPerCta &shape,
              const RowsPerCta::Loaded &loaded, Value cta, Value numCtas,
              Value scratch)
      : Arithmetic(e), shape(shape), pointers(shape.pointers),
        rows(shape.vectorRows), loaded(loaded), cta(cta), numCtas(numCtas),
        scratch(scratch) {}

  /// Whether a range of equal numbers of rows starts further from where it
  /// should than an eighth of a range. All CTAs see the same.
  Value emitIsUneven() {
    Value share = ceilDivide(loaded.storedEnd, numCtas);
    Value most = shiftRight(share, 3);
    Value isAnyFar = forThreads(
        numCtas, constant(0), [&](Value i, Value isFarSoFar) -> Value {
          Value begin = emitStart(i);
          Value ideal = mul(i, share);
          Value distance = sub(max(ideal, begin), min(ideal, begin));
          return select(isBelow(most, distance), constant(1), isFarSoFar);
        });
    auto any = NVVM::BarrierOp::create(
        b, loc, TypeRange{b.getI32Type()}, /*barrierId=*/Value(),
        /*numberOfThreads=*/Value(),
        NVVM::BarrierReductionAttr::get(b.getContext(),
                                        NVVM::BarrierReduction::OR),
        isAnyFar);
    return isDifferent(any.getRes(), constant(0));
  }

  /// A vector-row costs at least what the mean one has. Ranges of as much work
  /// then have at most 2 (1 + d) times the mean number of rows, d being what
  /// the limit takes off the cost at most: 1/15; and 2 more, which lie across
  /// their ends. In 32 bits: positions are below 2^31.
  SmallVector<Value> emitByWork() {
    constexpr int64_t maxCosts = (int64_t(1) << 31) - (int64_t(1) << 27);
    Value cost = min(ceilDivide(loaded.storedEnd, rows),
                     Arithmetic::divide(constant(maxCosts), rows));
    Value share = ceilDivide(add(loaded.storedEnd, mul(cost, rows)), numCtas);
    Value next = add(cta, 1);
    Value targets[] = {mul(cta, share), mul(next, share)};
    // Where no row is found.
    emitIf(isEqual(threadId(), 0), [&] {
      for (int64_t i : {0, 1})
        store(i, rows);
    });
    gpu::BarrierOp::create(b, loc);
    forThreads(rows, constant(0), [&](Value row, Value none) -> Value {
      for (int64_t i : {0, 1})
        emitIf(emitIsFirst(row, cost, targets[i]), [&] { store(i, row); });
      return none;
    });
    gpu::BarrierOp::create(b, loc);
    Value first = load(0);
    // All rows lie before the end of the last range: those without work too.
    return {first, select(isEqual(next, numCtas), rows, load(1))};
  }

private:
  /// Runs `body` for i from the thread's number to `limit`, dealt to the
  /// threads; it returns what it makes of `initial`.
  Value forThreads(Value limit, Value initial,
                   function_ref<Value(Value, Value)> body) {
    return emitFor(
        threadId(), limit, shape.threads, initial,
        [&](Value i, ValueRange carried) -> SmallVector<Value> {
          return {body(i, carried.front())};
        },
        /*isUnsigned=*/true)[0];
  }

  /// Where range `i` of equal numbers of rows starts.
  Value emitStart(Value i) {
    return emitIf(
        isEqual(i, threadId()),
        [&]() -> SmallVector<Value> { return {loaded.start}; },
        [&]() -> SmallVector<Value> {
          return {pointers.loadStart(*this, mul(i, shape.rowsPerCta))};
        })[0];
  }

  /// Whether `row` is the first whose work's middle is not before `target`.
  Value emitIsFirst(Value row, Value cost, Value target) {
    Value isFirst = isEqual(row, 0);
    Value previous = select(isFirst, row, add(row, -1));
    Value isPreviousBefore =
        either(isFirst, isBelow(emitMiddle(previous, cost), target));
    return both(isPreviousBefore, isNotBelow(emitMiddle(row, cost), target));
  }

  Value emitMiddle(Value row, Value cost) {
    Value begin = pointers.loadStart(*this, row);
    Value size = add(sub(pointers.loadEnd(*this, row), begin), cost);
    return add(add(begin, mul(cost, row)), shiftRight(size, 1));
  }

  void store(int64_t i, Value row) {
    StsWordsOp::create(b, loc, row, scratch, constant(i * sizeof(int32_t)));
  }
  Value load(int64_t i) {
    return LdsWordsOp::create(b, loc, b.getI32Type(), scratch,
                              constant(i * sizeof(int32_t)))
        .getResult(0);
  }

  const RowsPerCta &shape;
  const StoredPointers &pointers;
  Value rows;
  RowsPerCta::Loaded loaded;
  Value cta, numCtas, scratch;
};

} // namespace

RowsPerCta::Loaded RowsPerCta::load(Arithmetic e) const {
  Value last = e.add(vectorRows, -1);
  Value first = e.mul(e.threadId(), rowsPerCta);
  Value storedEnd = pointers.loadEnd(e, last);
  return {storedEnd, pointers.loadStart(e, e.min(first, last))};
}

RowsPerCta::Rows RowsPerCta::getLikely(Arithmetic e, Value cta) const {
  Value first = e.min(e.mul(cta, rowsPerCta), vectorRows);
  return {first, e.min(e.add(first, rowsPerCta), vectorRows)};
}

RowsPerCta::Rows RowsPerCta::partition(Arithmetic e, const Loaded &loaded,
                                       Value cta, Value numCtas,
                                       Value scratch) const {
  Partitioner partitioner(e, *this, loaded, cta, numCtas, scratch);
  auto rows = e.emitIf(
      partitioner.emitIsUneven(), [&] { return partitioner.emitByWork(); },
      [&]() -> SmallVector<Value> {
        Rows likely = getLikely(e, cta);
        return {likely.first, likely.end};
      });
  return {rows[0], rows[1]};
}
