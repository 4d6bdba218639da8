//===- SddmmKernelSpec.h - What a sampled product's kernel is made for ----===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything that its code depends on; kernels with equal specifications are
// one.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_CONVERSION_MAGICUBETOMAGICUBEGPU_SDDMMKERNELSPEC_H
#define MAGICUBE_LIB_CONVERSION_MAGICUBETOMAGICUBEGPU_SDDMMKERNELSPEC_H

#include "dialect/magicube/MagicubeDialect.h"
#include "magicube/CostModel/SddmmCost.h"
#include "magicube/Layout/ChunkLayout.h"
#include "magicube/Target/GpuTarget.h"

namespace mlir::magicube {

/// Parameters of the kernel, in order. Sizes are i32. Those of an epilogue
/// follow: an f32 for a number, else !llvm.ptr<1>.
enum class SddmmParameter {
  Pointers,   ///< !llvm.ptr<1>, [rows][segments][2] i32
  Indices,    ///< !llvm.ptr<1>, i32 or u16
  Lhs,        ///< !llvm.ptr<1>, M rows of K elements, `LhsStride` bytes apart
  Rhs,        ///< !llvm.ptr<1>, N rows of K elements, `RhsStride` bytes apart
  Result,     ///< !llvm.ptr<1>, values of the sparse result
  Inner,      ///< K
  LhsStride,  ///< bytes from one row of the lhs to the next
  RhsStride,  ///< bytes from one row of the rhs to the next
  VectorRows, ///< M / V
};
inline constexpr unsigned kNumSddmmParameters = 9;

/// Widths of a product's operands and of its MMAs'.
ChunkWidths getChunkWidths(SddmmOp op);

struct SddmmKernelSpec {
  SRBCRSAttr encoding;
  /// Groups that the encoding's slab cuts a vector-row into; 1 without.
  int64_t segments;
  ChunkWidths widths;
  bool unsignedLhs, unsignedRhs;
  /// K, or ShapedType::kDynamic.
  int64_t inner;
  /// Known alignment in bytes of the rows of both operands: 16, 4 or 1.
  int64_t alignment;
  Epilogue<BroadcastAxis> epilogue;
  SddmmTiling tiling;

  static SddmmKernelSpec get(SddmmOp op, int64_t alignment);

  /// A key that is equal for equal kernels.
  Attribute getKey() const;
  /// A readable symbol, such as "sddmm_i8_i8_v8_k512_align16"; not unique.
  std::string getName() const;
  int64_t getBlockThreads() const { return tiling.warps * kWarpSize; }
};

} // namespace mlir::magicube

#endif // MAGICUBE_LIB_CONVERSION_MAGICUBETOMAGICUBEGPU_SDDMMKERNELSPEC_H
