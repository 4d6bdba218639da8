//===- SpmmKernel.h - The SpMM kernel --------------------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What one kernel is specialized for, and its generation.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_CONVERSION_MAGICUBETOMAGICUBEGPU_SPMMKERNEL_H
#define MAGICUBE_LIB_CONVERSION_MAGICUBETOMAGICUBEGPU_SPMMKERNEL_H

#include "dialect/magicube/MagicubeDialect.h"
#include "magicube/Layout/StepLayout.h"
#include "magicube/Runtime/LaunchRule.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::magicube {

/// Bytes of a row of the dense operand that one thread copies at a time, and
/// columns of an A fragment of 8-bit elements.
inline constexpr int64_t kChunkBytes = 16;

/// Everything that the code of an SpMM kernel depends on.
struct SpmmKernelSpec {
  SRBCRSAttr encoding;
  ScheduleAttr schedule;
  bool unsignedLhs, unsignedRhs;
  /// Adds to what the result buffer holds.
  bool accumulate;
  /// Known alignment in bytes of the rows of the dense operand: 16, 4 or 1.
  int64_t alignment;

  static SpmmKernelSpec get(SpmmOp op, int64_t alignment);

  /// A key that is equal for equal kernels.
  Attribute getKey() const;
  /// A readable symbol, such as "spmm_i8_i8_v8_align16"; not unique.
  std::string getName() const;
  int64_t getBlockThreads() const {
    return schedule.getWarps() * kWarpSize;
  }
  SpmmAlignment getAlignment() const { return SpmmAlignment::get(alignment); }
  /// What one block computes.
  SpmmTile getTile() const { return {/*vectorRows=*/1, schedule.getTileN()}; }
};

/// Appends the kernel to `module`. The grid is that of getSpmmGrid; blocks past
/// the last column tile do nothing.
gpu::GPUFuncOp createSpmmKernel(OpBuilder &builder, Location loc,
                                const SpmmKernelSpec &spec, StringRef name);

} // namespace mlir::magicube

#endif // MAGICUBE_LIB_CONVERSION_MAGICUBETOMAGICUBEGPU_SPMMKERNEL_H
