//===- StorageValues.cpp - What replaces tensors
//---------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of the storage form.
//
//===----------------------------------------------------------------------===//

#include "StorageValues.h"

#include "Legality.h"

using namespace mlir;
using namespace mlir::magicube;

ValueRange mlir::magicube::getComponents(RankedTensorType type,
                                         ValueRange values) {
  return values.drop_back(type.getNumDynamicDims());
}

OpFoldResult mlir::magicube::getExtent(OpBuilder &builder, Location loc,
                                       RankedTensorType type, ValueRange values,
                                       int64_t dim) {
  if (!type.isDynamicDim(dim))
    return builder.getIndexAttr(type.getDimSize(dim));
  if (isPackedDense(type))
    return dim == type.getRank() - 1
               ? OpFoldResult(values.back())
               : tensor::getMixedSize(builder, loc, values.front(), dim);
  return values.take_back(
      type.getNumDynamicDims())[type.getDynamicDimIndex(dim)];
}

Value mlir::magicube::castTo(OpBuilder &builder, Location loc, Value value,
                             Type type) {
  if (value.getType() == type)
    return value;
  return tensor::CastOp::create(builder, loc, type, value);
}
