//===- SpmmStorage.cpp - The storage form of a product
//---------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//
//
//===----------------------------------------------------------------------===//

#include "StorageValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"

using namespace mlir;
using namespace mlir::magicube;

namespace {

/// spmm(a, b) = spmm storage(components of a), b outs(empty) {overwrite}; what
/// is of i4 becomes bytes.
struct SpmmLowering : OpConversionPattern<SpmmOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(SpmmOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    RankedTensorType lhsType = op.getLhsType();
    ValueRange lhs = adaptor.getLhs().front();
    bool overwrite = op.getOverwrite() || !op.getInit();
    ValueRange rhs = adaptor.getRhs();
    auto resultType = cast<RankedTensorType>(op.getResult().getType());
    bool isPacked = isPackedDense(resultType);
    RankedTensorType type = isPacked ? getPackedType(resultType) : resultType;
    Value init;
    OpFoldResult numColumns;
    if (op.getInit()) {
      init = adaptor.getInit().front();
      if (isPacked)
        numColumns = getExtent(rewriter, op.getLoc(), resultType,
                               adaptor.getInit(), resultType.getRank() - 1);
    } else {
      SmallVector<OpFoldResult> sizes =
          getResultSizes(rewriter, op, lhsType, lhs, rhs);
      numColumns = sizes.back();
      if (isPacked)
        sizes.back() = getPackedBytes(rewriter, op.getLoc(), numColumns);
      init = createDestination(rewriter, op.getLoc(), sizes, type);
    }
    Value columns;
    if (isPacked)
      columns =
          getValueOrCreateConstantIndexOp(rewriter, op.getLoc(), numColumns);
    SpmmFields fields{getComponents(lhsType, lhs), rhs.front()};
    fields.sumBias = op.getSumBias();
    fields.scales = op.getScales();
    fields.bias = op.getBias();
    fields.columns = columns;
    fields.init = init;
    fields.storage = TypeAttr::get(lhsType);
    fields.packedRhs = getPackedAttr(op.getRhs().getType());
    fields.packedResult = getPackedAttr(op.getResult().getType());
    fields.compute = op.getComputeAttr();
    fields.unsignedLhs = op.getUnsignedLhs();
    fields.unsignedRhs = op.getUnsignedRhs();
    fields.unsignedResult = op.getUnsignedResult();
    fields.overwrite = overwrite;
    fields.accumulate = op.getAccumulateAttr();
    fields.activation = op.getActivationAttr();
    fields.pattern = op.getPatternAttr();
    fields.schedule = op.getScheduleAttr();
    auto converted = SpmmOp::create(rewriter, op.getLoc(), type, fields);
    converted->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    SmallVector<Value> results = {converted.getResult()};
    if (isPacked && resultType.isDynamicDim(resultType.getRank() - 1))
      results.push_back(columns);
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }

private:
  /// ceil(columns / 2).
  static OpFoldResult getPackedBytes(OpBuilder &builder, Location loc,
                                     OpFoldResult columns) {
    if (std::optional<int64_t> constant = getConstantIntValue(columns))
      return builder.getIndexAttr(llvm::divideCeil(*constant, 2));
    Value two = arith::ConstantIndexOp::create(builder, loc, 2);
    Value bytes =
        arith::CeilDivUIOp::create(builder, loc, cast<Value>(columns), two);
    return bytes;
  }

  /// Extents of the result, in elements.
  static SmallVector<OpFoldResult> getResultSizes(OpBuilder &builder, SpmmOp op,
                                                  RankedTensorType lhsType,
                                                  ValueRange lhs,
                                                  ValueRange rhs) {
    auto type = cast<RankedTensorType>(op.getResult().getType());
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(builder, op.getLoc(), rhs.front());
    auto rhsType = cast<RankedTensorType>(op.getRhs().getType());
    if (isPackedDense(rhsType))
      sizes.back() =
          getExtent(builder, op.getLoc(), rhsType, rhs, rhsType.getRank() - 1);
    sizes[sizes.size() - 2] =
        getExtent(builder, op.getLoc(), lhsType, lhs, lhsType.getRank() - 2);
    for (auto [size, extent] : llvm::zip(sizes, type.getShape()))
      if (!ShapedType::isDynamic(extent))
        size = builder.getIndexAttr(extent);
    return sizes;
  }
};

} // namespace

void mlir::magicube::populateSpmmStorage(const TypeConverter &converter,
                                         RewritePatternSet &patterns) {
  patterns.add<SpmmLowering>(converter, patterns.getContext());
}
