//===- PropagateQuantization.cpp - magicube-propagate-quantization --------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of quantized tensors become products of integers; then every
// quantized type becomes its storage type.
//
//===----------------------------------------------------------------------===//

#include "QuantizedProduct.h"

#include "dialect/magicube/MagicubeQuantization.h"
#include "magicube/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/Dialect/Quant/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Shape/IR/Shape.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Transforms/DialectConversion.h"

namespace mlir::magicube {
#define GEN_PASS_DEF_MAGICUBEPROPAGATEQUANTIZATIONPASS
#include "magicube/Transforms/Passes.h.inc"
} // namespace mlir::magicube

using namespace mlir;
using namespace mlir::magicube;

//===----------------------------------------------------------------------===//
// Operations with quantized values
//===----------------------------------------------------------------------===//

static bool hasQuantizedValue(Operation *op) {
  if (llvm::any_of(op->getOperandTypes(), hasQuantizedType) ||
      llvm::any_of(op->getResultTypes(), hasQuantizedType))
    return true;
  if (auto function = dyn_cast<FunctionOpInterface>(op))
    if (llvm::any_of(function.getArgumentTypes(), hasQuantizedType) ||
        llvm::any_of(function.getResultTypes(), hasQuantizedType))
      return true;
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (llvm::any_of(block.getArgumentTypes(), hasQuantizedType))
        return true;
  return false;
}

/// Whether the operation hands its values on and never calculates with them, so
/// that it does the same to the stored integers.
static bool isStructural(Operation *op) {
  return isa<arith::SelectOp, quant::StorageCastOp>(op) ||
         isa_and_present<func::FuncDialect, scf::SCFDialect,
                         cf::ControlFlowDialect, tensor::TensorDialect,
                         MagicubeDialect>(op->getDialect());
}

static LogicalResult verifyOperation(Operation *op) {
  if (!hasQuantizedValue(op) || isStructural(op))
    return success();
  if (isa<quant::QuantizeCastOp>(op))
    return op->emitOpError("quantizes numbers that are not the f32 result of a "
                           "product")
               .attachNote()
           << "pass integers to the function; 'lower-quant-ops' rounds toward "
              "zero and does not saturate, run it first if that will do";
  return op->emitOpError("would calculate with the stored integers of a "
                         "quantized type")
             .attachNote()
         << "make them floats with 'quant.dcast', or integers with "
            "'quant.scast'";
}

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

/// quant.qcast(spmm(a, b) in f32) = spmm(a, b) with the quantized result: one
/// rounding less.
static LogicalResult foldQuantization(quant::QuantizeCastOp op) {
  auto product = op.getInput().getDefiningOp<SpmmOp>();
  if (!product || !isQuantized(product) || product.getInit() ||
      !op.getInput().hasOneUse())
    return success();
  product.getResult().setType(cast<RankedTensorType>(op.getType()));
  op.getResult().replaceAllUsesWith(product.getResult());
  op.erase();
  return verify(product);
}

/// Dequantizations become arithmetic on tensors, upstream's way.
static LogicalResult lowerDequantizations(ModuleOp module) {
  SmallVector<quant::DequantizeCastOp> ops;
  module.walk([&](quant::DequantizeCastOp op) { ops.push_back(op); });
  if (ops.empty())
    return success();
  for (quant::DequantizeCastOp op : ops)
    if (getSparseEncoding(op.getInput().getType()))
      return op.emitOpError("dequantizes a sparse tensor").attachNote()
             << "multiply it, or make it dense with magicube.unpack";
  ConversionTarget target(*module.getContext());
  target.addIllegalOp<quant::DequantizeCastOp>();
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  RewritePatternSet patterns(module.getContext());
  quant::populateLowerQuantOpsPatterns(patterns);
  return applyPartialConversion(module, target, std::move(patterns));
}

/// Every quantized type becomes its storage type, in values, signatures and
/// attributes alike; what is left of quant.scast are copies.
static void stripTypes(ModuleOp module) {
  AttrTypeReplacer replacer;
  replacer.addReplacement(
      [](quant::QuantizedType type) { return type.getStorageType(); });
  replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
  module.walk([](quant::StorageCastOp op) {
    op.getResult().replaceAllUsesWith(op.getInput());
    op.erase();
  });
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Applies `rewrite`, which may erase its operation, to all operations of a
/// kind.
template <typename OpT>
static LogicalResult forEach(ModuleOp module,
                             LogicalResult (*rewrite)(OpT op)) {
  bool ok = true;
  module.walk([&](OpT op) { ok &= succeeded(rewrite(op)); });
  return success(ok);
}

static LogicalResult lowerProduct(SpmmOp op) {
  return isQuantized(op) ? lowerQuantizedProduct(op) : success();
}

namespace {

struct MagicubePropagateQuantizationPass
    : magicube::impl::MagicubePropagateQuantizationPassBase<
          MagicubePropagateQuantizationPass> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(forEach(module, foldQuantization)) ||
        failed(forEach(module, lowerProduct)) ||
        failed(lowerDequantizations(module)) ||
        failed(forEach<Operation *>(module, verifyOperation)))
      return signalPassFailure();
    stripTypes(module);
  }
};

} // namespace
