//===- MagicubeSpmmShapes.cpp - The sparse times dense product
//-------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands and shapes of magicube.spmm.
//
//===----------------------------------------------------------------------===//

#include "MagicubeSpmmShapes.h"

#include "dialect/magicube/MagicubeQuantization.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"

using namespace mlir;
using namespace mlir::magicube;

//===----------------------------------------------------------------------===//
// Accessors
//===----------------------------------------------------------------------===//

RankedTensorType SpmmOp::getLhsType() {
  if (isStorageForm())
    return cast<RankedTensorType>(*getStorage());
  return cast<RankedTensorType>(getLhs().front().getType());
}

Type SpmmOp::getRhsElementType() {
  if (std::optional<Type> packed = getPackedRhs())
    return *packed;
  return getStorageElementType(
      cast<ShapedType>(getRhs().getType()).getElementType());
}

Type SpmmOp::getLhsElementType() {
  return getStorageElementType(getLhsType().getElementType());
}

Type SpmmOp::getOutputElementType() {
  if (std::optional<Type> packed = getPackedResult())
    return *packed;
  return getOutputType().getElementType();
}

int64_t SpmmOp::getResultBits() {
  constexpr int64_t packedBits = 4;
  if (getPackedResult())
    return packedBits;
  Type element = getOutputType().getElementType();
  if (auto quantized = dyn_cast<quant::QuantizedType>(element))
    return quantized.getStorageTypeIntegralWidth();
  return element.getIntOrFloatBitWidth();
}

int64_t SpmmOp::getNumColumns() {
  if (!getPackedRhs())
    return cast<ShapedType>(getRhs().getType()).getShape().back();
  if (!getPackedResult())
    return getOutputType().getShape().back();
  std::optional<int64_t> columns;
  if (getColumns())
    columns = getConstantIntValue(getColumns());
  return columns.value_or(ShapedType::kDynamic);
}

SRBCRSAttr SpmmOp::getEncoding() { return getSparseEncoding(getLhsType()); }

ShapedType SpmmOp::getOutputType() {
  return cast<ShapedType>(getResult() ? getResult().getType()
                                      : getInit().getType());
}

Epilogue<Value> SpmmOp::getEpilogue() { return getProductEpilogue(*this); }

SmallVector<ComputeOperand> SpmmOp::getComputeOperands() {
  SmallVector<ComputeOperand> operands;
  operands.push_back({OperandRole::Sparse, "lhs", getLhs(), getUnsignedLhs()});
  operands.push_back(
      {OperandRole::Dense, "rhs", getODSOperands(1), getUnsignedRhs()});
  if (getInit())
    operands.push_back({OperandRole::Init, "init", getODSOperands(6),
                        /*isUnsigned=*/false, getOverwrite()});
  addEpilogueOperands(*this, operands);
  return operands;
}

void SpmmOp::build(OpBuilder &builder, OperationState &state, Type result,
                   const SpmmFields &fields) {
  build(builder, state, result, fields.lhs, fields.rhs, fields.sumBias,
        fields.scales, fields.bias, fields.columns, fields.init, fields.storage,
        fields.packedRhs, fields.packedResult, fields.compute,
        fields.unsignedLhs, fields.unsignedRhs, fields.unsignedResult,
        fields.overwrite, fields.accumulate, fields.activation, fields.pattern,
        fields.schedule);
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

SmallVector<int64_t> mlir::magicube::inferShape(SpmmOp op) {
  RankedTensorType lhs = op.getLhsType();
  SmallVector<int64_t> shape(
      cast<ShapedType>(op.getRhs().getType()).getShape());
  shape.back() = op.getNumColumns();
  shape[shape.size() - 2] = lhs.getDimSize(lhs.getRank() - 2);
  if (lhs.getRank() > 2) // else shared by the batch
    for (auto [extent, known] : llvm::zip(shape, lhs.getShape().drop_back(2)))
      if (ShapedType::isDynamic(extent))
        extent = known;
  return shape;
}

BroadcastAxis SpmmOp::getBroadcastAxis(Type type) {
  SmallVector<int64_t> shape = inferShape(*this);
  SmallVector<int64_t> output(getOutputType().getShape());
  if (getPackedResult())
    output.back() = ShapedType::kDynamic;
  for (auto [inferred, stated] : llvm::zip_equal(shape, output))
    if (ShapedType::isDynamic(inferred))
      inferred = stated;
  return magicube::getBroadcastAxis(type, ArrayRef(shape).take_back(2));
}

LogicalResult SpmmOp::reifyResultShapes(OpBuilder &b,
                                        ReifiedRankedShapedTypeDims &shapes) {
  if (!getResult())
    return failure();
  Location loc = getLoc();
  if (Value init = getInit()) {
    shapes.push_back(tensor::getMixedSizes(b, loc, init));
    return success();
  }
  if (isStorageForm())
    return failure(); // its init is always there
  RankedTensorType lhs = getLhsType();
  SmallVector<OpFoldResult> dims = tensor::getMixedSizes(b, loc, getRhs());
  dims[dims.size() - 2] =
      tensor::getMixedSize(b, loc, getLhs().front(), lhs.getRank() - 2);
  // A static extent of the result is known better there.
  for (auto [dim, extent] :
       llvm::zip(dims, cast<ShapedType>(getResult().getType()).getShape()))
    if (!ShapedType::isDynamic(extent))
      dim = b.getIndexAttr(extent);
  shapes.push_back(std::move(dims));
  return success();
}
