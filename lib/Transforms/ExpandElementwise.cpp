//===- ExpandElementwise.cpp - magicube-expand-elementwise ---------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Upstream's loops for arithmetic on whole tensors, but not for a choice
// between tensors, whose extents may differ.
//
//===----------------------------------------------------------------------===//

#include "dialect/magicube/MagicubeDialect.h"
#include "magicube/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/DialectConversion.h"

namespace mlir::magicube {
#define GEN_PASS_DEF_MAGICUBEEXPANDELEMENTWISEPASS
#include "magicube/Transforms/Passes.h.inc"
} // namespace mlir::magicube

using namespace mlir;
using namespace mlir::magicube;

/// Whether `op` is arithmetic on elements of tensors, which must then have
/// equal extents. A select by one condition is not: it is one of two whole
/// tensors.
static bool isElementwise(Operation *op) {
  if (auto select = dyn_cast<arith::SelectOp>(op))
    if (!isa<ShapedType>(select.getCondition().getType()))
      return false;
  return OpTrait::hasElementwiseMappableTraits(op) &&
         llvm::any_of(op->getOperandTypes(), llvm::IsaPred<RankedTensorType>);
}

/// Whether `op` has only dense tensors, of extents that its type does not tell.
static bool isDynamic(Operation *op) {
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  return type && !type.hasStaticShape() &&
         llvm::none_of(op->getOperandTypes(), getSparseEncoding) &&
         !getSparseEncoding(type) && !isPackedDense(type);
}

namespace {

struct MagicubeExpandElementwisePass
    : magicube::impl::MagicubeExpandElementwisePassBase<
          MagicubeExpandElementwisePass> {
  using MagicubeExpandElementwisePassBase::MagicubeExpandElementwisePassBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    linalg::populateElementwiseToLinalgConversionPatterns(patterns);
    ConversionTarget target(getContext());
    target.markUnknownOpDynamicallyLegal([&](Operation *op) {
      return !isElementwise(op) || (onlyDynamic && !isDynamic(op));
    });
    // Folding of tensors whose extents are dynamic loses them.
    ConversionConfig config;
    config.foldingMode = DialectConversionFoldingMode::Never;
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns), config)))
      signalPassFailure();
  }
};

} // namespace
