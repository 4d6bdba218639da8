//===- Barrier.h - Barriers of a block --------------------------*- C++ -*-===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_SIMULATOR_BARRIER_H
#define MAGICUBE_LIB_SIMULATOR_BARRIER_H

#include "Lanes.h"

#include <array>
#include <vector>

namespace mlir::magicube::sim {

/// Barrier resources per block (PTX ISA "barrier": a is 0 to 15).
constexpr unsigned numBarriers = 16;

/// How threads take part; those of one phase must agree, except that arrivals
/// and waits mix.
enum class BarrierUse : uint8_t { Wait, ReducePopc, ReduceAnd, ReduceOr };

/// One barrier of the block.
struct Barrier {
  /// Threads that complete the current phase; 0 before the first arrival.
  uint32_t expected = 0;
  uint32_t arrived = 0;
  BarrierUse use = BarrierUse::Wait;
  /// Threads whose predicate was true.
  uint32_t predicates = 0;
  bool allTrue = true;
  /// Lanes that wait, by warp.
  std::vector<LaneSet> waiting;

  /// Ready for the next phase; `waiting` is empty then.
  void reset() {
    expected = arrived = predicates = 0;
    allTrue = true;
  }
};

using Barriers = std::array<Barrier, numBarriers>;

} // namespace mlir::magicube::sim

#endif // MAGICUBE_LIB_SIMULATOR_BARRIER_H
