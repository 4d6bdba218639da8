//===- SpmmKernelSpec.h - What an SpMM kernel is made for -----------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything that its code depends on; kernels with equal specifications are
// one.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_CONVERSION_MAGICUBETOMAGICUBEGPU_SPMMKERNELSPEC_H
#define MAGICUBE_LIB_CONVERSION_MAGICUBETOMAGICUBEGPU_SPMMKERNELSPEC_H

#include "dialect/magicube/MagicubeDialect.h"
#include "magicube/Layout/SharedMemoryPlan.h"
#include "magicube/Layout/StepLayout.h"
#include "magicube/Target/GpuTarget.h"

namespace mlir::magicube {

/// Bytes of a row of the dense operand that one thread copies at a time.
inline constexpr int64_t kChunkBytes = 16;

/// Parameters of an SpMM kernel, in order. Sizes are i32. Those of an epilogue
/// follow: an f32 for a number, else !llvm.ptr<1>.
enum class SpmmParameter {
  Pointers,     ///< !llvm.ptr<1>, [rows][2] i32
  Indices,      ///< !llvm.ptr<1>, i32 or u16
  Values,       ///< !llvm.ptr<1>, i8
  Rhs,          ///< !llvm.ptr<1>, K x n bytes, `RhsStride` apart
  Result,       ///< !llvm.ptr<1>, M x n, `ResultStride` elements apart
  Columns,      ///< n
  RhsStride,    ///< bytes from one row of the dense operand to the next
  ResultStride, ///< elements from one row of the result to the next
  VectorRows    ///< M / V
};
inline constexpr unsigned kNumSpmmParameters = 9;

/// What an SpMM kernel asks of its operands: address, row stride and length of
/// a row (in bytes) of the dense operand are multiples of `rhs`, address and
/// row stride (in bytes) of the result of `result`: those of elements of a byte
/// or less need not be aligned. The number of columns is a multiple of
/// getColumns.
struct SpmmAlignment {
  int64_t rhs = 1;
  int64_t result = 1;

  static constexpr SpmmAlignment get(int64_t rhs, int64_t rhsBits,
                                     int64_t resultElementBytes) {
    bool isAligned = rhs > 1 && resultElementBytes > 1;
    return {rhs, isAligned ? getColumns(rhs, rhsBits) * resultElementBytes : 1};
  }

  /// Results that a lane stores at once where rows of the dense operand, of
  /// `rhsBits` bits an element, are aligned to more than one byte: the columns
  /// that a byte pair holds.
  static constexpr int64_t getColumns(int64_t rhs, int64_t rhsBits) {
    constexpr int64_t pairBits = 16;
    return rhs == 1 ? 1 : pairBits / rhsBits;
  }
};

/// The part of the result that a CTA computes: `columns` columns of
/// `rowsPerCta` vector-rows, or, if `numCtas` is not 0, of so many that about
/// `numCtas` CTAs share the result; they partition the vector-rows themselves.
struct SpmmTile {
  int64_t rowsPerCta = 1;
  int64_t columns = 1;
  int64_t numCtas = 0;
};

/// Types of the kernel's parameters for the operands of an epilogue.
SmallVector<Type> getParameterTypes(MLIRContext *context,
                                    const Epilogue<BroadcastAxis> &epilogue);

/// Everything that the code of an SpMM kernel depends on.
struct SpmmKernelSpec {
  SRBCRSAttr encoding;
  ScheduleAttr schedule;
  /// K, or ShapedType::kDynamic. Code depends on it where the dense operand is
  /// stationary.
  int64_t inner;
  /// K segments that the encoding's slab cuts a vector-row into; 1 without.
  int64_t segments;
  /// Widths of the operands: 4, 8, 12 or 16 (sparse), 4, 8 or 16 (dense).
  int64_t lhsBits, rhsBits;
  /// Width of the MMAs' operands: 8 or 4.
  int64_t computeBits;
  bool unsignedLhs, unsignedRhs;
  /// 4-bit rhs: vector-rows are known to have no more than kMaxScaledVectors
  /// vectors.
  bool shortRows;
  /// Adds to what the result buffer holds.
  bool accumulate;
  /// Known alignment in bytes of the rows of the dense operand: 16, 4 or 1.
  int64_t alignment;
  Epilogue<BroadcastAxis> epilogue;

  static SpmmKernelSpec get(SpmmOp op, int64_t alignment);

  /// A key that is equal for equal kernels.
  Attribute getKey() const;
  /// A readable symbol, such as "spmm_i8_i8_v8_align16"; not unique.
  std::string getName() const;
  int64_t getBlockThreads() const { return schedule.getWarps() * kWarpSize; }
  SpmmAlignment getAlignment() const {
    return SpmmAlignment::get(alignment, rhsBits,
                              elementBits(epilogue.element) / 8);
  }
  /// Bytes of a dense row in a block's tile.
  int64_t getTileBytes() const { return schedule.getTileN() * rhsBits / 8; }
  /// Bits of a stored value: 12-bit values are stored in 16.
  int64_t getValueBits() const { return lhsBits == 12 ? 16 : lhsBits; }
  /// Bytes of the values of one step.
  int64_t getStepValueBytes() const {
    return kStepPositions * encoding.getVector() * getValueBits() / 8;
  }
  /// The product's verifier has checked that there is one.
  StepLayout getStep() const;
  /// Its buffers in shared memory.
  SharedMemoryPlan getSharedMemory() const;
  /// What one block computes.
  SpmmTile getTile() const;
};

} // namespace mlir::magicube

#endif // MAGICUBE_LIB_CONVERSION_MAGICUBETOMAGICUBEGPU_SPMMKERNELSPEC_H
