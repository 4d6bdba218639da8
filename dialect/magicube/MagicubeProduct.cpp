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

LogicalResult mlir::magicube::verifyNaturalOrder(Operation *op, StringRef name,
                                                 SRBCRSAttr encoding) {
  if (encoding.getOrder() == VectorOrder::BankAware)
    return (op->emitOpError("expected ")
            << name << " in natural order, but got order = bank_aware")
               .attachNote()
           << "its padding carries columns that would count; pack it with "
              "order = natural";
  return success();
}

LogicalResult mlir::magicube::verifyValuesDestination(Operation *op,
                                                      Type destination,
                                                      bool isPacked) {
  auto type = cast<ShapedType>(destination);
  if (!type.hasRank() || type.getRank() != 1)
    return op->emitOpError("expected outs for the values, of rank 1, but got ")
           << type;
  Type element = type.getElementType();
  if (isPacked && !element.isInteger(8))
    return op->emitOpError(
               "expected the bytes of a packed result to be i8, but got ")
           << element;
  if (!isPacked && element.isInteger(4))
    return op->emitOpError("expected bytes and packed_result for a result of "
                           "i4 in storage form, but got ")
           << type;
  return success();
}

LogicalResult mlir::magicube::verifySparseResult(Operation *op, Type result,
                                                 StringRef name,
                                                 RankedTensorType sparse) {
  auto type = cast<RankedTensorType>(result);
  if (type.getEncoding() != sparse.getEncoding())
    return (op->emitOpError("expected a result with the encoding of ")
            << name << ", " << sparse.getEncoding() << ", but got " << type)
               .attachNote()
           << "the result has its pointers and indices";
  if (failed(verifyCompatibleShape(type, sparse)))
    return op->emitOpError("expected a result of the shape of ")
           << name << ", " << sparse << ", but got " << type;
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

LogicalResult mlir::magicube::verifyPatternNumbers(Operation *op,
                                                   PatternAttr pattern,
                                                   RankedTensorType sparse) {
  if (!pattern)
    return success();
  int64_t inner = sparse.getShape().back();
  if (!ShapedType::isDynamic(inner) && pattern.getLongest() > inner)
    return op->emitOpError(
               "expected the pattern's longest vector-row to have at "
               "most one vector for each of the ")
           << inner << " columns of " << sparse << ", but got "
           << pattern.getLongest();
  int64_t rows = sparse.getDimSize(sparse.getRank() - 2);
  if (ShapedType::isDynamic(rows) || sparse.getRank() != 2)
    return success();
  int64_t vectorRows = rows / getSparseEncoding(sparse).getVector();
  // Divided, for the product may overflow.
  int64_t least = pattern.getVectors() == 0
                      ? 0
                      : llvm::divideCeil(pattern.getVectors(),
                                         std::max<int64_t>(1, vectorRows));
  if (pattern.getLongest() < least)
    return op->emitOpError(
               "expected the pattern's longest vector-row to have at "
               "least ")
           << least << " of its " << pattern.getVectors()
           << " vectors, which are spread over " << vectorRows
           << " vector-rows, but got " << pattern.getLongest();
  return success();
}
