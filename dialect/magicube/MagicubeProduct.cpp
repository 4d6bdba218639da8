//===- MagicubeProduct.cpp - What products have in common -----------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks of operands in either form.
//
//===----------------------------------------------------------------------===//

#include "MagicubeProduct.h"

using namespace mlir;
using namespace mlir::magicube;

bool mlir::magicube::isOperandType(Type type, ArrayRef<unsigned> widths) {
  auto integer = dyn_cast<IntegerType>(type);
  return integer && integer.isSignless() &&
         llvm::is_contained(widths, integer.getWidth());
}

std::string mlir::magicube::extentName(int64_t extent) {
  return ShapedType::isDynamic(extent) ? "?" : std::to_string(extent);
}

int64_t mlir::magicube::getPackedBytes(int64_t columns) {
  return ShapedType::isDynamic(columns) ? columns
                                        : llvm::divideCeil(columns, 2);
}

BroadcastAxis mlir::magicube::getBroadcastAxis(Type type,
                                               ArrayRef<int64_t> matrix) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped)
    return BroadcastAxis::None;
  bool isColumn = shaped.getDimSize(0) == 1 && matrix[0] != 1 &&
                  areCompatible(shaped.getDimSize(1), matrix[1]);
  bool isRow = shaped.getDimSize(1) == 1 && !isColumn;
  return isRow ? BroadcastAxis::Row : BroadcastAxis::Column;
}

LogicalResult mlir::magicube::verifyStorageComponents(Operation *op,
                                                      RankedTensorType storage,
                                                      TypeRange components) {
  SmallVector<RankedTensorType> expected = getComponentTypes(storage);
  if (components.size() != expected.size())
    return op->emitOpError("expected ")
           << expected.size() << " storage components, but got "
           << components.size();
  for (auto [want, got] : llvm::zip(expected, components)) {
    auto type = cast<ShapedType>(got);
    if (type.getElementType() != want.getElementType() ||
        failed(verifyCompatibleShape(type.getShape(), want.getShape())))
      return op->emitOpError("expected a storage component compatible with ")
             << want << ", but got " << got;
  }
  return success();
}

LogicalResult mlir::magicube::verifyForm(SparseComputeOpInterface op,
                                         ValueRange inits, bool isOverwritten) {
  bool isOnMemrefs = op->getNumResults() == 0;
  if (inits.empty() && (isOnMemrefs || op.isStorageForm()))
    return op->emitOpError("expected outs ")
           << (isOnMemrefs ? "where there is no result" : "in storage form");
  if (isOnMemrefs && !op.isStorageForm())
    return op->emitOpError(
        "expected a result, or storage form where there is none");
  for (Type type : op->getOperandTypes())
    if (isa<ShapedType>(type) && isa<MemRefType>(type) != isOnMemrefs)
      return op->emitOpError("expected ")
             << (isOnMemrefs ? "memrefs alone where there is no result"
                             : "tensors alone where there is a result")
             << ", but got " << type;
  if (!isOnMemrefs && !inits.empty() && inits.size() != op->getNumResults())
    return op->emitOpError("expected an init for each of the ")
           << op->getNumResults() << " results, but got " << inits.size();
  if (!isOnMemrefs)
    for (auto [init, result] : llvm::zip(inits, op->getResultTypes()))
      if (init.getType() != result)
        return op->emitOpError("expected init to have the result's type ")
               << result << ", but got " << init.getType();
  if (isOverwritten && inits.empty())
    return op->emitOpError("expected outs next to 'overwrite'");
  return success();
}
