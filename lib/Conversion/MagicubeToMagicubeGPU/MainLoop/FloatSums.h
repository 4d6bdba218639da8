//===- FloatSums.h - Digits recombined in f32 -----------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `accumulate = f32` makes of a product's accumulators.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_CONVERSION_MAGICUBETOMAGICUBEGPU_FLOATSUMS_H
#define MAGICUBE_LIB_CONVERSION_MAGICUBETOMAGICUBEGPU_FLOATSUMS_H

#include "mlir/IR/Builders.h"

namespace mlir::magicube {

/// The accumulators `terms`, of weights 2^shifts, subtracted where `negate`
/// says so: those of equal weight become one i32 sum, then all are combined in
/// f32 (magicube_gpu.combine_float).
Value combineInFloat(OpBuilder &b, Location loc, ValueRange terms,
                     ArrayRef<int64_t> shifts, ArrayRef<bool> negate);

} // namespace mlir::magicube

#endif // MAGICUBE_LIB_CONVERSION_MAGICUBETOMAGICUBEGPU_FLOATSUMS_H
