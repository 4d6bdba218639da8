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

/// Components among the values that replace a sparse tensor.
static ValueRange getComponents(RankedTensorType type, ValueRange values) {
  return values.drop_back(type.getNumDynamicDims());
}

/// Extent of dimension `dim` of a sparse tensor, or a dense one of i4, replaced
/// by `values`.
static OpFoldResult getExtent(OpBuilder &builder, Location loc,
                              RankedTensorType type, ValueRange values,
                              int64_t dim) {
  if (!type.isDynamicDim(dim))
    return builder.getIndexAttr(type.getDimSize(dim));
  if (isPackedDense(type))
    return dim == type.getRank() - 1
               ? OpFoldResult(values.back())
               : tensor::getMixedSize(builder, loc, values.front(), dim);
  return values.take_back(
      type.getNumDynamicDims())[type.getDynamicDimIndex(dim)];
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
    auto getPackedAttr = [](Type dense) {
      return isPackedDense(dense)
                 ? TypeAttr::get(cast<ShapedType>(dense).getElementType())
                 : TypeAttr();
    };
    auto converted = SpmmOp::create(
        rewriter, op.getLoc(), type, getComponents(lhsType, lhs), rhs.front(),
        op.getSumBias(), op.getScales(), op.getBias(), columns, init,
        TypeAttr::get(lhsType), getPackedAttr(op.getRhs().getType()),
        getPackedAttr(op.getResult().getType()), op.getComputeAttr(),
        op.getUnsignedLhs(), op.getUnsignedRhs(), op.getUnsignedResult(),
        overwrite, op.getAccumulateAttr(), op.getActivationAttr(),
        op.getPatternAttr(), op.getScheduleAttr());
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

  /// An empty tensor of those sizes.
  static Value createDestination(OpBuilder &builder, Location loc,
                                 ArrayRef<OpFoldResult> sizes,
                                 RankedTensorType type) {
    Value empty =
        tensor::EmptyOp::create(builder, loc, sizes, type.getElementType());
    return castTo(builder, loc, empty, type);
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
                 DisassembleLowering, SelectLowering, SpmmLowering>(
        converter, &getContext());
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
