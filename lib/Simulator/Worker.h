//===- Worker.h - Runs blocks on one OS thread ------------------*- C++ -*-===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scheduler: runs the lanes of each warp as fibers until they meet at an
// operation, carries it out for the warp, and reports what can never meet.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_SIMULATOR_WORKER_H
#define MAGICUBE_LIB_SIMULATOR_WORKER_H

#include "Block.h"
#include "FaultHandler.h"

namespace mlir::magicube::sim {

/// Explains why a block with blocked lanes cannot go on: divergence, lanes that
/// exited, deadlock. Sets the block's error. (StallReport.cpp)
void reportStall(Block &block);

class Worker {
public:
  /// Sets up for a launch; call before run() and on any thread.
  Status prepare(const Launch &launch) { return block.prepare(launch, *this); }
  /// Runs block `index` (linear, x fastest); faults go to `receiver`, which was
  /// made on the calling thread.
  std::optional<Error> run(uint64_t index, FaultReceiver &receiver);

  // For operations, on the fiber of `lane`.

  /// Waits until the scheduler has carried out what lane.site asks for.
  void suspend(Lane &lane);
  /// Ends the thread.
  [[noreturn]] void exit(Lane &lane);
  /// Notes an error, with which the block ends; to be followed by stop().
  void fail(const Lane &lane, const std::string &message,
            std::string note = {}) {
    block.fail(lane, message, std::move(note));
  }
  /// Never runs the thread again. Its frames are dropped, not unwound: none may
  /// own memory.
  [[noreturn]] void stop(Lane &lane);
  const Launch &launch() const { return block.launch(); }
  /// See Block.
  std::string describeAddress(uintptr_t address) const {
    return block.describeAddress(address);
  }

private:
  enum class Outcome { Blocked, Exited, Failed };

  static void runLane(void *lane);
  static void landFault();
  Outcome resume(Lane &lane);
  void reportFault(const Lane &lane, const Fault &fault);

  /// Runs a warp until it waits for other warps (or, in random order, until
  /// its next operation).
  void runWarp(unsigned warp);
  void runReadyLanes(unsigned warp);
  /// Carries out every operation of the warp whose lanes have met.
  void carryOutMeetings(unsigned warp);
  void carryOut(unsigned warp, LaneSet lanes);
  /// The lanes that must be at the operation `lane` waits at.
  LaneSet requiredLanes(const Warp &warp, const Lane &lane) const;
  /// The lanes of `warp` that wait at the same operation as `lane`.
  LaneSet lanesAtSame(unsigned warp, const Lane &lane);
  /// Runs one round over the warps in order; false if none was ready.
  bool runRound();
  uint64_t random();

  Block block;
  FiberSwitch fibers;
  FaultReceiver *faults = nullptr;
  Lane *running = nullptr;
  Outcome outcome = Outcome::Blocked;
  uint64_t randomState = 0;
};

/// True if lanes that wait at these two calls with these masks have met.
bool meetAt(const Lane &a, const Lane &b);

} // namespace mlir::magicube::sim

#endif // MAGICUBE_LIB_SIMULATOR_WORKER_H
