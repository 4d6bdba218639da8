//===- MagicubeSpmmShapes.h - Shapes of a product
//--------------------------===//
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

#include "dialect/magicube/MagicubeDialect.h"

namespace mlir::magicube {

/// Whether two extents may be equal at run time.
bool areCompatible(int64_t a, int64_t b);

/// Shape of the product as far as the operands' types tell.
SmallVector<int64_t> inferShape(SpmmOp op);

} // namespace mlir::magicube

#endif // MAGICUBE_DIALECT_MAGICUBE_MAGICUBESPMMSHAPES_H
