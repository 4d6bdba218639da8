//===- SddmmKernel.h - The kernel of a sampled product --------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Generation of a kernel from what it is specialized for, and its launch.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_CONVERSION_MAGICUBETOMAGICUBEGPU_SDDMMKERNEL_H
#define MAGICUBE_LIB_CONVERSION_MAGICUBETOMAGICUBEGPU_SDDMMKERNEL_H

#include "SddmmKernelSpec.h"

#include "magicube/Runtime/LaunchPlan.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::magicube {

/// Appends the kernel to a module. blockIdx.x counts groups of as many
/// vector-rows as a CTA has warps, y the parts that each is cut into.
gpu::GPUFuncOp createSddmmKernel(OpBuilder &builder, Location loc,
                                 const SddmmKernelSpec &spec, StringRef name);

/// A kernel for one alignment.
struct SddmmKernel {
  SddmmKernelSpec spec;
  gpu::GPUFuncOp function;
};

/// The launch of a product by the first of `kernels` whose alignment holds.
/// Operands: lhs, rhs, pattern (sparse), those of the epilogue
/// (getOperandNames), result (the values of a sparse matrix).
LaunchPlan getSddmmPlan(ArrayRef<SddmmKernel> kernels);

} // namespace mlir::magicube

#endif // MAGICUBE_LIB_CONVERSION_MAGICUBETOMAGICUBEGPU_SDDMMKERNEL_H
