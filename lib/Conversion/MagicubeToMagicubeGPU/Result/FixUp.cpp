//===- FixUp.cpp - Sums of split vector-rows ------------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The exchange of partial sums through shared memory.
//
//===----------------------------------------------------------------------===//

#include "FixUp.h"

using namespace mlir;
using namespace mlir::magicube;
using namespace mlir::magicube_gpu;

FixUp::Split FixUp::getSplit(Arithmetic e, Value row) const {
  // Loaded again: where ranges start has not been in registers all the time.
  BalancedRanges::Start start = ranges.loadStart(e, warp);
  BalancedRanges::Start next = ranges.loadStart(e, e.add(warp, 1));
  Value isContinued =
      e.both(e.isEqual(row, start.row), e.isPositive(start.inside));
  return {isContinued, e.either(isContinued, e.isEqual(row, next.row))};
}

/// Whether a range ends inside of a vector-row that it begins.
static Value endsInside(Arithmetic e, const BalancedRanges::Start &start,
                        const BalancedRanges::Start &next) {
  Value isElsewhere = e.isDifferent(start.row, next.row);
  Value begins = e.isEqual(start.inside, e.constant(0));
  return e.both(e.isPositive(next.inside), e.either(isElsewhere, begins));
}

SmallVector<Value> FixUp::addContinued(Arithmetic e, ArrayRef<Value> sums,
                                       Value row) const {
  SmallVector<Value> initial = {e.add(warp, 1)};
  llvm::append_range(initial, sums);
  SmallVector<Type> types = llvm::to_vector(ValueRange(initial).getTypes());
  // The CTA's end is the start of a vector-row, where the loop ends at last.
  auto loop = scf::WhileOp::create(
      e.b, e.loc, types, initial,
      [&](OpBuilder &, Location, ValueRange carried) {
        BalancedRanges::Start start = ranges.loadStart(e, carried.front());
        Value continues =
            e.both(e.isEqual(start.row, row), e.isPositive(start.inside));
        scf::ConditionOp::create(e.b, e.loc, continues, carried);
      },
      [&](OpBuilder &, Location, ValueRange carried) {
        SmallVector<Value> others =
            places.restore(e, carried.front(), ValueRange(sums).getTypes());
        SmallVector<Value> next = {e.add(carried.front(), 1)};
        for (auto [sum, other] : llvm::zip_equal(carried.drop_front(), others))
          next.push_back(CombineOp::create(e.b, e.loc, ValueRange{sum, other},
                                           ArrayRef<int64_t>{0, 0},
                                           ArrayRef<bool>{false, false}));
        scf::YieldOp::create(e.b, e.loc, next);
      });
  return llvm::to_vector_of<Value>(loop.getResults().drop_front());
}

void FixUp::create(Arithmetic e, const PartialSums &sums,
                   function_ref<void(ArrayRef<Value>, Value)> store) const {
  gpu::BarrierOp::create(e.b, e.loc);
  BalancedRanges::Start start = ranges.loadStart(e, warp);
  BalancedRanges::Start next = ranges.loadStart(e, e.add(warp, 1));
  e.emitIf(e.isPositive(start.inside),
           [&] { places.save(e, warp, sums.continued); });
  gpu::BarrierOp::create(e.b, e.loc);
  e.emitIf(endsInside(e, start, next),
           [&] { store(addContinued(e, sums.last, next.row), next.row); });
}
