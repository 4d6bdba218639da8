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

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"

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

TypeAttr mlir::magicube::getPackedAttr(Type type) {
  Type element = cast<ShapedType>(type).getElementType();
  return element.isInteger(4) ? TypeAttr::get(element) : TypeAttr();
}

Value mlir::magicube::createDestination(OpBuilder &builder, Location loc,
                                        ArrayRef<OpFoldResult> sizes,
                                        RankedTensorType type) {
  Value empty =
      tensor::EmptyOp::create(builder, loc, sizes, type.getElementType());
  return castTo(builder, loc, empty, type);
}

Value mlir::magicube::createValues(OpBuilder &builder, Location loc,
                                   RankedTensorType type,
                                   ValueRange components) {
  // Strides are even, so nibbles fill their bytes.
  int64_t vector = getSparseEncoding(type).getVector();
  Value indices = components[1];
  Value size = tensor::DimOp::create(builder, loc, indices, 0);
  Value length = arith::ConstantIndexOp::create(builder, loc, vector);
  size = arith::MulIOp::create(builder, loc, size, length);
  if (type.getElementType().isInteger(4)) {
    Value two = arith::ConstantIndexOp::create(builder, loc, 2);
    size = arith::DivUIOp::create(builder, loc, size, two);
  }
  return createDestination(builder, loc, {size}, getComponentTypes(type)[2]);
}

SmallVector<Value> mlir::magicube::getSparseResult(
    OpBuilder &builder, Location loc, RankedTensorType type,
    RankedTensorType patternType, ValueRange pattern, Value values) {
  SmallVector<Value> result;
  Value parts[] = {pattern[0], pattern[1], values};
  for (auto [part, wanted] : llvm::zip_equal(parts, getComponentTypes(type)))
    result.push_back(castTo(builder, loc, part, wanted));
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      result.push_back(getValueOrCreateConstantIndexOp(
          builder, loc, getExtent(builder, loc, patternType, pattern, dim)));
  return result;
}
