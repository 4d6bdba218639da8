//===- SoftmaxKernelSpec.h - What a softmax kernel is made for --*- C++ -*-===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything that its code depends on; kernels with equal specifications are
// one.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_CONVERSION_MAGICUBETOMAGICUBEGPU_SOFTMAXKERNELSPEC_H
#define MAGICUBE_LIB_CONVERSION_MAGICUBETOMAGICUBEGPU_SOFTMAXKERNELSPEC_H

#include "dialect/magicube/MagicubeDialect.h"
#include "magicube/Format/Exp2Chain.h"
#include "magicube/Target/GpuTarget.h"

namespace mlir::magicube {

/// Positions of a row that a thread loads at once; a stride is whole ones.
inline constexpr int64_t kOctet = 8;

/// Operands of a softmax in its plans.
inline constexpr StringLiteral kScoresName = "scores", kMaskName = "mask",
                               kScaleName = "scale",
                               kValueScaleName = "value_scale",
                               kFactorsName = "factors";

struct SoftmaxKernelSpec {
  SRBCRSAttr encoding;
  /// K segments of a vector-row; 1 without slabs.
  int64_t slabs;
  /// i32, f32 or f16; of the mask null or f32 or f16.
  Type scores, mask;
  /// i4, i8 or i16, with factors; f32 or f16.
  Type result;
  /// One scale, one a row, or none.
  enum class Scale { None, Number, Rows } scale;
  bool hasValueScale;

  static SoftmaxKernelSpec get(SoftmaxOp op);

  /// A key that is equal for equal kernels.
  Attribute getKey() const;
  /// A readable symbol, such as "softmax_i32_u8_v8"; not unique.
  std::string getName() const;

  /// Of integer results; null of others.
  const Exp2Chain *getChain() const {
    return result.isInteger() ? findExp2Chain(result.getIntOrFloatBitWidth())
                              : nullptr;
  }
  int64_t vector() const { return encoding.getVector(); }
  /// A block takes a vector-row. Where it has several warps, those share each
  /// row, so that as few threads hold a row of any V.
  int64_t threads() const {
    return std::max<int64_t>(kWarpSize, 16 * vector());
  }
  int64_t warps() const { return threads() / kWarpSize; }
  /// Neighbouring lanes of a warp that have the same row.
  int64_t warpLanes() const { return kWarpSize / vector(); }
  /// Threads of a row: octets of a group, which follow one another.
  int64_t rowThreads() const { return threads() / vector(); }
};

/// What a kernel takes. Only some have the optional ones.
enum class SoftmaxParameter {
  Pointers,   ///< !llvm.ptr<1>, [rows][slabs][2] i32
  Indices,    ///< !llvm.ptr<1>, with slabs, where they tell padding apart
  Scores,     ///< !llvm.ptr<1>, values
  Mask,       ///< !llvm.ptr<1>, values
  Scale,      ///< f32, or !llvm.ptr<1> of one a row
  ValueScale, ///< f32
  Result,     ///< !llvm.ptr<1>, values
  Factors     ///< !llvm.ptr<1>, f32, one a row
};

/// The parameters that kernels of `spec` have, in order.
SmallVector<SoftmaxParameter> getParameters(const SoftmaxKernelSpec &spec);

} // namespace mlir::magicube

#endif // MAGICUBE_LIB_CONVERSION_MAGICUBETOMAGICUBEGPU_SOFTMAXKERNELSPEC_H
