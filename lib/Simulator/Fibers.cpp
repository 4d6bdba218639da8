//===- Fibers.cpp - Threads of a block as fibers --------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contexts are Boost.Context's fcontext: saved registers on the fiber's own
// stack, a round trip of about 12 ns, no system call. (Its fiber class needs
// exceptions, which the project does not use.)
//
//===----------------------------------------------------------------------===//

#include "Fibers.h"

#include <boost/context/detail/fcontext.hpp>

#include <sys/mman.h>
#include <unistd.h>

using namespace mlir::magicube;
using namespace mlir::magicube::sim;
using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

#if defined(__SANITIZE_ADDRESS__)
#define MAGICUBE_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MAGICUBE_ASAN 1
#endif
#endif

#ifdef MAGICUBE_ASAN
// Declared here because not every compiler package ships the headers.
extern "C" {
void __sanitizer_start_switch_fiber(void **fakeStackSave, const void *bottom,
                                    size_t size);
void __sanitizer_finish_switch_fiber(void *fakeStackSave,
                                     const void **bottomOld, size_t *sizeOld);
void __asan_unpoison_memory_region(const volatile void *address, size_t size);
}
#endif

/// Before a switch to the stack [bottom, bottom + size). `save` keeps what the
/// sanitizer knows of the stack that is left; null if it is left for good.
static void announceSwitch(void **save, const void *bottom, size_t size) {
#ifdef MAGICUBE_ASAN
  __sanitizer_start_switch_fiber(save, bottom, size);
#endif
}

/// After a switch, on the new stack: gives back what was saved when it was
/// left, and tells which stack control came from.
static void completeSwitch(void *saved, const void **bottom = nullptr,
                           size_t *size = nullptr) {
#ifdef MAGICUBE_ASAN
  __sanitizer_finish_switch_fiber(saved, bottom, size);
#endif
}

/// Removes the marks of frames that were dropped, not unwound.
static void clearMarks(void *bottom, size_t size) {
#ifdef MAGICUBE_ASAN
  __asan_unpoison_memory_region(bottom, size);
#endif
}

//===----------------------------------------------------------------------===//
// StackPool
//===----------------------------------------------------------------------===//

/// One page; larger than any on the hosts we know would still be correct.
static constexpr size_t stackGuardBytes = 4096;
static constexpr size_t stackStride = stackGuardBytes + fiberStackBytes;

void StackPool::release() {
  if (mapping) {
    // Blocks that failed leave frames behind, and the next mapping at these
    // addresses must not inherit their marks.
    clearMarks(mapping, count * stackStride);
    munmap(mapping, count * stackStride);
  }
  mapping = nullptr;
  count = 0;
}

Status StackPool::reserve(unsigned wanted) {
  if (wanted <= count)
    return Status::success();
  release();
  void *pages = mmap(nullptr, wanted * stackStride, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, /*fd=*/-1, 0);
  if (pages != MAP_FAILED) {
    mapping = static_cast<char *>(pages);
    count = wanted;
    unsigned opened = 0;
    while (opened < count && mprotect(bottom(opened), fiberStackBytes,
                                      PROT_READ | PROT_WRITE) == 0)
      ++opened;
    if (opened == count)
      return Status::success();
    release();
  }
  return Error{"out of memory: cannot map the stacks of " +
                   std::to_string(wanted) + " threads",
               "simulate with fewer host threads (option 'threads') or smaller "
               "blocks"};
}

char *StackPool::bottom(unsigned index) const {
  return mapping + index * stackStride + stackGuardBytes;
}

char *StackPool::top(unsigned index) const {
  constexpr unsigned colours = 16, colourBytes = 256;
  return bottom(index) + fiberStackBytes - index % colours * colourBytes;
}

bool StackPool::isGuard(uintptr_t address) const {
  uintptr_t begin = reinterpret_cast<uintptr_t>(mapping);
  return address >= begin && address - begin < count * stackStride &&
         (address - begin) % stackStride < stackGuardBytes;
}

//===----------------------------------------------------------------------===//
// FiberSwitch
//===----------------------------------------------------------------------===//

namespace mlir::magicube::sim {
/// The first frame of every fiber.
struct FiberMain {
  static void run(transfer_t from) {
    auto &fibers = *static_cast<FiberSwitch *>(from.data);
    completeSwitch(nullptr, &fibers.schedulerBottom, &fibers.schedulerBytes);
    fibers.scheduler = from.fctx;
    fibers.entered->entry(fibers.entered->argument);
  }
};
} // namespace mlir::magicube::sim

void sim::forgetFrames(const Fiber &fiber) {
  clearMarks(fiber.stackBottom,
             static_cast<size_t>(fiber.stackTop - fiber.stackBottom));
}

void FiberSwitch::start(Fiber &fiber) {
  forgetFrames(fiber);
  fiber.fakeStack = nullptr;
  fiber.context = make_fcontext(
      fiber.stackTop, static_cast<size_t>(fiber.stackTop - fiber.stackBottom),
      &FiberMain::run);
}

void FiberSwitch::enter(Fiber &fiber) {
  entered = &fiber;
  announceSwitch(&schedulerFakeStack, fiber.stackBottom,
                 static_cast<size_t>(fiber.stackTop - fiber.stackBottom));
  transfer_t back = jump_fcontext(fiber.context, this);
  completeSwitch(schedulerFakeStack);
  fiber.context = back.fctx;
}

void FiberSwitch::leave(Fiber &fiber) {
  announceSwitch(&fiber.fakeStack, schedulerBottom, schedulerBytes);
  transfer_t back = jump_fcontext(scheduler, nullptr);
  completeSwitch(fiber.fakeStack);
  scheduler = back.fctx;
}

void FiberSwitch::finish(Fiber &fiber) {
  // A null save slot frees the fiber's fake stack.
  announceSwitch(nullptr, schedulerBottom, schedulerBytes);
  jump_fcontext(scheduler, nullptr);
  __builtin_unreachable();
}
