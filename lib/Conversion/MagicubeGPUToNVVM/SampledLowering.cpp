//===- SampledLowering.cpp - Lowering of loads and splits of chunks -------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Words of rows with K contiguous, from global memory, and MMA operands of
// them.
//
//===----------------------------------------------------------------------===//

#include "SampledStore.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::magicube;
using namespace mlir::magicube_gpu;

static constexpr int64_t kWordBytes = sizeof(int32_t);

namespace {

struct LdgWordsLowering : OpConversionPattern<LdgWordsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(LdgWordsOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emitter e(rewriter, op.getLoc());
    int64_t bytes = op.getWords().getType().getCount() * kWordBytes;
    int64_t alignment = op.getAlignment();
    int64_t width = std::min(bytes, std::max(alignment, kWordBytes));
    SmallVector<Value> words;
    for (int64_t done = 0; done < bytes; done += width)
      emitLoad(e, op, adaptor, done, width, words);
    rewriter.replaceOpWithMultiple(op, {words});
    return success();
  }

private:
  /// The `width` bytes from byte `done` of the words on.
  static void emitLoad(Emitter &e, LdgWordsOp op, OneToNOpAdaptor adaptor,
                       int64_t done, int64_t width,
                       SmallVectorImpl<Value> &words) {
    Value pointer = adaptor.getPointer().front();
    int64_t offset = static_cast<int64_t>(op.getOffset()) + done;
    if (op.getAlignment() == 1 && op.getLimit()) {
      words.push_back(
          emitBytes(e, pointer, adaptor.getLimit().front(), offset));
      return;
    }
    Value place = e.constant(offset);
    if (op.getLimit())
      place = clamp(e, adaptor.getLimit().front(), offset, width);
    unsigned alignment =
        std::min<int64_t>(width, static_cast<int64_t>(op.getAlignment()));
    Value address =
        LLVM::GEPOp::create(e.b, e.loc, pointer.getType(), e.b.getI8Type(),
                            pointer, ValueRange{place});
    int64_t count = width / kWordBytes;
    Type word = e.b.getI32Type();
    Type type = count == 1 ? word : VectorType::get(count, word);
    Value loaded = LLVM::LoadOp::create(e.b, e.loc, type, address, alignment);
    if (count == 1) {
      words.push_back(loaded);
      return;
    }
    for (int64_t i = 0; i < count; ++i)
      words.push_back(
          LLVM::ExtractElementOp::create(e.b, e.loc, loaded, e.constant(i)));
  }

  /// `offset`, or where the last `width` bytes of the row begin. Signed, like
  /// the index of an address.
  static Value clamp(Emitter &e, Value limit, int64_t offset, int64_t width) {
    return arith::MinSIOp::create(e.b, e.loc, e.constant(offset),
                                  e.add(limit, -width));
  }

  /// A word of bytes that are inside of the row each: it may have fewer than a
  /// word.
  static Value emitBytes(Emitter &e, Value pointer, Value limit,
                         int64_t offset) {
    constexpr int64_t byteBits = 8;
    Value word;
    for (int64_t i = 0; i < kWordBytes; ++i) {
      Value address = LLVM::GEPOp::create(
          e.b, e.loc, pointer.getType(), e.b.getI8Type(), pointer,
          ValueRange{clamp(e, limit, offset + i, /*width=*/1)});
      Value byte = arith::ExtUIOp::create(
          e.b, e.loc, e.b.getI32Type(),
          LLVM::LoadOp::create(e.b, e.loc, e.b.getI8Type(), address, 1));
      Value shifted = emitShiftLeft(e.b, e.loc, byte, i * byteBits);
      word = word ? arith::OrIOp::create(e.b, e.loc, word, shifted) : shifted;
    }
    return word;
  }
};

struct MaskWordsLowering : OpConversionPattern<MaskWordsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(MaskWordsOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emitter e(rewriter, op.getLoc());
    constexpr int64_t wordBits = 32;
    int64_t bits = op.getBits(), perWord = wordBits / bits;
    Value count = adaptor.getCount().front();
    SmallVector<Value> words;
    for (auto [i, word] : llvm::enumerate(adaptor.getWords())) {
      // Elements of this word that stay.
      Value left = e.add(count, -static_cast<int64_t>(i) * perWord);
      left = arith::MaxSIOp::create(e.b, e.loc, left, e.constant(0));
      left = arith::MinSIOp::create(e.b, e.loc, left, e.constant(perWord));
      // A shift by all bits of a word is none that LLVM defines.
      Value isWhole = e.isEqual(left, perWord);
      Value amount = e.select(isWhole, e.constant(0), e.mul(left, bits));
      Value low =
          e.add(arith::ShLIOp::create(e.b, e.loc, e.constant(1), amount), -1);
      Value mask = e.select(isWhole, e.constant(-1), low);
      words.push_back(arith::AndIOp::create(e.b, e.loc, word, mask));
    }
    rewriter.replaceOpWithMultiple(op, {words});
    return success();
  }
};

struct SplitChunkLowering : OpConversionPattern<SplitChunkOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(SplitChunkOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emitter e(rewriter, op.getLoc());
    ChunkLayout chunk = op.getChunk().getChunkLayout();
    bool isA = op.getRows().size() > 1;
    const ChunkOperand &operand = isA ? chunk.rhs : chunk.lhs;
    // By plane, row and register.
    SmallVector<SmallVector<SmallVector<Value>>> planes;
    for (auto [p, plane] : llvm::enumerate(operand.planes)) {
      auto fragment = cast<FragmentType>(op.getFragments()[p].getType());
      planes.emplace_back();
      for (ValueRange words : adaptor.getRows())
        planes.back().push_back(
            emitPlane(e, operand, plane, fragment, op.getBiased(), words));
    }
    SmallVector<SmallVector<Value>> fragments;
    for (int32_t slice = 0; slice < chunk.slices(); ++slice)
      for (const auto &rows : planes) {
        SmallVector<Value> &registers = fragments.emplace_back();
        int32_t count = isA ? chunk.mma->aRegisters() : chunk.mma->bRegisters();
        for (int32_t reg = 0; reg < count; ++reg) {
          int32_t row = isA ? chunk.rowOfA(reg) : 0;
          int32_t word =
              isA ? chunk.wordOfA(slice, reg) : chunk.wordOfB(slice, reg);
          registers.push_back(rows[row][word]);
        }
      }
    rewriter.replaceOpWithMultiple(op, std::move(fragments));
    return success();
  }

private:
  /// The registers of a plane of one row, in the order of K.
  static SmallVector<Value> emitPlane(Emitter &e, const ChunkOperand &operand,
                                      const OperandPlane &plane,
                                      FragmentType fragment, bool isBiased,
                                      ValueRange words) {
    auto element = cast<IntegerType>(fragment.getElementType());
    bool isExtended = plane.isHalf() && element.isSigned();
    SmallVector<Value> registers;
    for (const OperandRegister &source : plane.registers) {
      // Flips the signs of nibbles, which adds 8.
      Value value = e.takeHalf(e.permuteBytes(source.permute, words),
                               source.half, isBiased ? kNibbleBias : 0);
      registers.push_back(isExtended ? e.extendNibbles(value) : value);
    }
    if (operand.order.empty())
      return registers;
    SmallVector<Value> ordered;
    for (const BytePermute &permute : operand.order)
      ordered.push_back(e.permuteBytes(permute, registers));
    return ordered;
  }
};

struct StoreVectorsLowering : OpConversionPattern<StoreVectorsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(StoreVectorsOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emitter e(rewriter, op.getLoc());
    emitSampledStore(e, op, adaptor);
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void mlir::magicube_gpu::populateSampledLowering(const TypeConverter &converter,
                                                 RewritePatternSet &patterns) {
  patterns.add<LdgWordsLowering, MaskWordsLowering, SplitChunkLowering,
               StoreVectorsLowering>(converter, patterns.getContext());
}
