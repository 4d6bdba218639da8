//===- SoftmaxStorage.cpp - The storage form of a softmax -----------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scores by their components, mask and result by their values.
//
//===----------------------------------------------------------------------===//

#include "StorageValues.h"

using namespace mlir;
using namespace mlir::magicube;

namespace {

/// softmax(s) mask(m) = (s's pointers, s's indices, softmax storage(components
/// of s) mask(values of m) outs(empty) {overwrite}), and the factors.
struct SoftmaxLowering : OpConversionPattern<SoftmaxOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(SoftmaxOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RankedTensorType scoresType = op.getScoresType();
    ValueRange scores = adaptor.getScores().front();
    auto resultType = cast<RankedTensorType>(op.getResult().getType());

    SmallVector<Value> inits = {
        createValues(rewriter, loc, resultType, scores)};
    if (Value factors = op.getFactors())
      inits.push_back(createFactors(rewriter, loc,
                                    cast<RankedTensorType>(factors.getType()),
                                    scoresType, scores));
    SoftmaxFields fields;
    fields.scores = getComponents(scoresType, scores);
    fields.scale = op.getScale();
    fields.valueScale = op.getValueScale();
    if (op.getMask())
      fields.mask = adaptor.getMask()[2];
    fields.inits = inits;
    fields.storage = TypeAttr::get(scoresType);
    fields.packedResult = getPackedAttr(resultType);
    fields.unsignedResult = op.getUnsignedResult();
    fields.overwrite = true;
    auto converted =
        SoftmaxOp::create(rewriter, loc, ValueRange(inits).getTypes(), fields);
    converted->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    SmallVector<SmallVector<Value>> results = {getSparseResult(
        rewriter, loc, resultType, scoresType, scores, converted.getResult())};
    if (op.getFactors())
      results.push_back({converted.getFactors()});
    rewriter.replaceOpWithMultiple(op, results);
    return success();
  }

private:
  /// Room for the factors, of which each row of the scores has one.
  static Value createFactors(OpBuilder &builder, Location loc,
                             RankedTensorType type, RankedTensorType scoresType,
                             ValueRange scores) {
    SmallVector<OpFoldResult> sizes;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      sizes.push_back(type.isDynamicDim(dim)
                          ? getExtent(builder, loc, scoresType, scores, dim)
                          : builder.getIndexAttr(type.getDimSize(dim)));
    return createDestination(builder, loc, sizes, type);
  }
};

} // namespace

void mlir::magicube::populateSoftmaxStorage(const TypeConverter &converter,
                                            RewritePatternSet &patterns) {
  patterns.add<SoftmaxLowering>(converter, patterns.getContext());
}
