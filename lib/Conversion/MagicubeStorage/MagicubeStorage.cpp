//===- MagicubeStorage.cpp - convert-magicube-storage ---------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 1:N conversion of sparse tensors to tensors of their components. Encoded
// types must not reach upstream passes, which take them for dense.
//
//===----------------------------------------------------------------------===//

#include "Legality.h"
#include "StorageValues.h"

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

/// Encoded tensor -> components, then an index per dynamic dimension. Dense
/// tensor of i4 -> bytes, then an index if the number of columns is dynamic.
struct StorageTypeConverter : TypeConverter {
  StorageTypeConverter() {
    addConversion([](Type type) { return type; });
    addConversion([](RankedTensorType type, SmallVectorImpl<Type> &types)
                      -> std::optional<LogicalResult> {
      if (!getSparseEncoding(type))
        return std::nullopt;
      llvm::append_range(types, getComponentTypes(type));
      types.append(type.getNumDynamicDims(), IndexType::get(type.getContext()));
      return success();
    });
    addConversion(
        [](RankedTensorType type,
           SmallVectorImpl<Type> &types) -> std::optional<LogicalResult> {
          if (!isPackedDense(type))
            return std::nullopt;
          types.push_back(getPackedType(type));
          if (type.isDynamicDim(type.getRank() - 1))
            types.push_back(IndexType::get(type.getContext()));
          return success();
        });
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

/// A row per SparseComputeOpInterface.
static constexpr PopulateStorage kOperationPatterns[] = {
    populateSddmmStorage, populateSoftmaxStorage, populateSpmmStorage};

namespace {

/// assemble(components, dims) is replaced by its operands.
struct AssembleLowering : OpConversionPattern<AssembleOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(AssembleOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> values;
    for (auto [value, type] :
         llvm::zip(adaptor.getComponents(), getComponentTypes(op.getType())))
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
    if (!type || !isStored(type))
      return rewriter.notifyMatchFailure(op, "not a stored tensor");
    // The index has been checked.
    OpFoldResult extent =
        getExtent(rewriter, op.getLoc(), type, adaptor.getSource(),
                  *op.getConstantIndex());
    rewriter.replaceOp(
        op, getValueOrCreateConstantIndexOp(rewriter, op.getLoc(), extent));
    return success();
  }
};

/// cast(a) casts the components, or the bytes of a dense tensor of i4; extents
/// that only the result knows are assumed, like upstream does on dense tensors.
struct CastLowering : OpConversionPattern<tensor::CastOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tensor::CastOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isStored(op.getType()))
      return rewriter.notifyMatchFailure(op, "not a stored tensor");
    auto sourceType = cast<RankedTensorType>(op.getSource().getType());
    auto type = cast<RankedTensorType>(op.getType());
    ValueRange source = adaptor.getSource();
    SmallVector<Value> values;
    if (isPackedDense(type)) {
      int64_t columns = type.getRank() - 1;
      values.push_back(
          castTo(rewriter, op.getLoc(), source.front(), getPackedType(type)));
      if (type.isDynamicDim(columns))
        values.push_back(getValueOrCreateConstantIndexOp(
            rewriter, op.getLoc(),
            getExtent(rewriter, op.getLoc(), sourceType, source, columns)));
      rewriter.replaceOpWithMultiple(op, {values});
      return success();
    }
    for (auto [value, wanted] :
         llvm::zip(getComponents(sourceType, source), getComponentTypes(type)))
      values.push_back(castTo(rewriter, op.getLoc(), value, wanted));
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (type.isDynamicDim(dim))
        values.push_back(getValueOrCreateConstantIndexOp(
            rewriter, op.getLoc(),
            getExtent(rewriter, op.getLoc(), sourceType, source, dim)));
    rewriter.replaceOpWithMultiple(op, {values});
    return success();
  }
};

/// select(c, a, b) selects component by component.
struct SelectLowering : OpConversionPattern<arith::SelectOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(arith::SelectOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isStored(op.getType()))
      return rewriter.notifyMatchFailure(op, "not a stored tensor");
    SmallVector<Value> values;
    for (auto [ifTrue, ifFalse] :
         llvm::zip(adaptor.getTrueValue(), adaptor.getFalseValue()))
      values.push_back(arith::SelectOp::create(rewriter, op.getLoc(),
                                               adaptor.getCondition().front(),
                                               ifTrue, ifFalse));
    rewriter.replaceOpWithMultiple(op, {values});
    return success();
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Attributes of arguments and results
//===----------------------------------------------------------------------===//

namespace {

/// Attributes of a function's arguments and results, in the types to come. The
/// upstream pattern would leave them at their old numbers.
struct SignatureAttrs {
  func::FuncOp function;
  SmallVector<DictionaryAttr> arguments, results;
};

} // namespace

/// `attrs` of `types` spread over what replaces them: the components of a
/// tensor all get its attributes, its extents none.
static SmallVector<DictionaryAttr>
spreadAttrs(TypeRange types, function_ref<DictionaryAttr(unsigned)> attrs) {
  SmallVector<DictionaryAttr> spread;
  for (auto [i, type] : llvm::enumerate(types)) {
    if (!getSparseEncoding(type)) {
      spread.push_back(attrs(i));
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (isPackedDense(type) && tensor.isDynamicDim(tensor.getRank() - 1))
        spread.push_back(DictionaryAttr());
      continue;
    }
    auto sparse = cast<RankedTensorType>(type);
    spread.append(getComponentTypes(sparse).size(), attrs(i));
    spread.append(sparse.getNumDynamicDims(), DictionaryAttr());
  }
  return spread;
}

/// Takes the attributes off every function whose signature will change.
static SmallVector<SignatureAttrs> takeSignatureAttrs(ModuleOp module) {
  SmallVector<SignatureAttrs> taken;
  module.walk([&](func::FuncOp function) {
    bool hasAttrs = function.getArgAttrsAttr() || function.getResAttrsAttr();
    if (!hasAttrs || hasNoStoredValue(function))
      return;
    taken.push_back(
        {function,
         spreadAttrs(function.getArgumentTypes(),
                     [&](unsigned i) { return function.getArgAttrDict(i); }),
         spreadAttrs(function.getResultTypes(), [&](unsigned i) {
           return function.getResultAttrDict(i);
         })});
    function.removeArgAttrsAttr();
    function.removeResAttrsAttr();
  });
  return taken;
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
    target.markUnknownOpDynamicallyLegal(hasNoStoredValue);
    patterns.add<AssembleLowering, CastLowering, DimLowering,
                 DisassembleLowering, SelectLowering>(converter, &getContext());
    for (PopulateStorage populate : kOperationPatterns)
      populate(converter, patterns);
    populateFunctionOpInterfaceTypeConversionPattern<func::FuncOp>(patterns,
                                                                   converter);
    populateCallOpTypeConversionPattern(patterns, converter);
    populateReturnOpTypeConversionPattern(patterns, converter);
    scf::populateSCFStructuralTypeConversions(converter, patterns);
    SmallVector<SignatureAttrs> taken = takeSignatureAttrs(getOperation());
    if (failed(
            applyFullConversion(getOperation(), target, std::move(patterns))))
      return signalPassFailure();
    for (SignatureAttrs &attrs : taken) {
      attrs.function.setAllArgAttrs(attrs.arguments);
      attrs.function.setAllResultAttrs(attrs.results);
    }
  }
};

} // namespace
