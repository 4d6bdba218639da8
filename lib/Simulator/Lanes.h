//===- Lanes.h - Sets of lanes of a warp ------------------------*- C++ -*-===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_SIMULATOR_LANES_H
#define MAGICUBE_LIB_SIMULATOR_LANES_H

#include <cstdint>

namespace mlir::magicube::sim {

/// Threads of a warp (PTX ISA "WARP_SZ").
constexpr unsigned warpSize = 32;

/// Bit i is lane i, as in the member masks of the PTX ISA.
using LaneSet = uint32_t;

constexpr LaneSet allLanes = 0xFFFFFFFF;

constexpr LaneSet laneBit(unsigned lane) { return LaneSet(1) << lane; }

constexpr bool contains(LaneSet lanes, unsigned lane) {
  return lanes >> lane & 1;
}

/// Number of lanes; lowest and highest lane of a set that is not empty.
inline unsigned countLanes(LaneSet lanes) {
  return static_cast<unsigned>(__builtin_popcount(lanes));
}
inline unsigned lowestLane(LaneSet lanes) {
  return static_cast<unsigned>(__builtin_ctz(lanes));
}
inline unsigned highestLane(LaneSet lanes) {
  return warpSize - 1 - static_cast<unsigned>(__builtin_clz(lanes));
}

/// Calls `body(lane)` for every lane of the set, upwards.
template <typename Body>
void forEachLane(LaneSet lanes, Body body) {
  for (; lanes; lanes &= lanes - 1)
    body(lowestLane(lanes));
}

} // namespace mlir::magicube::sim

#endif // MAGICUBE_LIB_SIMULATOR_LANES_H
