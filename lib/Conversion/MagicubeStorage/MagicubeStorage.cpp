//===- MagicubeStorage.cpp - convert-magicube-storage ----------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 1:N conversion of sparse tensors to tensors of their components. Encoded types
// must not reach upstream passes, which take them for dense.
//
//===----------------------------------------------------------------------===//

#include "dialect/magicube/MagicubeDialect.h"
#include "magicube/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Func/Transforms/FuncConversions.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Transforms/DialectConversion.h"

namespace mlir::magicube {
#define GEN_PASS_DEF_CONVERTMAGICUBESTORAGEPASS
#include "magicube/Conversion/Passes.h.inc"
} // namespace mlir::magicube

using namespace mlir;
using namespace mlir::magicube;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

namespace {

/// Encoded tensor -> components, then an index per dynamic dimension.
struct StorageTypeConverter : TypeConverter {
  StorageTypeConverter() {
    addConversion([](Type type) { return type; });
    addConversion([](RankedTensorType type, SmallVectorImpl<Type> &types)
                      -> std::optional<LogicalResult> {
      if (!getSparseEncoding(type))
        return std::nullopt;
      llvm::append_range(types, getComponentTypes(type));
      types.append(type.getNumDynamicDims(),
                   IndexType::get(type.getContext()));
      return success();
    });
  }
};

} // namespace

/// Components among the values that replace a sparse tensor.
static ValueRange getComponents(RankedTensorType type, ValueRange values) {
  return values.drop_back(type.getNumDynamicDims());
}

/// Extent of dimension `dim` of a sparse tensor replaced by `values`.
static OpFoldResult getExtent(OpBuilder &builder, RankedTensorType type,
                              ValueRange values, int64_t dim) {
  if (!type.isDynamicDim(dim))
    return builder.getIndexAttr(type.getDimSize(dim));
  return values.take_back(type.getNumDynamicDims())[type.getDynamicDimIndex(dim)];
}

/// `value` as `type`, with a cast where only static extents differ.
static Value castTo(OpBuilder &builder, Location loc, Value value, Type type) {
  if (value.getType() == type)
    return value;
  return tensor::CastOp::create(builder, loc, type, value);
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

namespace {

/// assemble(components, dims) is replaced by its operands.
struct AssembleLowering : OpConversionPattern<AssembleOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(AssembleOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> values;
    for (auto [value, type] : llvm::zip(adaptor.getComponents(),
                                        getComponentTypes(op.getType())))
      values.push_back(castTo(rewriter, op.getLoc(), value, type));
    llvm::append_range(values, adaptor.getDims());
    rewriter.replaceOpWithMultiple(op, {values});
    return success();
  }
};

/// disassemble(a) is replaced by a's components.
struct DisassembleLowering : OpConversionPattern<DisassembleOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(DisassembleOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> values;
    for (auto [value, type] :
         llvm::zip(getComponents(op.getSource().getType(), adaptor.getSource()),
                   op.getResultTypes()))
      values.push_back(castTo(rewriter, op.getLoc(), value, type));
    rewriter.replaceOp(op, values);
    return success();
  }
};

/// dim(a, i) is a constant or the index that goes with a.
struct DimLowering : OpConversionPattern<tensor::DimOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tensor::DimOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = dyn_cast<RankedTensorType>(op.getSource().getType());
    if (!type || !getSparseEncoding(type))
      return rewriter.notifyMatchFailure(op, "not a sparse tensor");
    std::optional<int64_t> dim = op.getConstantIndex();
    if (!dim || *dim < 0 || *dim >= type.getRank())
      return op.emitOpError("expected a constant dimension of ") << type;
    OpFoldResult extent =
        getExtent(rewriter, type, adaptor.getSource(), *dim);
    rewriter.replaceOp(
        op, getValueOrCreateConstantIndexOp(rewriter, op.getLoc(), extent));
    return success();
  }
};

/// select(c, a, b) selects component by component.
struct SelectLowering : OpConversionPattern<arith::SelectOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(arith::SelectOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!getSparseEncoding(op.getType()))
      return rewriter.notifyMatchFailure(op, "not a sparse tensor");
    SmallVector<Value> values;
    for (auto [ifTrue, ifFalse] :
         llvm::zip(adaptor.getTrueValue(), adaptor.getFalseValue()))
      values.push_back(arith::SelectOp::create(
          rewriter, op.getLoc(), adaptor.getCondition().front(), ifTrue,
          ifFalse));
    rewriter.replaceOpWithMultiple(op, {values});
    return success();
  }
};

/// spmm(a, b) = spmm storage(components of a), b outs(empty) {overwrite}
struct SpmmLowering : OpConversionPattern<SpmmOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(SpmmOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    RankedTensorType lhsType = op.getLhsType();
    ValueRange lhs = adaptor.getLhs().front();
    Value init = op.getInit();
    bool overwrite = op.getOverwrite();
    if (!init) {
      init = createDestination(rewriter, op, lhsType, lhs);
      overwrite = true;
    }
    auto converted = SpmmOp::create(
        rewriter, op.getLoc(), op->getResultTypes(),
        getComponents(lhsType, lhs), op.getRhs(), op.getScales(), op.getBias(),
        init, TypeAttr::get(lhsType), op.getUnsignedLhs(), op.getUnsignedRhs(),
        overwrite, op.getAccumulateAttr(), op.getActivationAttr(),
        op.getScheduleAttr());
    converted->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    rewriter.replaceOp(op, converted);
    return success();
  }

private:
  /// An empty tensor of the result's shape.
  static Value createDestination(OpBuilder &builder, SpmmOp op,
                                 RankedTensorType lhsType, ValueRange lhs) {
    auto type = cast<RankedTensorType>(op.getResult().getType());
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(builder, op.getLoc(), op.getRhs());
    sizes[sizes.size() - 2] =
        getExtent(builder, lhsType, lhs, lhsType.getRank() - 2);
    for (auto [size, extent] : llvm::zip(sizes, type.getShape()))
      if (!ShapedType::isDynamic(extent))
        size = builder.getIndexAttr(extent);
    Value empty = tensor::EmptyOp::create(builder, op.getLoc(), sizes,
                                          type.getElementType());
    return castTo(builder, op.getLoc(), empty, type);
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Legality
//===----------------------------------------------------------------------===//

static bool isSparse(Type type) { return getSparseEncoding(type) != nullptr; }

/// Whether an operation has no value of an encoded type.
static bool hasNoSparseValue(Operation *op) {
  auto anySparse = [](TypeRange types) { return llvm::any_of(types, isSparse); };
  if (anySparse(op->getOperandTypes()) || anySparse(op->getResultTypes()))
    return false;
  if (auto function = dyn_cast<FunctionOpInterface>(op))
    if (anySparse(function.getArgumentTypes()) ||
        anySparse(function.getResultTypes()))
      return false;
  return llvm::none_of(op->getRegions(), [&](Region &region) {
    return llvm::any_of(region, [&](Block &block) {
      return anySparse(block.getArgumentTypes());
    });
  });
}

/// Whether there is a pattern for sparse values on this operation.
static bool isConverted(Operation *op) {
  return isa<AssembleOp, DisassembleOp, SpmmOp, tensor::DimOp, arith::SelectOp,
             func::FuncOp, func::CallOp, func::ReturnOp, scf::ForOp, scf::IfOp,
             scf::WhileOp, scf::ConditionOp, scf::YieldOp, scf::IndexSwitchOp>(
      op);
}

/// Reports every operation that would keep a sparse value.
static LogicalResult verifyConvertible(ModuleOp module) {
  bool ok = true;
  module.walk([&](Operation *op) {
    if (hasNoSparseValue(op) || isConverted(op))
      return;
    ok = false;
    if (isa<PackOp, UnpackOp>(op)) {
      op->emitOpError("runs on the host, for which there is no lowering yet")
              .attachNote()
          << "pass the sparse tensor to the function as an argument: "
             "magicube-run packs it, and so does the packer of lib/Format";
      return;
    }
    op->emitOpError("does not know the encoding of its sparse tensor and would "
                    "treat it as dense")
            .attachNote()
        << "make it dense with magicube.unpack, or take it apart with "
           "magicube.disassemble";
  });
  return success(ok);
}

namespace {

struct ConvertMagicubeStoragePass
    : magicube::impl::ConvertMagicubeStoragePassBase<
          ConvertMagicubeStoragePass> {
  void runOnOperation() override {
    if (failed(verifyConvertible(getOperation())))
      return signalPassFailure();
    StorageTypeConverter converter;
    RewritePatternSet patterns(&getContext());
    ConversionTarget target(getContext());
    target.markUnknownOpDynamicallyLegal(hasNoSparseValue);
    patterns.add<AssembleLowering, DisassembleLowering, DimLowering,
                 SelectLowering, SpmmLowering>(converter, &getContext());
    populateFunctionOpInterfaceTypeConversionPattern<func::FuncOp>(patterns,
                                                                   converter);
    populateCallOpTypeConversionPattern(patterns, converter);
    populateReturnOpTypeConversionPattern(patterns, converter);
    scf::populateSCFStructuralTypeConversions(converter, patterns);
    if (failed(applyFullConversion(getOperation(), target,
                                   std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
