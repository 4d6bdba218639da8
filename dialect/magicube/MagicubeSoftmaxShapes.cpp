//===- MagicubeSoftmaxShapes.cpp - Softmax of sparse rows -----------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands and shapes of magicube.softmax.
//
//===----------------------------------------------------------------------===//

#include "MagicubeProduct.h"

using namespace mlir;
using namespace mlir::magicube;

RankedTensorType SoftmaxOp::getScoresType() {
  if (isStorageForm())
    return cast<RankedTensorType>(*getStorage());
  return cast<RankedTensorType>(getScores().front().getType());
}

SRBCRSAttr SoftmaxOp::getEncoding() {
  return getSparseEncoding(getScoresType());
}

Type SoftmaxOp::getOutputElementType() {
  if (std::optional<Type> packed = getPackedResult())
    return *packed;
  return getOutputType().getElementType();
}

ShapedType SoftmaxOp::getOutputType() {
  return cast<ShapedType>(getResult() ? getResult().getType()
                                      : getInits().front().getType());
}

SmallVector<ResultElement> SoftmaxOp::getResultElements() {
  SmallVector<ResultElement> elements;
  elements.push_back(
      getResultElement(getOutputElementType(), getUnsignedResult()));
  if (hasFactors())
    elements.push_back(FloatFormat::F32);
  return elements;
}

SmallVector<ComputeOperand> SoftmaxOp::getComputeOperands() {
  SmallVector<ComputeOperand> operands;
  operands.push_back({OperandRole::Sparse, "scores", getScores()});
  auto add = [&](OperandRole role, StringRef name, unsigned index) {
    if (!getODSOperands(index).empty())
      operands.push_back({role, name.str(), getODSOperands(index)});
  };
  add(OperandRole::Epilogue, "scale", 1);
  add(OperandRole::Epilogue, "value_scale", 2);
  add(OperandRole::Mask, "mask", 3);
  for (unsigned i = 0; i < getInits().size(); ++i)
    operands.push_back({OperandRole::Init, "init_" + std::to_string(i),
                        getInits().slice(i, 1), /*isUnsigned=*/false,
                        getOverwrite()});
  return operands;
}

void SoftmaxOp::build(OpBuilder &builder, OperationState &state,
                      TypeRange outputs, const SoftmaxFields &fields) {
  build(builder, state, outputs, fields.scores, fields.scale, fields.valueScale,
        fields.mask, fields.inits, fields.storage, fields.packedResult,
        fields.unsignedResult, fields.overwrite);
}

LogicalResult
SoftmaxOp::reifyResultShapes(OpBuilder &b,
                             ReifiedRankedShapedTypeDims &shapes) {
  if (getOutputs().empty())
    return failure();
  if (isStorageForm()) {
    for (Value init : getInits())
      shapes.push_back(tensor::getMixedSizes(b, getLoc(), init));
    return success();
  }
  shapes.push_back(tensor::getMixedSizes(b, getLoc(), getScores().front()));
  if (getFactors()) {
    shapes.push_back(shapes.front());
    shapes.back().back() = b.getIndexAttr(1);
  }
  return success();
}
