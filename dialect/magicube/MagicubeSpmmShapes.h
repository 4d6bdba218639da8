//===- MagicubeSpmmShapes.h - Shapes of a product -------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the parts of magicube.spmm share.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_DIALECT_MAGICUBE_MAGICUBESPMMSHAPES_H
#define MAGICUBE_DIALECT_MAGICUBE_MAGICUBESPMMSHAPES_H

#include "MagicubeProduct.h"

namespace mlir::magicube {

/// Shape of the product as far as the operands' types tell.
SmallVector<int64_t> inferShape(SpmmOp op);

} // namespace mlir::magicube

#endif // MAGICUBE_DIALECT_MAGICUBE_MAGICUBESPMMSHAPES_H
