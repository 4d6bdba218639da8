//===- IntrinsicTable.h - One small kernel for each intrinsic ---*- C++ -*-===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of what the simulator and a GPU are compared on. Written from the
// names of the intrinsics and the PTX ISA's rules for their operands; it shares
// nothing with the simulator.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_TEST_CONFORMANCE_INTRINSICTABLE_H
#define MAGICUBE_TEST_CONFORMANCE_INTRINSICTABLE_H

#include <cstdint>
#include <string>
#include <vector>

namespace mlir::magicube::conformance {

/// A kernel that calls one intrinsic in every thread. Each thread has words of
/// its own in the input and the output.
struct IntrinsicCase {
  /// The kernel's symbol.
  std::string name;
  /// The lowest compute capability with the instruction.
  unsigned minCapability = 80;
  /// Of one block.
  unsigned threads = 32;
  /// One per input word of a thread: random bits are masked with it.
  std::vector<uint32_t> inputMasks;
  unsigned outputWords = 1;
  /// LLVM IR. May use %tid, %lane, %cta (i32), the input words %w0, ... (i32),
  /// %inp and %outp (where the thread's words lie), and @smem; defines the
  /// output words %r0, ... (i32) unless it stores them itself.
  std::string body;
  bool storesItself = false;
};

/// Dynamic shared memory of every kernel, in bytes.
inline constexpr unsigned kSharedBytes = 4096;

std::vector<IntrinsicCase> intrinsicCases();

/// A module with the kernels of `cases`, as LLVM IR text for NVPTX.
std::string moduleText(const std::vector<IntrinsicCase> &cases);

} // namespace mlir::magicube::conformance

#endif // MAGICUBE_TEST_CONFORMANCE_INTRINSICTABLE_H
