//===- Legality.h - Which operations may have sparse tensors --------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What convert-magicube-storage must not leave behind, and what it cannot
// convert.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_CONVERSION_MAGICUBESTORAGE_LEGALITY_H
#define MAGICUBE_LIB_CONVERSION_MAGICUBESTORAGE_LEGALITY_H

#include "dialect/magicube/MagicubeDialect.h"

#include "mlir/IR/BuiltinOps.h"

namespace mlir::magicube {

/// Whether no operand, result, block argument or signature of `op` has an
/// encoded type or one with an encoded type inside.
bool hasNoStoredValue(Operation *op);

/// Reports every operation in `module` that would keep a sparse tensor.
LogicalResult verifyConvertible(ModuleOp module);

/// Whether a tensor type is replaced by what stores it: sparse, or dense of i4.
bool isStored(Type type);

} // namespace mlir::magicube

#endif // MAGICUBE_LIB_CONVERSION_MAGICUBESTORAGE_LEGALITY_H
