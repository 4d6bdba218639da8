//===- MagicubeSddmmShapes.cpp - The product at the places of a pattern ---===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands and shapes of magicube.sddmm.
//
//===----------------------------------------------------------------------===//

#include "MagicubeProduct.h"

#include "dialect/magicube/MagicubeQuantization.h"

using namespace mlir;
using namespace mlir::magicube;

//===----------------------------------------------------------------------===//
// Accessors
//===----------------------------------------------------------------------===//

RankedTensorType SddmmOp::getPatternType() {
  if (isStorageForm())
    return cast<RankedTensorType>(*getStorage());
  return cast<RankedTensorType>(getPattern().front().getType());
}

SRBCRSAttr SddmmOp::getEncoding() {
  return getSparseEncoding(getPatternType());
}

/// `packed`, or the integers that store a dense operand.
static Type getOperandElement(std::optional<Type> packed, Value operand) {
  if (packed)
    return *packed;
  return getStorageElementType(
      cast<ShapedType>(operand.getType()).getElementType());
}

Type SddmmOp::getLhsElementType() {
  return getOperandElement(getPackedLhs(), getLhs());
}

Type SddmmOp::getRhsElementType() {
  return getOperandElement(getPackedRhs(), getRhs());
}

Type SddmmOp::getOutputElementType() {
  if (std::optional<Type> packed = getPackedResult())
    return *packed;
  return getOutputType().getElementType();
}

int64_t SddmmOp::getInnerExtent() {
  if (!getPackedLhs())
    return cast<ShapedType>(getLhs().getType()).getShape().back();
  if (!getPackedRhs())
    return cast<ShapedType>(getRhs().getType()).getShape().back();
  std::optional<int64_t> inner;
  if (getInner())
    inner = getConstantIntValue(getInner());
  return inner.value_or(ShapedType::kDynamic);
}

ShapedType SddmmOp::getOutputType() {
  return cast<ShapedType>(getResult() ? getResult().getType()
                                      : getInit().getType());
}

Epilogue<Value> SddmmOp::getEpilogue() { return getProductEpilogue(*this); }

SmallVector<ComputeOperand> SddmmOp::getComputeOperands() {
  SmallVector<ComputeOperand> operands;
  operands.push_back(
      {OperandRole::Dense, "lhs", getODSOperands(0), getUnsignedLhs()});
  operands.push_back(
      {OperandRole::Dense, "rhs", getODSOperands(1), getUnsignedRhs()});
  operands.push_back({OperandRole::Sparse, "pattern", getPattern()});
  if (getInit())
    operands.push_back({OperandRole::Init, "init", getODSOperands(7),
                        /*isUnsigned=*/false, getOverwrite()});
  addEpilogueOperands(*this, operands);
  return operands;
}

void SddmmOp::build(OpBuilder &builder, OperationState &state, Type result,
                    const SddmmFields &fields) {
  build(builder, state, result, fields.lhs, fields.rhs, fields.pattern,
        fields.sumBias, fields.scales, fields.bias, fields.inner, fields.init,
        fields.storage, fields.packedLhs, fields.packedRhs, fields.packedResult,
        fields.compute, fields.unsignedLhs, fields.unsignedRhs,
        fields.unsignedResult, fields.overwrite, fields.accumulate,
        fields.activation, fields.patternInfo, fields.tiling);
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

BroadcastAxis SddmmOp::getBroadcastAxis(Type type) {
  SmallVector<int64_t> matrix(getPatternType().getShape().take_back(2));
  Value operands[] = {getLhs(), getRhs()};
  for (auto [extent, operand] : llvm::zip_equal(matrix, operands))
    if (auto shape = cast<ShapedType>(operand.getType()).getShape();
        ShapedType::isDynamic(extent))
      extent = shape[shape.size() - 2];
  return magicube::getBroadcastAxis(type, matrix);
}

LogicalResult SddmmOp::reifyResultShapes(OpBuilder &b,
                                         ReifiedRankedShapedTypeDims &shapes) {
  if (!getResult())
    return failure();
  shapes.push_back(tensor::getMixedSizes(
      b, getLoc(), isStorageForm() ? getInit() : getPattern().front()));
  return success();
}
