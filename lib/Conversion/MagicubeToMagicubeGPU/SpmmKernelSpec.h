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
#include "magicube/Layout/StepLayout.h"
#include "magicube/Runtime/LaunchRule.h"
#include "magicube/Target/GpuTarget.h"

namespace mlir::magicube {

/// Bytes of a row of the dense operand that one thread copies at a time.
inline constexpr int64_t kChunkBytes = 16;

/// Types of the kernel's parameters for the operands of an epilogue.
SmallVector<Type> getParameterTypes(MLIRContext *context,
                                    const Epilogue<BroadcastAxis> &epilogue);

/// Everything that the code of an SpMM kernel depends on.
struct SpmmKernelSpec {
  SRBCRSAttr encoding;
  ScheduleAttr schedule;
  /// K, or ShapedType::kDynamic. Code depends on it where the dense operand is
  /// resident.
  int64_t inner;
  /// Groups that the encoding's slab cuts a vector-row into; 1 without.
  int64_t slabs;
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
  /// How the kernel is launched: the `magicube_gpu.launch` of its function.
  DictionaryAttr getLaunchAttr() const;
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
  /// What one block computes.
  SpmmTile getTile() const {
    return {std::max<int64_t>(1, schedule.getRows()), schedule.getTileN(),
            schedule.getBlocks()};
  }
};

} // namespace mlir::magicube

#endif // MAGICUBE_LIB_CONVERSION_MAGICUBETOMAGICUBEGPU_SPMMKERNELSPEC_H
