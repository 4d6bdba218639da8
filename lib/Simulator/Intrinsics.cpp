//===- Intrinsics.cpp - Table of simulated operations ---------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Intrinsics.h"

#include "Worker.h"

#include <initializer_list>

using namespace mlir::magicube;
using namespace mlir::magicube::sim;

std::string CallSite::describe() const {
  return name + " (" +
         (location.empty()
              ? "call " + std::to_string(ordinal) + " of '" + function + "'"
              : location) +
         ")";
}

static bool matches(const Intrinsic &row, std::string_view name) {
  if (row.name.back() == '.')
    return name.substr(0, row.name.size()) == row.name;
  return name == row.name;
}

const Intrinsic *sim::findIntrinsic(std::string_view name) {
  for (IntrinsicFamily family :
       {asyncCopyIntrinsics(), barrierIntrinsics(), matrixIntrinsics(),
        mmaIntrinsics(), scalarIntrinsics(), warpIntrinsics()})
    for (const Intrinsic *row = family.begin; row != family.end; ++row)
      if (matches(*row, name))
        return row;
  return nullptr;
}

static void doNothing(Lane *, const CallSite *, Slot *, const Slot *) {}

/// Blocks the thread until the scheduler has carried the operation out.
static void meet(Lane *lane, const CallSite *site, Slot *results,
                 const Slot *arguments) {
  const Intrinsic &intrinsic = *site->intrinsic;
  lane->site = site;
  lane->results = results;
  lane->arguments = arguments;
  lane->mask = 0;
  if (intrinsic.meeting == Meeting::Mask) {
    lane->mask = static_cast<uint32_t>(arguments[intrinsic.maskArgument]);
    // PTX ISA, e.g. "shfl.sync": the executing thread must be in membermask.
    if (!contains(lane->mask, lane->laneIndex())) {
      lane->worker->fail(*lane, site->describe() + ": lane " +
                                    std::to_string(lane->laneIndex()) +
                                    " is not in its own member mask " +
                                    hexadecimal(lane->mask));
      lane->worker->stop(*lane);
    }
  }
  lane->worker->suspend(*lane);
}

ThreadFunction sim::entryPoint(const Intrinsic &intrinsic) {
  if (intrinsic.meeting != Meeting::None)
    return meet;
  return intrinsic.thread ? intrinsic.thread : doNothing;
}
