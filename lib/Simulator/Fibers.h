//===- Fibers.h - Threads of a block as fibers ------------------*- C++ -*-===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A fiber per simulated thread: a stack and a saved context. Switching goes
// between the scheduler (the OS thread's own stack) and one fiber at a time,
// and is announced to AddressSanitizer where that is in use.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_SIMULATOR_FIBERS_H
#define MAGICUBE_LIB_SIMULATOR_FIBERS_H

#include "magicube/Support/Result.h"

#include <cstddef>
#include <cstdint>

namespace mlir::magicube::sim {

/// Bytes of stack per thread: kernel locals plus the simulator's own frames.
constexpr size_t fiberStackBytes = 128 * 1024;

/// Stacks in one mapping, each below it guarded by a page without access.
class StackPool {
public:
  StackPool() = default;
  StackPool(const StackPool &) = delete;
  StackPool &operator=(const StackPool &) = delete;
  ~StackPool() { release(); }

  /// Makes at least `count` stacks available.
  Status reserve(unsigned count);
  char *bottom(unsigned index) const;
  /// Where a fiber starts; a little below the end, and differently for each
  /// stack, so that 32 lanes at the same depth do not share cache sets.
  char *top(unsigned index) const;
  /// True if the address lies in a guard, i.e. the stack above overflowed.
  bool isGuard(uintptr_t address) const;

private:
  void release();
  char *mapping = nullptr;
  unsigned count = 0;
};

/// A suspended flow of control.
struct Fiber {
  /// Where it begins; must end with FiberSwitch::finish().
  void (*entry)(void *argument) = nullptr;
  void *argument = nullptr;
  void *context = nullptr;
  char *stackBottom = nullptr;
  char *stackTop = nullptr;
  /// AddressSanitizer's shadow of the stack while suspended.
  void *fakeStack = nullptr;
};

/// Switches between the calling OS thread and its fibers.
class FiberSwitch {
public:
  /// Makes the fiber begin anew, at its entry, when next entered.
  void start(Fiber &fiber);

  /// From the scheduler: runs the fiber until it leaves or finishes.
  void enter(Fiber &fiber);
  /// From the fiber: back to the scheduler; returns when entered again.
  void leave(Fiber &fiber);
  /// From the fiber: back to the scheduler for good.
  [[noreturn]] void finish(Fiber &fiber);

private:
  friend struct FiberMain;
  void *scheduler = nullptr;
  void *schedulerFakeStack = nullptr;
  const void *schedulerBottom = nullptr;
  size_t schedulerBytes = 0;
  Fiber *entered = nullptr;
};

/// Tells AddressSanitizer that a stack holds no live frames any more.
void forgetFrames(const Fiber &fiber);

} // namespace mlir::magicube::sim

#endif // MAGICUBE_LIB_SIMULATOR_FIBERS_H
