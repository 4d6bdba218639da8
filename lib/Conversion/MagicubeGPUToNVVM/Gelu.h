//===- Gelu.h - The activation gelu ---------------------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// x * Phi(x), Phi the distribution function of the normal distribution, in
// operations that round correctly: the same bits on every device.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_CONVERSION_MAGICUBEGPUTONVVM_GELU_H
#define MAGICUBE_LIB_CONVERSION_MAGICUBEGPUTONVVM_GELU_H

#include "mlir/IR/Builders.h"

namespace mlir::magicube_gpu {

/// gelu of an f32. The error is at most 2 units in the last place of the result
/// for x > 0, 5 for x from -5 to 0, and 5e-13 below; below -9.3 the result is
/// 0.
Value emitGelu(OpBuilder &b, Location loc, Value x);

} // namespace mlir::magicube_gpu

#endif // MAGICUBE_LIB_CONVERSION_MAGICUBEGPUTONVVM_GELU_H
