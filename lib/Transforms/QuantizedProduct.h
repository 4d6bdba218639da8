//===- QuantizedProduct.h - Quantized products as integer ones ------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arithmetic of magicube-propagate-quantization.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_TRANSFORMS_QUANTIZEDPRODUCT_H
#define MAGICUBE_LIB_TRANSFORMS_QUANTIZEDPRODUCT_H

#include "dialect/magicube/MagicubeDialect.h"

namespace mlir::magicube {

/// Replaces a product of quantized operands by one of their integers with an
/// epilogue that has the scales and zero points; `quant.scast` is put around
/// it. Fails, after an error at `op`, where no kernel can compute it.
LogicalResult lowerQuantizedProduct(SpmmOp op);

} // namespace mlir::magicube

#endif // MAGICUBE_LIB_TRANSFORMS_QUANTIZEDPRODUCT_H
