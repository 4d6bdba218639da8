//===- StallReport.cpp - Why a block cannot go on -------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Called when no thread of a block can run although some have not exited. The
// headline names the first rule that is broken, the note lists what every warp
// waits at.
//
//===----------------------------------------------------------------------===//

#include "Worker.h"

#include <algorithm>

using namespace mlir::magicube;
using namespace mlir::magicube::sim;

/// "3", "0-7", "0-3, 8-11".
static std::string lanesText(LaneSet lanes) {
  std::string text;
  for (unsigned first = 0; first < warpSize; ++first) {
    if (!contains(lanes, first))
      continue;
    unsigned last = first;
    while (last + 1 < warpSize && contains(lanes, last + 1))
      ++last;
    text += (text.empty() ? "" : ", ") + std::to_string(first);
    if (last != first)
      text += "-" + std::to_string(last);
    first = last;
  }
  return text;
}

static std::string lanesOf(LaneSet lanes, unsigned warp) {
  return (countLanes(lanes) == 1 ? "lane " : "lanes ") + lanesText(lanes) +
         " of warp " + std::to_string(warp);
}

static std::string verb(LaneSet lanes, const char *one, const char *many) {
  return countLanes(lanes) == 1 ? one : many;
}

namespace {

/// Lanes of one warp that wait at the same operation.
struct Group {
  LaneSet lanes;
  const Lane *first;

  std::string operation() const {
    std::string text = first->site->describe();
    if (first->site->intrinsic->meeting == Meeting::Mask)
      text += " with mask " + hexadecimal(first->mask);
    return text;
  }
};

} // namespace

/// Splits `waiting` lanes of a warp by the operation they wait at.
static std::vector<Group> groupsOf(Block &block, unsigned warp,
                                   LaneSet waiting) {
  std::vector<Group> groups;
  while (waiting) {
    Group group{0, &block.lane(warp, lowestLane(waiting))};
    forEachLane(waiting, [&](unsigned lane) {
      if (meetAt(*group.first, block.lane(warp, lane)))
        group.lanes |= laneBit(lane);
    });
    waiting &= ~group.lanes;
    groups.push_back(group);
  }
  return groups;
}

static LaneSet requiredBy(const Group &group, const Warp &warp) {
  switch (group.first->site->intrinsic->meeting) {
  case Meeting::FullWarp:
    return allLanes;
  case Meeting::LaunchedLanes:
    return warp.launched;
  default:
    return group.first->mask;
  }
}

/// Reports lanes that wait for others of their warp; false if there are none.
static bool reportMeeting(Block &block, unsigned warp,
                          const std::string &note) {
  const Warp &state = block.warps[warp];
  if (!state.meeting)
    return false;
  for (const Group &group : groupsOf(block, warp, state.meeting)) {
    LaneSet missing = requiredBy(group, state) & ~group.lanes;
    std::string waiting = lanesOf(group.lanes, warp) + " " +
                          verb(group.lanes, "waits", "wait") + " at " +
                          group.operation();
    if (LaneSet absent = missing & ~state.launched) {
      block.fail("divergence: " + waiting + " for " + lanesOf(absent, warp) +
                     ", which the block of " +
                     std::to_string(block.numThreads()) +
                     " threads does not have",
                 note);
      return true;
    }
    if (LaneSet exited = missing & state.exited) {
      block.fail("divergence: " + waiting + " for " + lanesOf(exited, warp) +
                     ", which " + verb(exited, "has", "have") + " exited",
                 note);
      return true;
    }
  }
  Group waiting = groupsOf(block, warp, state.meeting).front();
  LaneSet missing = requiredBy(waiting, state) & ~waiting.lanes;
  Group elsewhere =
      groupsOf(block, warp, missing & (state.meeting | state.atBarrier))
          .front();
  block.fail("divergence: " + lanesOf(waiting.lanes, warp) + " " +
                 verb(waiting.lanes, "waits", "wait") + " at " +
                 waiting.operation() + " while " +
                 lanesOf(elsewhere.lanes, warp) + " " +
                 verb(elsewhere.lanes, "waits", "wait") + " at " +
                 elsewhere.operation(),
             note);
  return true;
}

/// Reports the lowest barrier that threads wait at.
static void reportBarrier(Block &block, const std::string &note) {
  unsigned exited = 0;
  for (const Warp &warp : block.warps)
    exited += countLanes(warp.exited);
  for (unsigned id = 0; id < numBarriers; ++id) {
    const Barrier &barrier = block.barriers[id];
    if (!barrier.expected)
      continue;
    block.fail("deadlock: barrier " + std::to_string(id) + " expects " +
                   std::to_string(barrier.expected) + " threads and has " +
                   std::to_string(barrier.arrived) + "; " +
                   (exited ? std::to_string(exited) + " threads have exited"
                           : "the others wait elsewhere"),
               note);
    return;
  }
}

/// What every warp waits at, for the note.
static std::string listWaits(Block &block) {
  constexpr unsigned maxWarpsListed = 8;
  std::string text;
  for (unsigned warp = 0; warp < block.numWarps(); ++warp) {
    if (warp == maxWarpsListed)
      return text + "; and " + std::to_string(block.numWarps() - warp) +
             " warps more";
    const Warp &state = block.warps[warp];
    text += std::string(text.empty() ? "" : "; ") + "warp " +
            std::to_string(warp) + ":";
    for (const Group &group :
         groupsOf(block, warp, state.meeting | state.atBarrier))
      text +=
          " lanes " + lanesText(group.lanes) + " at " + group.operation() + ",";
    if (state.exited)
      text += " lanes " + lanesText(state.exited) + " exited,";
    text.pop_back();
  }
  return text;
}

void sim::reportStall(Block &block) {
  std::string note = listWaits(block);
  for (unsigned warp = 0; warp < block.numWarps(); ++warp)
    if (reportMeeting(block, warp, note))
      return;
  reportBarrier(block, note);
}
