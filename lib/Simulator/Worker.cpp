//===- Worker.cpp - Runs blocks on one OS thread --------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Worker.h"

#include <csignal>
#include <cstdint>

using namespace mlir::magicube;
using namespace mlir::magicube::sim;

/// The worker whose fibers run on this OS thread.
static thread_local Worker *currentWorker = nullptr;

//===----------------------------------------------------------------------===//
// On the fiber of a lane
//===----------------------------------------------------------------------===//

// JIT code carries no type hash in front of functions, which UBSan would read.
__attribute__((no_sanitize("undefined"))) void Worker::runLane(void *argument) {
  Lane &lane = *static_cast<Lane *>(argument);
  const Launch &launch = lane.worker->launch();
  launch.kernel.entry(&lane, launch.parameters);
  lane.worker->exit(lane);
}

void Worker::suspend(Lane &lane) {
  outcome = Outcome::Blocked;
  fibers.leave(lane.fiber);
}

void Worker::exit(Lane &lane) {
  outcome = Outcome::Exited;
  fibers.finish(lane.fiber);
}

void Worker::stop(Lane &lane) {
  outcome = Outcome::Failed;
  fibers.finish(lane.fiber);
}

/// Where FaultReceiver diverts a faulting lane to.
__attribute__((no_sanitize("address"))) void Worker::landFault() {
  Worker &worker = *currentWorker;
  forgetFrames(worker.running->fiber);
  worker.reportFault(*worker.running, worker.faults->fault());
  worker.stop(*worker.running);
}

void Worker::reportFault(const Lane &lane, const Fault &fault) {
  if (fault.signal == SIGFPE)
    return block.fail(lane, "integer division by zero or overflow in division");
  if (fault.signal == SIGILL)
    return block.fail(lane, "trap (llvm.trap or code marked unreachable)");
  std::string operation = lane.accessing  ? lane.accessing->describe()
                          : fault.isWrite ? "store"
                                          : "load";
  if (!fault.hasAddress)
    return block.fail(lane,
                      "out of bounds: " + operation +
                          " at an address that no memory can have",
                      "a pointer that was never written is full of 0xa5 bytes");
  block.fail(lane, "out of bounds: " + operation + " at " +
                       hexadecimal(fault.address) + ", " +
                       block.describeAddress(fault.address));
}

//===----------------------------------------------------------------------===//
// Scheduler
//===----------------------------------------------------------------------===//

Worker::Outcome Worker::resume(Lane &lane) {
  running = &lane;
  faults->arm(&Worker::landFault, lane.fiber.stackTop);
  fibers.enter(lane.fiber);
  faults->disarm();
  running = nullptr;
  return outcome;
}

bool sim::meetAt(const Lane &a, const Lane &b) {
  if (a.site->intrinsic != b.site->intrinsic)
    return false;
  if (a.site->intrinsic->meeting == Meeting::Mask)
    return a.mask == b.mask;
  return a.site == b.site;
}

LaneSet Worker::requiredLanes(const Warp &warp, const Lane &lane) const {
  switch (lane.site->intrinsic->meeting) {
  case Meeting::FullWarp:
    return allLanes;
  case Meeting::LaunchedLanes:
    return warp.launched;
  case Meeting::Mask:
    return lane.mask;
  case Meeting::Self:
  case Meeting::None:
    break;
  }
  return laneBit(lane.laneIndex());
}

LaneSet Worker::lanesAtSame(unsigned warp, const Lane &lane) {
  LaneSet same = 0;
  forEachLane(block.warps[warp].meeting, [&](unsigned other) {
    if (meetAt(lane, block.lane(warp, other)))
      same |= laneBit(other);
  });
  return same;
}

void Worker::carryOut(unsigned warp, LaneSet lanes) {
  const CallSite &site = *block.lane(warp, lowestLane(lanes)).site;
  // Before the call, which may release lanes that it blocks itself.
  block.warps[warp].meeting &= ~lanes;
  block.warps[warp].atBarrier |= lanes;
  LaneSet released = site.intrinsic->warp({block, warp, lanes, site});
  block.warps[warp].atBarrier &= ~released;
  block.warps[warp].ready |= released;
}

void Worker::carryOutMeetings(unsigned warp) {
  LaneSet unseen = block.warps[warp].meeting;
  while (unseen && !block.error()) {
    const Lane &lane = block.lane(warp, lowestLane(unseen));
    LaneSet required = requiredLanes(block.warps[warp], lane);
    LaneSet own = laneBit(lane.laneIndex());
    LaneSet present = required == own ? own : lanesAtSame(warp, lane);
    unseen &= ~present & ~own;
    if ((required & ~present) == 0)
      carryOut(warp, required);
  }
}

void Worker::runReadyLanes(unsigned warp) {
  Warp &state = block.warps[warp];
  LaneSet lanes = state.ready;
  state.ready = 0;
  WarpOrder order = block.launch().options.warpOrder;
  // A random order starts at a random lane, upwards or downwards.
  uint64_t choice = order == WarpOrder::Random ? random() : 0;
  LaneSet below = laneBit(choice % warpSize) - 1;
  bool downwards = order == WarpOrder::Reverse || (choice >> warpSize & 1);
  for (LaneSet part : {lanes & ~below, lanes & below}) {
    while (part) {
      unsigned index = downwards ? highestLane(part) : lowestLane(part);
      LaneSet bit = laneBit(index);
      part &= ~bit;
      switch (resume(block.lane(warp, index))) {
      case Outcome::Blocked:
        state.meeting |= bit;
        break;
      case Outcome::Exited:
        state.exited |= bit;
        break;
      case Outcome::Failed:
        return;
      }
    }
  }
}

void Worker::runWarp(unsigned warp) {
  do {
    runReadyLanes(warp);
    if (!block.error())
      carryOutMeetings(warp);
  } while (!block.error() && block.warps[warp].ready &&
           block.launch().options.warpOrder != WarpOrder::Random);
}

bool Worker::runRound() {
  unsigned numWarps = block.numWarps();
  WarpOrder order = block.launch().options.warpOrder;
  unsigned first = order == WarpOrder::Random
                       ? static_cast<unsigned>(random() % numWarps)
                       : 0;
  bool anyReady = false;
  for (unsigned i = 0; i < numWarps && !block.error(); ++i) {
    unsigned warp =
        order == WarpOrder::Reverse ? numWarps - 1 - i : (first + i) % numWarps;
    if (!block.warps[warp].ready)
      continue;
    anyReady = true;
    runWarp(warp);
    if (order == WarpOrder::Random)
      return true;
  }
  return anyReady;
}

std::optional<Error> Worker::run(uint64_t index, FaultReceiver &receiver) {
  currentWorker = this;
  faults = &receiver;
  const Options &options = block.launch().options;
  randomState = options.seed ^ (index + 1) * 0x9E3779B97F4A7C15;
  block.begin(index);
  for (unsigned thread = 0; thread < block.numThreads(); ++thread) {
    Lane &lane = block.lane(thread);
    lane.fiber.entry = &Worker::runLane;
    lane.fiber.argument = &lane;
    fibers.start(lane.fiber);
  }
  while (!block.error() && runRound()) {
  }
  if (!block.error())
    for (const Warp &warp : block.warps)
      if (warp.exited != warp.launched) {
        reportStall(block);
        break;
      }
  if (!block.error())
    block.checkSharedSlack();
  return block.error();
}

/// SplitMix64 (Steele, Lea, Flood, "Fast Splittable Pseudorandom Number
/// Generators", 2014).
uint64_t Worker::random() {
  uint64_t value = randomState += 0x9E3779B97F4A7C15;
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EB;
  return value ^ (value >> 31);
}

//===----------------------------------------------------------------------===//
// WarpCall
//===----------------------------------------------------------------------===//

Lane &WarpCall::lane(unsigned index) const { return block.lane(warp, index); }

const Slot *WarpCall::arguments(unsigned index) const {
  return lane(index).arguments;
}

Slot *WarpCall::results(unsigned index) const { return lane(index).results; }

void WarpCall::fail(unsigned index, std::string message,
                    std::string note) const {
  block.fail(lane(index), site.describe() + ": " + message, std::move(note));
}
