//===- MagicubeSpmmCanonicalization.cpp - Simpler products
//-----------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inits of zeros, casts and static shapes.
//
//===----------------------------------------------------------------------===//

#include "MagicubeSpmmShapes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::magicube;

namespace {

/// spmm outs(fill(0)) = spmm outs(destination of the fill) {overwrite}, and
/// spmm outs(0) = spmm outs(empty) {overwrite}
struct FoldZeroInit : OpRewritePattern<SpmmOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SpmmOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getInit() || op.getOverwrite() || !op.getResult())
      return rewriter.notifyMatchFailure(op, "no tensor init that is read");
    Value destination = getDestination(rewriter, op.getInit());
    if (!destination)
      return rewriter.notifyMatchFailure(op, "init is not zero");
    rewriter.modifyOpInPlace(op, [&] {
      op.getInitMutable().assign(destination);
      op.setOverwrite(true);
    });
    return success();
  }

private:
  /// A tensor of the type of `init` if that is all zeros, else null.
  static Value getDestination(PatternRewriter &rewriter, Value init) {
    auto type = llvm::cast<RankedTensorType>(init.getType());
    if (matchPattern(init, m_Zero()))
      return tensor::EmptyOp::create(rewriter, init.getLoc(), type.getShape(),
                                     type.getElementType());
    auto fill = init.getDefiningOp<linalg::FillOp>();
    if (fill && matchPattern(fill.getInputs().front(), m_Zero()))
      return fill.getOutputs().front();
    return {};
  }
};

/// spmm(a, cast(b)) = cast(spmm(a, b)) where the cast forgets static extents.
struct FoldRhsCast : OpRewritePattern<SpmmOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SpmmOp op,
                                PatternRewriter &rewriter) const override {
    auto cast = op.getRhs().getDefiningOp<tensor::CastOp>();
    if (!cast || !tensor::canFoldIntoConsumerOp(cast))
      return rewriter.notifyMatchFailure(op, "rhs is not a widening cast");
    rewriter.modifyOpInPlace(
        op, [&] { op.getRhsMutable().assign(cast.getSource()); });
    return success();
  }
};

/// Gives the result the static extents that the operands have, behind a cast.
struct InferStaticResult : OpRewritePattern<SpmmOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SpmmOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getResult() || op.getInit())
      return rewriter.notifyMatchFailure(op, "shape comes from the init");
    auto type = llvm::cast<RankedTensorType>(op.getResult().getType());
    SmallVector<int64_t> shape = inferShape(op);
    for (auto [inferred, stated] : llvm::zip(shape, type.getShape()))
      if (ShapedType::isDynamic(inferred))
        inferred = stated;
    if (type.getShape() == ArrayRef(shape))
      return rewriter.notifyMatchFailure(op, "nothing to infer");
    rewriter.modifyOpInPlace(
        op, [&] { op.getResult().setType(type.clone(shape)); });
    rewriter.setInsertionPointAfter(op);
    auto cast =
        tensor::CastOp::create(rewriter, op.getLoc(), type, op.getResult());
    rewriter.replaceAllUsesExcept(op.getResult(), cast, cast);
    return success();
  }
};

} // namespace

void SpmmOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                         MLIRContext *context) {
  patterns.add<FoldZeroInit, FoldRhsCast, InferStaticResult>(context);
}
