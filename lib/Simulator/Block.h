//===- Block.h - State of a running block -----------------------*- C++ -*-===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lanes, warps, barriers and shared memory of the block that a worker runs,
// and how its errors are worded.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_SIMULATOR_BLOCK_H
#define MAGICUBE_LIB_SIMULATOR_BLOCK_H

#include "AsyncCopy.h"
#include "Barrier.h"
#include "Fibers.h"
#include "Intrinsics.h"
#include "Memory.h"
#include "Options.h"
#include "SpecialRegisters.h"

#include <memory>
#include <optional>

namespace mlir::magicube::sim {

class Worker;

/// A compiled kernel.
struct Kernel {
  std::string name;
  /// Runs one thread; `parameters[i]` points at parameter i.
  void (*entry)(Lane *lane, void **parameters) = nullptr;
  unsigned numParameters = 0;
  /// Bytes of static shared memory of its module, in front of the dynamic part.
  uint64_t staticSharedBytes = 0;
  /// Alignment that the module's shared variables ask for.
  uint64_t sharedAlignment = 16;
};

/// A launch that was checked against the limits.
struct Launch {
  const Kernel &kernel;
  Dim3 grid;
  Dim3 block;
  uint32_t dynamicSharedBytes;
  void **parameters;
  const Options &options;
  const DeviceMemory &memory;

  unsigned threadsPerBlock() const { return block.x * block.y * block.z; }
  uint64_t numBlocks() const { return uint64_t(grid.x) * grid.y * grid.z; }
  uint64_t sharedBytes() const {
    return kernel.staticSharedBytes + dynamicSharedBytes;
  }
};

/// A simulated thread. The first members are read by JIT code at their offsets
/// (IntrinsicCalls.cpp, SharedVariables.cpp, AccessChecks.cpp).
struct Lane {
  SpecialRegisters registers;
  /// The block's shared memory.
  char *shared;
  uint64_t sharedBytes;

  Fiber fiber;
  Worker *worker;
  /// Index in the block.
  unsigned thread;
  /// What it waits at, while it is blocked.
  const CallSite *site;
  Slot *results;
  const Slot *arguments;
  LaneSet mask;
  /// The operation that touches memory for it right now, if any.
  const CallSite *accessing;
  AsyncCopies copies;

  unsigned warp() const { return thread / warpSize; }
  unsigned laneIndex() const { return thread % warpSize; }
};

/// Sets of lanes of a warp; every launched lane is in exactly one but the
/// first.
struct Warp {
  LaneSet launched = 0;
  LaneSet ready = 0;
  /// At an operation whose partners are not all there.
  LaneSet meeting = 0;
  /// Waiting for a barrier of the block.
  LaneSet atBarrier = 0;
  LaneSet exited = 0;
};

/// The block that a worker runs.
class Block {
public:
  /// Sets up for the blocks of a launch.
  Status prepare(const Launch &launch, Worker &worker);
  /// Resets all state for block `index` (linear, x fastest).
  void begin(uint64_t index);

  const Launch &launch() const { return *currentLaunch; }
  unsigned numThreads() const { return threads; }
  unsigned numWarps() const { return static_cast<unsigned>(warps.size()); }
  Lane &lane(unsigned thread) { return lanes[thread]; }
  Lane &lane(unsigned warp, unsigned index) {
    return lanes[warp * warpSize + index];
  }

  /// "kernel 'k', block (x, y, z)" and ", thread (x, y, z)".
  std::string describe() const;
  std::string describe(const Lane &lane) const;
  /// Where a faulting address lies: shared memory, a buffer, a stack.
  std::string describeAddress(uintptr_t address) const;

  /// Ends the block with an error of one lane, or of all.
  void fail(const Lane &lane, const std::string &message,
            std::string note = {});
  void fail(const std::string &message, std::string note = {});
  const std::optional<Error> &error() const { return failure; }

  /// An error if memory between shared variables and guards was written.
  void checkSharedSlack();

  std::vector<Warp> warps;
  Barriers barriers;
  StackPool stacks;

private:
  Status prepareShared();

  const Launch *currentLaunch = nullptr;
  uint64_t blockIndex = 0;
  unsigned threads = 0;
  std::unique_ptr<Lane[]> lanes;
  unsigned lanesCapacity = 0;
  GuardedPages sharedPages;
  uint64_t sharedCapacity = 0;
  char *shared = nullptr;
  std::optional<Error> failure;
};

} // namespace mlir::magicube::sim

#endif // MAGICUBE_LIB_SIMULATOR_BLOCK_H
