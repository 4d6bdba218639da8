//===- WarpIntrinsics.cpp - Exchange between lanes ------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// shfl, vote, match, redux, elect and bar.warp.sync.
//
//===----------------------------------------------------------------------===//

#include "Block.h"

#include <algorithm>

using namespace mlir::magicube;
using namespace mlir::magicube::sim;

/// Argument `index` of a lane, 32 bits.
static uint32_t argument(const WarpCall &call, unsigned lane, unsigned index) {
  return static_cast<uint32_t>(call.arguments(lane)[index]);
}

//===----------------------------------------------------------------------===//
// shfl.sync
//===----------------------------------------------------------------------===//

namespace {

enum class Shuffle { Up, Down, Butterfly, Index };

struct ShuffleSource {
  unsigned lane;
  bool valid;
};

} // namespace

/// The pseudo code of PTX ISA "shfl.sync", names included.
template <Shuffle mode>
static ShuffleSource shuffleSource(unsigned lane, uint32_t b, uint32_t c) {
  constexpr uint32_t laneBits = warpSize - 1;
  constexpr unsigned segmentMaskShift = 8;
  int bval = static_cast<int>(b & laneBits);
  unsigned cval = c & laneBits;
  unsigned mask = c >> segmentMaskShift & laneBits;
  int maxLane = static_cast<int>((lane & mask) | (cval & ~mask & laneBits));
  int minLane = static_cast<int>(lane & mask);
  int j;
  bool valid;
  switch (mode) {
  case Shuffle::Up:
    j = static_cast<int>(lane) - bval;
    valid = j >= maxLane;
    break;
  case Shuffle::Down:
    j = static_cast<int>(lane) + bval;
    valid = j <= maxLane;
    break;
  case Shuffle::Butterfly:
    j = static_cast<int>(lane) ^ bval;
    valid = j <= maxLane;
    break;
  case Shuffle::Index:
    j = minLane | (bval & static_cast<int>(~mask & laneBits));
    valid = j <= maxLane;
    break;
  }
  return {valid ? static_cast<unsigned>(j) : lane, valid};
}

/// Operands: mask, a, b, c. Results: d and, in the p variants, the predicate.
template <Shuffle mode, bool returnsPredicate>
static LaneSet shuffle(const WarpCall &call) {
  forEachLane(call.lanes, [&](unsigned lane) {
    ShuffleSource source = shuffleSource<mode>(lane, argument(call, lane, 2),
                                               argument(call, lane, 3));
    if (!contains(call.lanes, source.lane))
      return call.fail(lane,
                       "reads lane " + std::to_string(source.lane) +
                           ", which does not take part",
                       "the value would be undefined; widen the member mask");
    call.results(lane)[0] = argument(call, source.lane, 1);
    if constexpr (returnsPredicate)
      call.results(lane)[1] = source.valid;
  });
  return call.lanes;
}

//===----------------------------------------------------------------------===//
// vote, match, redux, elect
//===----------------------------------------------------------------------===//

/// The lanes whose predicate (operand 1) is true.
static LaneSet votes(const WarpCall &call) {
  LaneSet yes = 0;
  forEachLane(call.lanes, [&](unsigned lane) {
    if (call.arguments(lane)[1] & 1)
      yes |= laneBit(lane);
  });
  return yes;
}

/// Gives the same result 0 to every lane.
static LaneSet broadcast(const WarpCall &call, Slot value) {
  forEachLane(call.lanes,
              [&](unsigned lane) { call.results(lane)[0] = value; });
  return call.lanes;
}

static LaneSet voteAll(const WarpCall &call) {
  return broadcast(call, votes(call) == call.lanes);
}

static LaneSet voteAny(const WarpCall &call) {
  return broadcast(call, votes(call) != 0);
}

static LaneSet voteUni(const WarpCall &call) {
  LaneSet yes = votes(call);
  return broadcast(call, yes == 0 || yes == call.lanes);
}

static LaneSet voteBallot(const WarpCall &call) {
  return broadcast(call, votes(call));
}

/// The lanes whose operand 1 equals that of `lane`.
static LaneSet lanesWithValueOf(const WarpCall &call, unsigned lane) {
  LaneSet equal = 0;
  forEachLane(call.lanes, [&](unsigned other) {
    if (call.arguments(other)[1] == call.arguments(lane)[1])
      equal |= laneBit(other);
  });
  return equal;
}

static LaneSet matchAny(const WarpCall &call) {
  forEachLane(call.lanes, [&](unsigned lane) {
    call.results(lane)[0] = lanesWithValueOf(call, lane);
  });
  return call.lanes;
}

/// Results: the mask if all values are equal, else 0; and whether they are.
static LaneSet matchAll(const WarpCall &call) {
  unsigned first = lowestLane(call.lanes);
  bool equal = lanesWithValueOf(call, first) == call.lanes;
  forEachLane(call.lanes, [&](unsigned lane) {
    call.results(lane)[0] = equal ? call.lanes : 0;
    call.results(lane)[1] = equal;
  });
  return call.lanes;
}

/// redux.sync: operands value, mask.
template <typename T, typename Reduce>
static LaneSet reduce(const WarpCall &call, Reduce combine) {
  unsigned first = lowestLane(call.lanes);
  T value = static_cast<T>(argument(call, first, 0));
  forEachLane(call.lanes & ~laneBit(first), [&](unsigned lane) {
    value = combine(value, static_cast<T>(argument(call, lane, 0)));
  });
  return broadcast(call, static_cast<uint32_t>(value));
}

static LaneSet reduceAdd(const WarpCall &call) {
  return reduce<uint32_t>(call, [](uint32_t a, uint32_t b) { return a + b; });
}
static LaneSet reduceMin(const WarpCall &call) {
  return reduce<int32_t>(call,
                         [](int32_t a, int32_t b) { return std::min(a, b); });
}
static LaneSet reduceMax(const WarpCall &call) {
  return reduce<int32_t>(call,
                         [](int32_t a, int32_t b) { return std::max(a, b); });
}
static LaneSet reduceUMin(const WarpCall &call) {
  return reduce<uint32_t>(
      call, [](uint32_t a, uint32_t b) { return std::min(a, b); });
}
static LaneSet reduceUMax(const WarpCall &call) {
  return reduce<uint32_t>(
      call, [](uint32_t a, uint32_t b) { return std::max(a, b); });
}
static LaneSet reduceAnd(const WarpCall &call) {
  return reduce<uint32_t>(call, [](uint32_t a, uint32_t b) { return a & b; });
}
static LaneSet reduceOr(const WarpCall &call) {
  return reduce<uint32_t>(call, [](uint32_t a, uint32_t b) { return a | b; });
}
static LaneSet reduceXor(const WarpCall &call) {
  return reduce<uint32_t>(call, [](uint32_t a, uint32_t b) { return a ^ b; });
}

/// elect.sync: operand mask; results the leader, and whether it is this lane.
/// The PTX ISA leaves the choice open but deterministic: the lowest lane.
static LaneSet elect(const WarpCall &call) {
  unsigned leader = lowestLane(call.lanes);
  forEachLane(call.lanes, [&](unsigned lane) {
    call.results(lane)[0] = leader;
    call.results(lane)[1] = lane == leader;
  });
  return call.lanes;
}

static LaneSet syncWarp(const WarpCall &call) { return call.lanes; }

static constexpr Intrinsic rows[] = {
    {"shfl.sync.up.i32", Meeting::Mask, nullptr, shuffle<Shuffle::Up, false>},
    {"shfl.sync.up.f32", Meeting::Mask, nullptr, shuffle<Shuffle::Up, false>},
    {"shfl.sync.up.i32p", Meeting::Mask, nullptr, shuffle<Shuffle::Up, true>},
    {"shfl.sync.up.f32p", Meeting::Mask, nullptr, shuffle<Shuffle::Up, true>},
    {"shfl.sync.down.i32", Meeting::Mask, nullptr,
     shuffle<Shuffle::Down, false>},
    {"shfl.sync.down.f32", Meeting::Mask, nullptr,
     shuffle<Shuffle::Down, false>},
    {"shfl.sync.down.i32p", Meeting::Mask, nullptr,
     shuffle<Shuffle::Down, true>},
    {"shfl.sync.down.f32p", Meeting::Mask, nullptr,
     shuffle<Shuffle::Down, true>},
    {"shfl.sync.bfly.i32", Meeting::Mask, nullptr,
     shuffle<Shuffle::Butterfly, false>},
    {"shfl.sync.bfly.f32", Meeting::Mask, nullptr,
     shuffle<Shuffle::Butterfly, false>},
    {"shfl.sync.bfly.i32p", Meeting::Mask, nullptr,
     shuffle<Shuffle::Butterfly, true>},
    {"shfl.sync.bfly.f32p", Meeting::Mask, nullptr,
     shuffle<Shuffle::Butterfly, true>},
    {"shfl.sync.idx.i32", Meeting::Mask, nullptr,
     shuffle<Shuffle::Index, false>},
    {"shfl.sync.idx.f32", Meeting::Mask, nullptr,
     shuffle<Shuffle::Index, false>},
    {"shfl.sync.idx.i32p", Meeting::Mask, nullptr,
     shuffle<Shuffle::Index, true>},
    {"shfl.sync.idx.f32p", Meeting::Mask, nullptr,
     shuffle<Shuffle::Index, true>},
    {"vote.all.sync", Meeting::Mask, nullptr, voteAll},
    {"vote.any.sync", Meeting::Mask, nullptr, voteAny},
    {"vote.uni.sync", Meeting::Mask, nullptr, voteUni},
    {"vote.ballot.sync", Meeting::Mask, nullptr, voteBallot},
    {"match.any.sync.i32", Meeting::Mask, nullptr, matchAny},
    {"match.any.sync.i64", Meeting::Mask, nullptr, matchAny},
    {"match.all.sync.i32p", Meeting::Mask, nullptr, matchAll},
    {"match.all.sync.i64p", Meeting::Mask, nullptr, matchAll},
    {"redux.sync.add", Meeting::Mask, nullptr, reduceAdd, 1},
    {"redux.sync.min", Meeting::Mask, nullptr, reduceMin, 1},
    {"redux.sync.max", Meeting::Mask, nullptr, reduceMax, 1},
    {"redux.sync.umin", Meeting::Mask, nullptr, reduceUMin, 1},
    {"redux.sync.umax", Meeting::Mask, nullptr, reduceUMax, 1},
    {"redux.sync.and", Meeting::Mask, nullptr, reduceAnd, 1},
    {"redux.sync.or", Meeting::Mask, nullptr, reduceOr, 1},
    {"redux.sync.xor", Meeting::Mask, nullptr, reduceXor, 1},
    {"elect.sync", Meeting::Mask, nullptr, elect},
    {"bar.warp.sync", Meeting::Mask, nullptr, syncWarp},
};

IntrinsicFamily sim::warpIntrinsics() { return rows; }
