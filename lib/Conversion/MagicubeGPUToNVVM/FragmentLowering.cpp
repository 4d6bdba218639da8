//===- FragmentLowering.cpp - Lowering of fragments and MMAs ---------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ldmatrix, byte permutes, loads of the sparse values, mma.sync.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::magicube;
using namespace mlir::magicube_gpu;

/// The i32 fields of a struct, which NVVM operations return registers in.
static SmallVector<Value> unpackStruct(OpBuilder &b, Location loc,
                                       Value value) {
  auto type = cast<LLVM::LLVMStructType>(value.getType());
  SmallVector<Value> fields;
  for (size_t i = 0; i < type.getBody().size(); ++i)
    fields.push_back(LLVM::ExtractValueOp::create(b, loc, value, i));
  return fields;
}

static LLVM::LLVMStructType getRegisterStruct(OpBuilder &b, int64_t count) {
  return LLVM::LLVMStructType::getLiteral(
      b.getContext(), SmallVector<Type>(count, b.getI32Type()));
}

namespace {

struct ZeroLowering : OpConversionPattern<ZeroOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ZeroOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> registers(op.getType().getNumRegisters(),
                                 emitConstant(rewriter, op.getLoc(), 0));
    rewriter.replaceOpWithMultiple(op, {registers});
    return success();
  }
};

struct LoadRowsLowering : OpConversionPattern<LoadRowsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(LoadRowsOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emitter e(rewriter, op.getLoc());
    TileType type = op.getTile().getType();
    Value tile = e.tileAddress(type, adaptor.getTile(), adaptor.getSlot());
    // Layouts are the same for every vector length that a recipe takes.
    StepLayout step = getStep(op.getRecipe(), kVectorLengths.front());
    LayoutPoint callPlace =
        step.reader.apply({{dim::call, int32_t(op.getCall())}});
    Value lane = e.laneId();
    Value row = e.add(e.apply(step.reader, dim::lane, lane, dim::row),
                      callPlace[dim::row]);
    Value chunk =
        e.add(adaptor.getChunk(),
              e.apply(step.reader, dim::lane, lane, dim::chunk));
    Value address = e.chunkAddress(type, tile, row, chunk);
    int64_t count = op.getRegisters().getType().getCount();
    Value matrices = NVVM::LdMatrixOp::create(
        rewriter, op.getLoc(), getRegisterStruct(rewriter, count), address,
        static_cast<uint32_t>(count), NVVM::MMALayout::col,
        NVVM::LdStMatrixShapeAttr::get(op.getContext(), kLdmatrixPhaseRows,
                                       kLdmatrixPhaseRows),
        NVVM::LdStMatrixEltType::B16);
    rewriter.replaceOpWithMultiple(
        op, {unpackStruct(rewriter, op.getLoc(), matrices)});
    return success();
  }
};

struct TransposeLowering : OpConversionPattern<TransposeOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(TransposeOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    // The permutes are the same for every vector length.
    StepLayout step = getStep(op.getRecipe(), kVectorLengths.front());
    ValueRange raw = adaptor.getRegisters();
    if (step.permutes.empty()) {
      rewriter.replaceOpWithMultiple(op, {raw});
      return success();
    }
    SmallVector<Value> registers;
    for (const BytePermute &permute : step.permutes)
      registers.push_back(NVVM::PermuteOp::create(
          rewriter, op.getLoc(), rewriter.getI32Type(), raw[permute.sourceA],
          raw[permute.sourceB],
          emitConstant(rewriter, op.getLoc(), permute.selector),
          NVVM::PermuteMode::DEFAULT));
    rewriter.replaceOpWithMultiple(op, {registers});
    return success();
  }
};

/// A lane reads its registers of a fragment, consecutive positions of one
/// component, with one load.
struct LoadValuesLowering : OpConversionPattern<LoadValuesOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(LoadValuesOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emitter e(rewriter, op.getLoc());
    SRBCRSAttr encoding = op.getEncoding();
    StepLayout step = getStep(op.getRecipe(), encoding.getVector());
    TileType type = op.getTile().getType();
    Value slot = adaptor.getSlot().empty() ? Value() : adaptor.getSlot().front();
    Value tile = e.tileAddress(type, adaptor.getTile().front(), slot);
    Value lane = e.laneId();
    Value vector = e.apply(step.lhs, dim::lane, lane, dim::vector);
    Value position = e.apply(step.lhs, dim::lane, lane, dim::position);

    SmallVector<SmallVector<Value>> loaded;
    for (int32_t i = 0; i < step.fragments(); ++i) {
      int32_t firstVector =
          step.lhs.apply({{dim::fragment, i}}, dim::vector);
      loaded.push_back(emitFragment(e, encoding, step, tile,
                                    e.add(vector, firstVector), position));
    }
    SmallVector<SmallVector<Value>> fragments;
    for (int32_t call = 0; call < step.calls(); ++call)
      for (ArrayRef<Value> registers : loaded)
        fragments.push_back(emitCall(e, step, call, lane, registers));
    rewriter.replaceOpWithMultiple(op, std::move(fragments));
    return success();
  }

private:
  /// What a call multiplies of loaded registers: zeros go between them for a
  /// recipe that interleaves.
  static SmallVector<Value> emitCall(Emitter &e, const StepLayout &step,
                                     int32_t call, Value lane,
                                     ArrayRef<Value> loaded) {
    if (step.lhsPermutes.empty())
      return llvm::to_vector(loaded);
    LhsPermute permute = step.lhsPermutes[call];
    Value parity = e.bitAnd(lane, 1u << step.parityLaneBit);
    Value isEven = arith::CmpIOp::create(
        e.b, e.loc, arith::CmpIPredicate::eq, parity, e.constant(0));
    Value selector = arith::SelectOp::create(
        e.b, e.loc, isEven, e.constant(permute.evenSelector),
        e.constant(permute.oddSelector));
    SmallVector<Value> registers;
    for (Value value : loaded)
      registers.push_back(NVVM::PermuteOp::create(
          e.b, e.loc, e.b.getI32Type(), value, e.constant(0), selector,
          NVVM::PermuteMode::DEFAULT));
    return registers;
  }

  static SmallVector<Value> emitFragment(Emitter &e, SRBCRSAttr encoding,
                                         const StepLayout &step, Value tile,
                                         Value vector, Value position) {
    int64_t vectorLength = encoding.getVector();
    int64_t registers = step.mma->bRegisters();
    bool isPartial = vectorLength < step.lhs.outputSize(dim::vector);
    // Lanes past the vector length read a component that exists.
    Value component =
        isPartial ? e.bitAnd(vector, vectorLength - 1) : vector;
    Value offset = emitOffset(e, encoding, component, position);
    auto loadType = VectorType::get(registers, e.b.getI32Type());
    Value loaded = LLVM::LoadOp::create(e.b, e.loc, loadType,
                                        e.offset(tile, offset),
                                        registers * sizeof(int32_t));
    SmallVector<Value> result;
    for (int64_t i = 0; i < registers; ++i) {
      Value value =
          LLVM::ExtractElementOp::create(e.b, e.loc, loaded, e.constant(i));
      if (isPartial)
        value = arith::SelectOp::create(
            e.b, e.loc, e.isBelow(vector, e.constant(vectorLength)), value,
            e.constant(0));
      result.push_back(value);
    }
    return result;
  }

  /// Byte of a component's value at a position of the step, as copy_values laid
  /// it down: strides (or the part of one that the step is) one after the other.
  static Value emitOffset(Emitter &e, SRBCRSAttr encoding, Value component,
                          Value position) {
    int64_t run = std::min<int64_t>(encoding.getStride(), kStepPositions);
    Value inRun = e.add(e.mul(component, run), e.bitAnd(position, run - 1));
    Value runStart = e.mul(e.shiftRight(position, llvm::Log2_64(run)),
                           run * encoding.getVector());
    return e.add(runStart, inRun);
  }
};

struct MmaLowering : OpConversionPattern<MmaOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(MmaOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    const MmaInstruction &mma = *op.getA().getType().getInstruction();
    std::array<NVVM::MMATypes, 2> types = {
        getPtxType(op.getA().getType().getElementType()),
        getPtxType(op.getB().getType().getElementType())};
    Value result = NVVM::MmaOp::create(
        rewriter, op.getLoc(),
        getRegisterStruct(rewriter, op.getType().getNumRegisters()),
        adaptor.getA(), adaptor.getB(), adaptor.getC(),
        ArrayRef<int64_t>{mma.m, mma.n, mma.k}, /*b1Op=*/std::nullopt,
        NVVM::MMAIntOverflow::wrapped, types,
        std::array<NVVM::MMALayout, 2>{NVVM::MMALayout::row,
                                       NVVM::MMALayout::col});
    rewriter.replaceOpWithMultiple(
        op, {unpackStruct(rewriter, op.getLoc(), result)});
    return success();
  }

private:
  static NVVM::MMATypes getPtxType(Type type) {
    auto integer = cast<IntegerType>(type);
    if (integer.getWidth() == 4)
      return integer.isUnsigned() ? NVVM::MMATypes::u4 : NVVM::MMATypes::s4;
    return integer.isUnsigned() ? NVVM::MMATypes::u8 : NVVM::MMATypes::s8;
  }
};

} // namespace

void mlir::magicube_gpu::populateFragmentLowering(
    const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<LoadRowsLowering, LoadValuesLowering, MmaLowering,
               TransposeLowering, ZeroLowering>(converter,
                                                patterns.getContext());
}
