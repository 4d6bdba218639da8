//===- SpmmKernel.h - The SpMM kernel -------------------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Generation of a kernel from what it is specialized for.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_CONVERSION_MAGICUBETOMAGICUBEGPU_SPMMKERNEL_H
#define MAGICUBE_LIB_CONVERSION_MAGICUBETOMAGICUBEGPU_SPMMKERNEL_H

#include "SpmmKernelSpec.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::magicube {

/// Appends the kernel to `module`. The grid is that of getSpmmGrid; blocks past
/// the last column tile do nothing.
gpu::GPUFuncOp createSpmmKernel(OpBuilder &builder, Location loc,
                                const SpmmKernelSpec &spec, StringRef name);

} // namespace mlir::magicube

#endif // MAGICUBE_LIB_CONVERSION_MAGICUBETOMAGICUBEGPU_SPMMKERNEL_H
