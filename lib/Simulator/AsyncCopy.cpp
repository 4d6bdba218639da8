//===- AsyncCopy.cpp - cp.async -------------------------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asynchronous copies from global to shared memory (PTX ISA "cp.async",
// "cp.async.commit_group", "cp.async.wait_group"). In the issue mode they land
// at once; in the wait mode source and destination are only touched at the
// wait, so that a kernel which reads the destination too early, or overwrites
// the source, computes something else.
//
//===----------------------------------------------------------------------===//

#include "AsyncCopy.h"

#include "Worker.h"

#include <cstring>

using namespace mlir::magicube;
using namespace mlir::magicube::sim;

void AsyncCopy::land() const {
  std::memcpy(destination, source, sourceBytes);
  std::memset(destination + sourceBytes, 0, bytes - sourceBytes);
}

void AsyncCopies::commitGroup() {
  groups.push_back(std::move(open));
  open.clear();
}

void AsyncCopies::clear() {
  open.clear();
  groups.clear();
}

/// True if both addresses are multiples of the copy's size (PTX ISA: aligned to
/// cp-size) and the destination is shared memory; else the error is noted.
static bool checkAddresses(const Lane &lane, const AsyncCopy &copy) {
  auto fail = [&](const std::string &message) {
    lane.worker->fail(lane, copy.site->describe() + ": " + message);
    return false;
  };
  uintptr_t source = reinterpret_cast<uintptr_t>(copy.source);
  uintptr_t destination = reinterpret_cast<uintptr_t>(copy.destination);
  for (auto [address, what] :
       {std::pair(source, "source"), std::pair(destination, "destination")})
    if (address % copy.bytes)
      return fail("misaligned: " + std::string(what) + " address " +
                  hexadecimal(address) + " is not a multiple of " +
                  std::to_string(copy.bytes));
  uint64_t offset = destination - reinterpret_cast<uintptr_t>(lane.shared);
  if (offset > lane.sharedBytes || copy.bytes > lane.sharedBytes - offset)
    return fail("out of bounds: destination address " +
                hexadecimal(destination) + ", " +
                lane.worker->describeAddress(destination));
  if (copy.sourceBytes > copy.bytes)
    return fail("source size " + std::to_string(copy.sourceBytes) +
                " is larger than the copy's " + std::to_string(copy.bytes) +
                " bytes");
  return true;
}

static void land(Lane &lane, const AsyncCopy &copy) {
  lane.accessing = copy.site;
  copy.land();
  lane.accessing = nullptr;
}

/// Operands: destination, source and, in the .s variants, the bytes to read.
template <unsigned bytes, bool hasSourceBytes>
static void copyAsync(Lane *lane, const CallSite *site, Slot *,
                      const Slot *arguments) {
  AsyncCopy copy{reinterpret_cast<char *>(arguments[0]),
                 reinterpret_cast<const char *>(arguments[1]), bytes,
                 hasSourceBytes ? static_cast<uint32_t>(arguments[2]) : bytes,
                 site};
  if (!checkAddresses(*lane, copy))
    lane->worker->stop(*lane);
  if (lane->worker->launch().options.asyncCopy == AsyncCopyMode::Issue)
    land(*lane, copy);
  else
    lane->copies.add(copy);
}

static void commitGroup(Lane *lane, const CallSite *, Slot *, const Slot *) {
  if (lane->worker->launch().options.asyncCopy == AsyncCopyMode::Wait)
    lane->copies.commitGroup();
}

/// Lands groups, oldest first, until `pending` are left.
static void waitGroups(Lane &lane, uint64_t pending) {
  while (lane.copies.numGroups() > pending) {
    for (const AsyncCopy &copy : lane.copies.oldestGroup())
      land(lane, copy);
    lane.copies.popGroup();
  }
}

static void waitGroup(Lane *lane, const CallSite *, Slot *,
                      const Slot *arguments) {
  waitGroups(*lane, arguments[0]);
}

/// PTX ISA: the same as a commit and a wait for all groups.
static void waitAll(Lane *lane, const CallSite *site, Slot *results,
                    const Slot *arguments) {
  commitGroup(lane, site, results, arguments);
  waitGroups(*lane, 0);
}

static constexpr Intrinsic rows[] = {
    {"cp.async.ca.shared.global.4", Meeting::None, copyAsync<4, false>},
    {"cp.async.ca.shared.global.8", Meeting::None, copyAsync<8, false>},
    {"cp.async.ca.shared.global.16", Meeting::None, copyAsync<16, false>},
    {"cp.async.cg.shared.global.16", Meeting::None, copyAsync<16, false>},
    {"cp.async.ca.shared.global.4.s", Meeting::None, copyAsync<4, true>},
    {"cp.async.ca.shared.global.8.s", Meeting::None, copyAsync<8, true>},
    {"cp.async.ca.shared.global.16.s", Meeting::None, copyAsync<16, true>},
    {"cp.async.cg.shared.global.16.s", Meeting::None, copyAsync<16, true>},
    {"cp.async.commit.group", Meeting::None, commitGroup},
    {"cp.async.wait.group", Meeting::None, waitGroup},
    {"cp.async.wait.all", Meeting::None, waitAll},
};

IntrinsicFamily sim::asyncCopyIntrinsics() { return rows; }
