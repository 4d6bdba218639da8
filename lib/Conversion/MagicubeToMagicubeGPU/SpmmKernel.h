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

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::magicube {

/// Bytes of a row of the dense operand that one thread copies at a time, and
/// columns of an A fragment of 8-bit elements.
inline constexpr int64_t kChunkBytes = 16;
/// The recipe of 8-bit operands (lib/Layout's StepLayout).
inline constexpr StringLiteral kSpmmRecipe = "transpose";

/// Parameters of the kernel, in order. Sizes are i32.
enum class SpmmParameter {
  Pointers,   ///< !llvm.ptr<1>, [rows][2] i32
  Indices,    ///< !llvm.ptr<1>, i32 or u16
  Values,     ///< !llvm.ptr<1>, i8
  Rhs,        ///< !llvm.ptr<1>, K x n bytes, `RhsStride` apart
  Result,     ///< !llvm.ptr<1>, M x n i32, `ResultStride` elements apart
  Columns,    ///< n
  RhsStride,  ///< bytes from one row of the dense operand to the next
  ResultStride ///< elements from one row of the result to the next
};
inline constexpr unsigned kNumSpmmParameters = 8;

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
};

/// Appends the kernel to `module`. The grid is (vector-rows, column tiles mod
/// 65535, the rest); blocks past the last column tile do nothing.
gpu::GPUFuncOp createSpmmKernel(OpBuilder &builder, Location loc,
                                const SpmmKernelSpec &spec, StringRef name);

} // namespace mlir::magicube

#endif // MAGICUBE_LIB_CONVERSION_MAGICUBETOMAGICUBEGPU_SPMMKERNEL_H
