//===- FaultHandler.cpp - Memory faults of kernels as errors --------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FaultHandler.h"

#include <mutex>
#include <ucontext.h>

#ifndef __x86_64__
#error "FaultHandler.cpp: port divert() and isWriteFault() to this processor"
#endif

using namespace mlir::magicube;
using namespace mlir::magicube::sim;

/// What a kernel can raise: wild addresses, division by zero, llvm.trap.
static constexpr int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
static constexpr size_t numSignals = sizeof(signals) / sizeof(signals[0]);

static std::mutex handlersMutex;
static unsigned handlersUsers = 0;
static struct sigaction formerActions[numSignals];

static thread_local FaultReceiver *receiver = nullptr;

/// Intel SDM volume 3, "Page-Fault Exception": bit 1 of the error code is set
/// for a write.
static bool isWriteFault(const ucontext_t &context) {
  constexpr greg_t writeBit = 2;
  return context.uc_mcontext.gregs[REG_ERR] & writeBit;
}

/// Makes the interrupted thread continue at `landing` with an empty stack.
static void divert(ucontext_t &context, void (*landing)(), char *stackTop) {
  // System V ABI: at a function's entry, the stack pointer plus 8 is a
  // multiple of 16 (the caller's push of the return address).
  constexpr uintptr_t alignment = 16, returnAddressBytes = 8;
  uintptr_t top = reinterpret_cast<uintptr_t>(stackTop) & ~(alignment - 1);
  context.uc_mcontext.gregs[REG_RSP] =
      static_cast<greg_t>(top - alignment - returnAddressBytes);
  context.uc_mcontext.gregs[REG_RIP] = reinterpret_cast<greg_t>(landing);
}

void FaultReceiver::onSignal(int signal, siginfo_t *info, void *context) {
  FaultReceiver *self = receiver;
  if (!self || !self->landingFunction) {
    // Not a kernel: on return the instruction faults again, into the former
    // handler.
    for (size_t i = 0; i < numSignals; ++i)
      if (signals[i] == signal)
        sigaction(signal, &formerActions[i], nullptr);
    return;
  }
  auto &machine = *static_cast<ucontext_t *>(context);
  bool isAccess = signal == SIGSEGV || signal == SIGBUS;
  self->lastFault.signal = signal;
  self->lastFault.address = reinterpret_cast<uintptr_t>(info->si_addr);
  // A non-canonical address raises a general protection fault, for which Linux
  // reports SI_KERNEL and no address.
  self->lastFault.hasAddress = isAccess && info->si_code != SI_KERNEL;
  self->lastFault.isWrite = isAccess && isWriteFault(machine);
  divert(machine, self->landingFunction, self->landingStackTop);
  self->landingFunction = nullptr;
}

FaultReceiver::FaultReceiver() {
  constexpr size_t signalStackBytes = 64 * 1024;
  signalStack.resize(signalStackBytes);
  stack_t alternate = {};
  alternate.ss_sp = signalStack.data();
  alternate.ss_size = signalStack.size();
  sigaltstack(&alternate, &formerSignalStack);
  receiver = this;

  std::lock_guard<std::mutex> lock(handlersMutex);
  if (handlersUsers++ > 0)
    return;
  struct sigaction action = {};
  action.sa_sigaction = &FaultReceiver::onSignal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < numSignals; ++i)
    sigaction(signals[i], &action, &formerActions[i]);
}

FaultReceiver::~FaultReceiver() {
  {
    std::lock_guard<std::mutex> lock(handlersMutex);
    if (--handlersUsers == 0)
      for (size_t i = 0; i < numSignals; ++i)
        sigaction(signals[i], &formerActions[i], nullptr);
  }
  receiver = nullptr;
  sigaltstack(&formerSignalStack, nullptr);
}
