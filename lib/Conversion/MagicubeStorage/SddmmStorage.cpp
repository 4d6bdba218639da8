//===- SddmmStorage.cpp - The storage form of a sampled product -----------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pattern by its pointers and indices, the result by its values.
//
//===----------------------------------------------------------------------===//

#include "StorageValues.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"

using namespace mlir;
using namespace mlir::magicube;

namespace {

/// sddmm(a, b, p) = (p's pointers, p's indices, sddmm a, b, storage(pointers
/// and indices of p) outs(empty) {overwrite}); what is of i4 becomes bytes.
struct SddmmLowering : OpConversionPattern<SddmmOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(SddmmOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RankedTensorType patternType = op.getPatternType();
    ValueRange pattern = adaptor.getPattern().front();
    auto resultType = cast<RankedTensorType>(op.getResult().getType());

    SddmmFields fields;
    fields.lhs = adaptor.getLhs().front();
    fields.rhs = adaptor.getRhs().front();
    fields.pattern = pattern.take_front(2);
    fields.sumBias = op.getSumBias();
    fields.scales = op.getScales();
    fields.bias = op.getBias();
    fields.inner = getInner(rewriter, op, adaptor);
    fields.init = createValues(rewriter, loc, resultType, pattern);
    fields.storage = TypeAttr::get(
        RankedTensorType::get(patternType.getShape(), rewriter.getI1Type(),
                              patternType.getEncoding()));
    fields.packedLhs = getPackedAttr(op.getLhs().getType());
    fields.packedRhs = getPackedAttr(op.getRhs().getType());
    fields.packedResult = getPackedAttr(resultType);
    fields.compute = op.getComputeAttr();
    fields.unsignedLhs = op.getUnsignedLhs();
    fields.unsignedRhs = op.getUnsignedRhs();
    fields.unsignedResult = op.getUnsignedResult();
    fields.overwrite = true;
    fields.accumulate = op.getAccumulateAttr();
    fields.activation = op.getActivationAttr();
    fields.patternInfo = op.getPatternInfoAttr();
    fields.tiling = op.getTilingAttr();
    auto converted =
        SddmmOp::create(rewriter, loc, fields.init.getType(), fields);
    converted->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    rewriter.replaceOpWithMultiple(
        op, {getSparseResult(rewriter, loc, resultType, patternType, pattern,
                             converted.getResult())});
    return success();
  }

private:
  /// K where bytes do not tell it, else null.
  static Value getInner(OpBuilder &builder, SddmmOp op,
                        OneToNOpAdaptor adaptor) {
    auto getColumns = [&](Value operand, ValueRange values) -> Value {
      auto type = cast<RankedTensorType>(operand.getType());
      if (!isPackedDense(type))
        return {};
      return getValueOrCreateConstantIndexOp(
          builder, op.getLoc(),
          getExtent(builder, op.getLoc(), type, values, type.getRank() - 1));
    };
    Value inner = getColumns(op.getLhs(), adaptor.getLhs());
    return inner ? inner : getColumns(op.getRhs(), adaptor.getRhs());
  }
};

} // namespace

void mlir::magicube::populateSddmmStorage(const TypeConverter &converter,
                                          RewritePatternSet &patterns) {
  patterns.add<SddmmLowering>(converter, patterns.getContext());
}
