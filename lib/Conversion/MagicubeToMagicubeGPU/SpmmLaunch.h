//===- SpmmLaunch.h - Launching the SpMM kernel ---------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host side of a product: which kernels it may need, and the launch.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_CONVERSION_MAGICUBETOMAGICUBEGPU_SPMMLAUNCH_H
#define MAGICUBE_LIB_CONVERSION_MAGICUBETOMAGICUBEGPU_SPMMLAUNCH_H

#include "SpmmKernel.h"

#include "magicube/Runtime/LaunchPlan.h"

namespace mlir::magicube {

/// Reports what no kernel exists for.
LogicalResult verifySpmmLowering(SpmmOp op);

/// Row alignments, best first, that the product's types do not rule out. The
/// last is 1, which always holds, unless a better one is certain.
SmallVector<int64_t> getPossibleAlignments(SpmmOp op);

/// A kernel for one alignment.
struct SpmmKernel {
  SpmmKernelSpec spec;
  gpu::GPUFuncOp function;
};

/// Replaces the product by launches of `kernels`, the first whose alignment
/// holds at run time; empty results launch nothing. Returns the plan.
LaunchPlan lowerSpmmToLaunch(RewriterBase &rewriter, SpmmOp op,
                             ArrayRef<SpmmKernel> kernels);

} // namespace mlir::magicube

#endif // MAGICUBE_LIB_CONVERSION_MAGICUBETOMAGICUBEGPU_SPMMLAUNCH_H
