//===- Silu.h - The activation silu ---------------------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// x / (1 + e^-x) in operations that round correctly: the same bits on every
// device.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_CONVERSION_MAGICUBEGPUTONVVM_SILU_H
#define MAGICUBE_LIB_CONVERSION_MAGICUBEGPUTONVVM_SILU_H

#include "mlir/IR/Builders.h"

namespace mlir::magicube_gpu {

/// silu of an f32. The error is at most 1.5 units in the last place of the
/// result for x > 0, 3.4 for x from -87 to 0; below that the result is -0.
Value emitSilu(OpBuilder &b, Location loc, Value x);

} // namespace mlir::magicube_gpu

#endif // MAGICUBE_LIB_CONVERSION_MAGICUBEGPUTONVVM_SILU_H
