//===- Options.h - Options of the simulated device --------------*- C++ -*-===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_SIMULATOR_OPTIONS_H
#define MAGICUBE_LIB_SIMULATOR_OPTIONS_H

#include "magicube/Runtime/Device.h"

namespace mlir::magicube::sim {

/// The order in which the warps of a block, and the lanes of a warp, run.
/// Forward and Reverse run each warp until it waits for others; Random picks a
/// warp anew after every collective operation.
enum class WarpOrder { Forward, Reverse, Random };

/// When the bytes of a cp.async land: the earliest and the latest moment that
/// the PTX ISA allows.
enum class AsyncCopyMode { Issue, Wait };

struct Options {
  WarpOrder warpOrder = WarpOrder::Forward;
  uint64_t seed = 0;
  AsyncCopyMode asyncCopy = AsyncCopyMode::Issue;
  /// Most bytes of shared memory per block: 227 KB, compute capability 9.0
  /// (CUDA C++ Programming Guide, "Technical Specifications per Compute
  /// Capability").
  uint32_t sharedMemoryLimit = 227 * 1024;
  /// Host threads that run blocks; 0: one per hardware thread.
  uint32_t threads = 0;
};

/// Keys: warp-order, seed, async-copy, shared-memory-limit, threads.
Result<Options> parseOptions(const DeviceOptions &options);

} // namespace mlir::magicube::sim

#endif // MAGICUBE_LIB_SIMULATOR_OPTIONS_H
