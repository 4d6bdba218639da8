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
  return hasCount && wholeWarp
             ? warpSize
             : static_cast<uint32_t>(__builtin_popcount(call.lanes));
}

/// Checks operands a (and b) against the PTX ISA and the barrier's phase; false
/// after reporting an error.
static bool checkOperands(const WarpCall &call, unsigned lane, uint32_t id,
                          uint32_t expected, BarrierUse use) {
  if (id >= numBarriers) {
    call.fail(lane, "barrier " + std::to_string(id) + " does not exist",
              "a block has barriers 0 to 15");
    return false;
  }
  const Barrier &barrier = call.block.barriers[id];
  if (!barrier.expected)
    return true;
  if (barrier.expected != expected)
    call.fail(lane, "expects " + std::to_string(expected) +
                        " threads at barrier " + std::to_string(id) +
                        ", but the threads that wait there expect " +
                        std::to_string(barrier.expected));
  else if (barrier.use != use)
    call.fail(lane, "barrier " + std::to_string(id) +
                        " is in use by another kind of barrier operation");
  else
    return true;
  return false;
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
    uint32_t lanes = barrier.waiting[warp];
    if (barrier.use != BarrierUse::Wait)
      for (uint32_t rest = lanes; rest; rest &= rest - 1)
        block.lane(warp, static_cast<unsigned>(__builtin_ctz(rest)))
            .results[0] = reductionResult(barrier);
    block.warps[warp].atBarrier &= ~lanes;
    block.warps[warp].ready |= lanes;
    barrier.waiting[warp] = 0;
  }
  barrier.reset();
}

/// Operands: a, b if hasCount, the predicate of a reduction.
template <BarrierUse use, bool hasCount, bool waits>
static uint32_t arrive(const WarpCall &call) {
  unsigned first = static_cast<unsigned>(__builtin_ctz(call.lanes));
  const Slot *operands = call.arguments(first);
  uint32_t id = static_cast<uint32_t>(operands[0]);
  uint32_t expected =
      hasCount ? static_cast<uint32_t>(operands[1]) : call.block.numThreads();
  if (hasCount && (expected == 0 || expected % warpSize)) {
    call.fail(first, "thread count " + std::to_string(expected) +
                         " is not a positive multiple of 32");
    return 0;
  }
  if (!checkOperands(call, first, id, expected, use))
    return 0;
  for (uint32_t rest = call.lanes; rest; rest &= rest - 1) {
    unsigned lane = static_cast<unsigned>(__builtin_ctz(rest));
    const Slot *other = call.arguments(lane);
    if (other[0] != operands[0] || (hasCount && other[1] != operands[1])) {
      call.fail(lane, "divergence: the lanes of a warp name different barriers "
                      "or thread counts");
      return 0;
    }
  }

  Barrier &barrier = call.block.barriers[id];
  barrier.expected = expected;
  barrier.use = use;
  barrier.arrived += arrivals(call, hasCount);
  if (barrier.arrived > expected) {
    call.fail(first, std::to_string(barrier.arrived) +
                         " threads arrived at barrier " + std::to_string(id) +
                         ", which expects " + std::to_string(expected));
    return 0;
  }
  if (use != BarrierUse::Wait)
    for (uint32_t rest = call.lanes; rest; rest &= rest - 1) {
      unsigned lane = static_cast<unsigned>(__builtin_ctz(rest));
      bool predicate = call.arguments(lane)[hasCount ? 2 : 1] & 1;
      barrier.predicates += predicate;
      barrier.allTrue &= predicate;
    }
  if (waits)
    barrier.waiting[call.warp] |= call.lanes;
  if (barrier.arrived == expected)
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
