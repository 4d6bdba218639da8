//===- Barrier.cpp - Barriers of a block ----------------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// barrier.cta.sync, .arrive and .red (PTX ISA "bar, barrier").
//
//===----------------------------------------------------------------------===//

#include "Block.h"

using namespace mlir::magicube;
using namespace mlir::magicube::sim;

/// Lanes of the warp that count as arrived: an ".aligned" barrier with a thread
/// count counts whole warps, also where the block's last warp is not full.
static uint32_t arrivals(const WarpCall &call, bool hasCount) {
  bool wholeWarp = call.site.intrinsic->meeting == Meeting::LaunchedLanes;
  return hasCount && wholeWarp ? warpSize : countLanes(call.lanes);
}

namespace {

/// The operands of a barrier operation.
struct Operands {
  uint32_t id;
  /// Threads that complete the barrier.
  uint32_t expected;
};

} // namespace

/// Operands a and, if `hasCount`, b; none after reporting an error.
static std::optional<Operands> operandsOf(const WarpCall &call, bool hasCount) {
  unsigned first = lowestLane(call.lanes);
  const Slot *values = call.arguments(first);
  bool agree = true;
  forEachLane(call.lanes, [&](unsigned lane) {
    const Slot *other = call.arguments(lane);
    agree &= other[0] == values[0] && (!hasCount || other[1] == values[1]);
  });
  uint32_t id = static_cast<uint32_t>(values[0]);
  uint32_t count =
      hasCount ? static_cast<uint32_t>(values[1]) : call.block.numThreads();
  if (!agree)
    call.fail(first, "divergence: the lanes of a warp name different barriers "
                     "or thread counts");
  else if (id >= numBarriers)
    call.fail(first, "barrier " + std::to_string(id) + " does not exist",
              "a block has barriers 0 to 15");
  else if (hasCount && (count == 0 || count % warpSize))
    call.fail(first, "thread count " + std::to_string(count) +
                         " is not a positive multiple of 32");
  else
    return Operands{id, count};
  return std::nullopt;
}

/// Adds the lanes to the barrier's phase, which they must agree with; false
/// after reporting an error.
static bool join(const WarpCall &call, const Operands &operands, BarrierUse use,
                 uint32_t threads) {
  Barrier &barrier = call.block.barriers[operands.id];
  auto fail = [&](const std::string &message) {
    call.fail(lowestLane(call.lanes), message);
    return false;
  };
  std::string name = "barrier " + std::to_string(operands.id);
  std::string expected = std::to_string(operands.expected);
  if (barrier.expected && barrier.expected != operands.expected)
    return fail("expects " + expected + " threads at " + name +
                ", but the threads that wait there expect " +
                std::to_string(barrier.expected));
  if (barrier.expected && barrier.use != use)
    return fail(name + " is in use by another kind of barrier operation");
  if (barrier.arrived + threads > operands.expected)
    return fail(std::to_string(barrier.arrived + threads) +
                " threads arrived at " + name + ", which expects " + expected);
  barrier.expected = operands.expected;
  barrier.use = use;
  barrier.arrived += threads;
  return true;
}

static uint32_t reductionResult(const Barrier &barrier) {
  switch (barrier.use) {
  case BarrierUse::ReducePopc:
    return barrier.predicates;
  case BarrierUse::ReduceAnd:
    return barrier.allTrue;
  case BarrierUse::ReduceOr:
    return barrier.predicates != 0;
  case BarrierUse::Wait:
    break;
  }
  return 0;
}

/// Ends the barrier's phase: all waiting lanes go on.
static void release(Block &block, Barrier &barrier) {
  for (unsigned warp = 0; warp < block.numWarps(); ++warp) {
    LaneSet lanes = barrier.waiting[warp];
    if (barrier.use != BarrierUse::Wait)
      forEachLane(lanes, [&](unsigned lane) {
        block.lane(warp, lane).results[0] = reductionResult(barrier);
      });
    block.warps[warp].atBarrier &= ~lanes;
    block.warps[warp].ready |= lanes;
    barrier.waiting[warp] = 0;
  }
  barrier.reset();
}

/// Operands: a, b if hasCount, the predicate of a reduction.
template <BarrierUse use, bool hasCount, bool waits>
static LaneSet arrive(const WarpCall &call) {
  std::optional<Operands> operands = operandsOf(call, hasCount);
  if (!operands || !join(call, *operands, use, arrivals(call, hasCount)))
    return 0;
  Barrier &barrier = call.block.barriers[operands->id];
  if (use != BarrierUse::Wait)
    forEachLane(call.lanes, [&](unsigned lane) {
      bool predicate = call.arguments(lane)[hasCount ? 2 : 1] & 1;
      barrier.predicates += predicate;
      barrier.allTrue &= predicate;
    });
  if (waits)
    barrier.waiting[call.warp] |= call.lanes;
  if (barrier.arrived == barrier.expected)
    release(call.block, barrier);
  return waits ? 0 : call.lanes;
}

template <BarrierUse use, bool hasCount, bool waits = true>
static constexpr Intrinsic row(std::string_view name, Meeting meeting) {
  return {name, meeting, nullptr, arrive<use, hasCount, waits>};
}

static constexpr Intrinsic rows[] = {
    row<BarrierUse::Wait, false>("barrier.cta.sync.aligned.all",
                                 Meeting::LaunchedLanes),
    row<BarrierUse::Wait, false>("barrier.cta.sync.all", Meeting::Self),
    row<BarrierUse::Wait, true>("barrier.cta.sync.aligned.count",
                                Meeting::LaunchedLanes),
    row<BarrierUse::Wait, true>("barrier.cta.sync.count", Meeting::Self),
    row<BarrierUse::Wait, true, false>("barrier.cta.arrive.aligned.count",
                                       Meeting::LaunchedLanes),
    row<BarrierUse::Wait, true, false>("barrier.cta.arrive.count",
                                       Meeting::Self),
    row<BarrierUse::ReducePopc, false>("barrier.cta.red.popc.aligned.all",
                                       Meeting::LaunchedLanes),
    row<BarrierUse::ReducePopc, false>("barrier.cta.red.popc.all",
                                       Meeting::Self),
    row<BarrierUse::ReducePopc, true>("barrier.cta.red.popc.aligned.count",
                                      Meeting::LaunchedLanes),
    row<BarrierUse::ReducePopc, true>("barrier.cta.red.popc.count",
                                      Meeting::Self),
    row<BarrierUse::ReduceAnd, false>("barrier.cta.red.and.aligned.all",
                                      Meeting::LaunchedLanes),
    row<BarrierUse::ReduceAnd, false>("barrier.cta.red.and.all", Meeting::Self),
    row<BarrierUse::ReduceAnd, true>("barrier.cta.red.and.aligned.count",
                                     Meeting::LaunchedLanes),
    row<BarrierUse::ReduceAnd, true>("barrier.cta.red.and.count",
                                     Meeting::Self),
    row<BarrierUse::ReduceOr, false>("barrier.cta.red.or.aligned.all",
                                     Meeting::LaunchedLanes),
    row<BarrierUse::ReduceOr, false>("barrier.cta.red.or.all", Meeting::Self),
    row<BarrierUse::ReduceOr, true>("barrier.cta.red.or.aligned.count",
                                    Meeting::LaunchedLanes),
    row<BarrierUse::ReduceOr, true>("barrier.cta.red.or.count", Meeting::Self),
};

IntrinsicFamily sim::barrierIntrinsics() { return rows; }
