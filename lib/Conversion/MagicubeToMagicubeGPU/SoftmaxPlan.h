//===- SoftmaxPlan.h - How a softmax is launched ----------------*- C++ -*-===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_CONVERSION_MAGICUBETOMAGICUBEGPU_SOFTMAXPLAN_H
#define MAGICUBE_LIB_CONVERSION_MAGICUBETOMAGICUBEGPU_SOFTMAXPLAN_H

#include "SoftmaxKernelSpec.h"

#include "magicube/Runtime/LaunchPlan.h"

namespace mlir::magicube {

/// The launch of the kernel called `name`. Operands: scores and mask (sparse),
/// scale, value_scale, result (sparse), factors.
LaunchPlan getSoftmaxPlan(const SoftmaxKernelSpec &spec, StringRef name);

} // namespace mlir::magicube

#endif // MAGICUBE_LIB_CONVERSION_MAGICUBETOMAGICUBEGPU_SOFTMAXPLAN_H
