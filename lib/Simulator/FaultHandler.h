//===- FaultHandler.h - Memory faults of kernels as errors ------*- C++ -*-===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// While a kernel runs, SIGSEGV and its like are caught: the faulting thread is
// diverted to a landing function at the top of its own stack, which hands the
// fault to the scheduler. Faults of other code go to the previous handler.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_SIMULATOR_FAULTHANDLER_H
#define MAGICUBE_LIB_SIMULATOR_FAULTHANDLER_H

#include <csignal>
#include <cstdint>
#include <vector>

namespace mlir::magicube::sim {

struct Fault {
  int signal = 0;
  /// The address accessed; meaningless unless `hasAddress`.
  uintptr_t address = 0;
  bool hasAddress = false;
  bool isWrite = false;
};

/// Receives the faults of the OS thread it was made on, for its lifetime.
/// Installs the signal handlers (shared by all receivers) and an alternate
/// signal stack, and restores the former ones.
class FaultReceiver {
public:
  FaultReceiver();
  ~FaultReceiver();
  FaultReceiver(const FaultReceiver &) = delete;
  FaultReceiver &operator=(const FaultReceiver &) = delete;

  /// Until disarm(): a fault goes to `landing`, run on the stack that ends at
  /// `stackTop` (what was on it is lost), which must not return.
  void arm(void (*landing)(), char *stackTop) {
    landingFunction = landing;
    landingStackTop = stackTop;
  }
  void disarm() { landingFunction = nullptr; }

  /// The last fault.
  const Fault &fault() const { return lastFault; }

private:
  static void onSignal(int signal, siginfo_t *info, void *context);

  void (*volatile landingFunction)() = nullptr;
  char *volatile landingStackTop = nullptr;
  Fault lastFault;
  std::vector<char> signalStack;
  stack_t formerSignalStack;
};

} // namespace mlir::magicube::sim

#endif // MAGICUBE_LIB_SIMULATOR_FAULTHANDLER_H
