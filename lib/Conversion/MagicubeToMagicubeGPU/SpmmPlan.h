//===- SpmmPlan.h - How a product is launched ---------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_CONVERSION_MAGICUBETOMAGICUBEGPU_SPMMPLAN_H
#define MAGICUBE_LIB_CONVERSION_MAGICUBETOMAGICUBEGPU_SPMMPLAN_H

#include "SpmmLaunch.h"

namespace mlir::magicube {

/// The launch of a product by the first of `kernels` whose alignment holds.
/// Operands: lhs (sparse), rhs, those of the epilogue (getOperandNames),
/// result.
LaunchPlan getSpmmPlan(ArrayRef<SpmmKernel> kernels);

} // namespace mlir::magicube

#endif // MAGICUBE_LIB_CONVERSION_MAGICUBETOMAGICUBEGPU_SPMMPLAN_H
