//===- Block.cpp - State of a running block -------------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Block.h"

#include <algorithm>
#include <cstring>

using namespace mlir::magicube;
using namespace mlir::magicube::sim;

static std::string triple(uint64_t x, uint64_t y, uint64_t z) {
  return "(" + std::to_string(x) + ", " + std::to_string(y) + ", " +
         std::to_string(z) + ")";
}

Status Block::prepareShared() {
  uint64_t bytes = currentLaunch->sharedBytes();
  uint64_t padded = roundUp(bytes, currentLaunch->kernel.sharedAlignment);
  if (!shared || padded > sharedCapacity) {
    Result<GuardedPages> pages = GuardedPages::create(padded);
    if (!pages)
      return pages.error();
    sharedPages = std::move(*pages);
    sharedCapacity =
        static_cast<uint64_t>(sharedPages.end() - sharedPages.begin());
  }
  shared = sharedPages.end() - padded;
  sharedPages.restrictTo(shared);
  return Status::success();
}

Status Block::prepare(const Launch &launch, Worker &worker) {
  currentLaunch = &launch;
  threads = launch.threadsPerBlock();
  if (Status reserved = stacks.reserve(threads); !reserved)
    return reserved;
  if (Status reserved = prepareShared(); !reserved)
    return reserved;
  if (threads > lanesCapacity) {
    lanes = std::make_unique<Lane[]>(threads);
    lanesCapacity = threads;
  }
  for (unsigned thread = 0; thread < threads; ++thread) {
    Lane &lane = lanes[thread];
    lane.thread = thread;
    lane.worker = &worker;
    lane.shared = shared;
    lane.sharedBytes = launch.sharedBytes();
    lane.fiber.stackBottom = stacks.bottom(thread);
    lane.fiber.stackTop = stacks.top(thread);
    setThreadRegisters(lane.registers, thread, launch.grid, launch.block,
                       launch.dynamicSharedBytes, launch.sharedBytes());
  }
  warps.assign((threads + warpSize - 1) / warpSize, Warp());
  for (unsigned thread = 0; thread < threads; ++thread)
    warps[thread / warpSize].launched |= laneBit(thread % warpSize);
  return Status::success();
}

void Block::begin(uint64_t index) {
  const Dim3 &grid = currentLaunch->grid;
  blockIndex = index;
  failure.reset();
  std::memset(shared, poisonByte,
              static_cast<size_t>(sharedPages.end() - shared));
  for (Warp &warp : warps) {
    LaneSet launched = warp.launched;
    warp = Warp();
    warp.launched = warp.ready = launched;
  }
  for (Barrier &barrier : barriers) {
    barrier.reset();
    barrier.waiting.assign(warps.size(), 0);
  }
  for (unsigned thread = 0; thread < threads; ++thread) {
    Lane &lane = lanes[thread];
    lane.registers[CtaidX] = static_cast<uint32_t>(index % grid.x);
    lane.registers[CtaidY] = static_cast<uint32_t>(index / grid.x % grid.y);
    lane.registers[CtaidZ] = static_cast<uint32_t>(index / grid.x / grid.y);
    lane.site = lane.accessing = nullptr;
    lane.copies.clear();
  }
}

std::string Block::describe() const {
  const SpecialRegisters &registers = lanes[0].registers;
  return "kernel '" + currentLaunch->kernel.name + "', block " +
         triple(registers[CtaidX], registers[CtaidY], registers[CtaidZ]);
}

std::string Block::describe(const Lane &lane) const {
  return describe() + ", thread " +
         triple(lane.registers[TidX], lane.registers[TidY],
                lane.registers[TidZ]);
}

std::string Block::describeAddress(uintptr_t address) const {
  if (sharedPages.covers(address))
    return describeRelative(address, reinterpret_cast<uintptr_t>(shared),
                            currentLaunch->sharedBytes(),
                            "shared memory of the block");
  if (stacks.isGuard(address))
    return "below the thread's stack of " + std::to_string(fiberStackBytes) +
           " bytes";
  std::string buffer = currentLaunch->memory.describe(address);
  return buffer.empty() ? "not in or near any buffer" : buffer;
}

void Block::fail(const Lane &lane, const std::string &message,
                 std::string note) {
  if (!failure)
    failure = Error{describe(lane) + ": " + message, std::move(note)};
}

void Block::fail(const std::string &message, std::string note) {
  if (!failure)
    failure = Error{describe() + ": " + message, std::move(note)};
}

void Block::checkSharedSlack() {
  char *end = shared + currentLaunch->sharedBytes();
  for (char *byte = end; byte != sharedPages.end(); ++byte)
    if (static_cast<unsigned char>(*byte) != poisonByte)
      return fail("out of bounds: the byte " +
                      describeAddress(reinterpret_cast<uintptr_t>(byte)) +
                      " was written",
                  "the write was too near to shared memory to fault, so its "
                  "thread is not known");
}
