//===- SoftmaxKernel.h - The softmax kernel ---------------------*- C++ -*-===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Generation of a kernel from what it is specialized for.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_CONVERSION_MAGICUBETOMAGICUBEGPU_SOFTMAXKERNEL_H
#define MAGICUBE_LIB_CONVERSION_MAGICUBETOMAGICUBEGPU_SOFTMAXKERNEL_H

#include "SoftmaxKernelSpec.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::magicube {

/// Appends the kernel to the module that `builder` is in. The grid is a block
/// per vector-row, of `spec.threads()` threads.
gpu::GPUFuncOp createSoftmaxKernel(OpBuilder &builder, Location loc,
                                   const SoftmaxKernelSpec &spec,
                                   StringRef name);

} // namespace mlir::magicube

#endif // MAGICUBE_LIB_CONVERSION_MAGICUBETOMAGICUBEGPU_SOFTMAXKERNEL_H
