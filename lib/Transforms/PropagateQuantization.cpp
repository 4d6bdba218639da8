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

/// Types of an operation's operands, results, block arguments and signature.
static SmallVector<Type> getValueTypes(Operation *op) {
  SmallVector<Type> types(op->getOperandTypes());
  llvm::append_range(types, op->getResultTypes());
  if (auto function = dyn_cast<FunctionOpInterface>(op)) {
    llvm::append_range(types, function.getArgumentTypes());
    llvm::append_range(types, function.getResultTypes());
  }
  for (Region &region : op->getRegions())
    for (Block &block : region)
      llvm::append_range(types, block.getArgumentTypes());
  return types;
}

/// Whether the operation hands its values on and never calculates with them, so
/// that it does the same to the stored integers.
static bool isStructural(Operation *op) {
  return isa<arith::SelectOp, quant::StorageCastOp>(op) ||
         isa_and_present<func::FuncDialect, scf::SCFDialect,
                         cf::ControlFlowDialect, tensor::TensorDialect,
                         MagicubeDialect>(op->getDialect());
}

/// Whether `type` has a quantized type inside that no integers store.
static bool hasTypeWithoutStorage(Type type) {
  auto check = [](quant::QuantizedType part) {
    return part.getStorageType() ? WalkResult::advance()
                                 : WalkResult::interrupt();
  };
  return type.walk(check).wasInterrupted();
}

static LogicalResult verifyOperation(Operation *op) {
  SmallVector<Type> types = getValueTypes(op);
  if (llvm::none_of(types, hasQuantizedType))
    return success();
  if (const Type *type = llvm::find_if(types, hasTypeWithoutStorage);
      type != types.end())
    return (op->emitOpError("has a quantized type that no integers store: ")
            << *type)
               .attachNote()
           << "quantize the numbers: write the type as !quant.uniform";
  if (isStructural(op))
    return success();
  return op->emitOpError("would calculate with the stored integers of a "
                         "quantized type")
             .attachNote()
         << "make them floats with 'quant.dcast', or integers with "
            "'quant.scast'";
}

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

/// A quantization can only become the rounding of a product, which makes its
/// result either in floats or quantized. `product` may be null.
static LogicalResult verifyQuantization(quant::QuantizeCastOp op,
                                        SpmmOp product) {
  auto refuse = [&](const Twine &message, StringRef note) -> LogicalResult {
    return op.emitOpError(message).attachNote() << note;
  };
  if (!product)
    return refuse("quantizes numbers that are not the f32 result of a product",
                  "pass integers to the function; 'lower-quant-ops' rounds "
                  "toward zero and does not saturate, run it first if that "
                  "will do");
  if (!isQuantized(product))
    return refuse("quantizes the result of a product of integers",
                  "cast the operands to quantized types with 'quant.scast', or "
                  "give the product a result of i8 or i4 and put the "
                  "quantization into its scale and bias");
  if (product.getInit())
    return refuse("quantizes the result of a product that has outs",
                  "leave outs away: the quantized result is of another type "
                  "than the init");
  if (!op.getInput().hasOneUse())
    return refuse("quantizes the result of a product that has other uses, "
                  "which want the numbers in floats",
                  "use the quantized result there, made floats by "
                  "'quant.dcast', or multiply a second time");
  return success();
}

/// quant.qcast(spmm(a, b) in f32) = spmm(a, b) with the quantized result: one
/// rounding less.
static LogicalResult foldQuantization(quant::QuantizeCastOp op) {
  auto product = op.getInput().getDefiningOp<SpmmOp>();
  if (failed(verifyQuantization(op, product)))
    return failure();
  product.getResult().setType(cast<RankedTensorType>(op.getType()));
  op.getResult().replaceAllUsesWith(product.getResult());
  op.erase();
  return verify(product);
}

static LogicalResult verifyDequantization(quant::DequantizeCastOp op) {
  if (getSparseEncoding(op.getInput().getType()))
    return op.emitOpError("dequantizes a sparse tensor").attachNote()
           << "multiply it, or make it dense with magicube.unpack";
  quant::QuantizedType type = op.getQuantizedType();
  if (!isa<quant::UniformQuantizedType, quant::UniformQuantizedPerAxisType,
           quant::UniformQuantizedSubChannelType>(type))
    return (op.emitOpError("expected a !quant.uniform type, but got ") << type)
               .attachNote()
           << "only its scales and zero points say what the integers stand for";
  // Upstream makes a constant of the storage type of each zero point.
  std::optional<Quantization> quantization = getQuantization(type);
  if (!quantization) // blocks along several axes, whose zero points fit
    return success();
  unsigned bits = type.getStorageTypeIntegralWidth();
  int64_t least = type.getDefaultMinimumForInteger(type.isSigned(), bits);
  int64_t most = type.getDefaultMaximumForInteger(type.isSigned(), bits);
  for (int64_t point : quantization->zeroPoints)
    if (point < least || point > most)
      return (op.emitOpError("expected a zero point among the integers of the "
                             "storage type, ")
              << least << " to " << most << ", but got " << point)
                 .attachNote()
             << "quantize with a zero point in that range";
  return success();
}

/// Dequantizations become arithmetic on tensors, upstream's way.
static LogicalResult lowerDequantizations(ModuleOp module) {
  SmallVector<quant::DequantizeCastOp> ops;
  module.walk([&](quant::DequantizeCastOp op) { ops.push_back(op); });
  if (ops.empty())
    return success();
  bool ok = true;
  for (quant::DequantizeCastOp op : ops)
    ok &= succeeded(verifyDequantization(op));
  if (!ok)
    return failure();
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
  // An attribute may still have a type without storage, which stays.
  replacer.addReplacement(
      [](quant::QuantizedType type) { return getStorageElementType(type); });
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
