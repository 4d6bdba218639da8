//===- WordLowering.cpp - Lowering of tables in shared memory -------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads, stores and copies of single words, and the optimization barrier.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::magicube;
using namespace mlir::magicube_gpu;

static constexpr int64_t kWordBytes = sizeof(int32_t);

namespace {

struct LdsWordsLowering : OpConversionPattern<LdsWordsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(LdsWordsOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emitter e(rewriter, op.getLoc());
    int64_t count = op.getNumResults();
    Type word = rewriter.getI32Type();
    Type type = count == 1 ? word : VectorType::get(count, word);
    Value loaded = LLVM::LoadOp::create(
        rewriter, op.getLoc(), type,
        e.offset(adaptor.getTile(), adaptor.getByte()), count * kWordBytes);
    SmallVector<Value> words = {loaded};
    if (count > 1) {
      words.clear();
      for (int64_t i = 0; i < count; ++i)
        words.push_back(LLVM::ExtractElementOp::create(rewriter, op.getLoc(),
                                                       loaded, e.constant(i)));
    }
    rewriter.replaceOp(op, words);
    return success();
  }
};

struct StsWordsLowering : OpConversionPattern<StsWordsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(StsWordsOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emitter e(rewriter, op.getLoc());
    ValueRange words = adaptor.getWords();
    int64_t count = words.size();
    Value stored = words.front();
    if (count > 1) {
      auto type = VectorType::get(count, rewriter.getI32Type());
      stored = LLVM::PoisonOp::create(rewriter, op.getLoc(), type);
      for (auto [i, word] : llvm::enumerate(words))
        stored = LLVM::InsertElementOp::create(rewriter, op.getLoc(), stored,
                                               word, e.constant(i));
    }
    rewriter.replaceOpWithNewOp<LLVM::StoreOp>(
        op, stored, e.offset(adaptor.getTile(), adaptor.getByte()),
        count * kWordBytes);
    return success();
  }
};

struct CpAsyncWordsLowering : OpConversionPattern<CpAsyncWordsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(CpAsyncWordsOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emitter e(rewriter, op.getLoc());
    int64_t bytes = op.getBytes();
    Value destination = e.offset(adaptor.getTile(), adaptor.getByte());
    rewriter.replaceOpWithNewOp<NVVM::CpAsyncOp>(
        op, destination, e.offset(adaptor.getSource(), adaptor.getOffset()),
        bytes, getCacheModifier(bytes), /*cpSize=*/Value());
    return success();
  }
};

struct OptimizationBarrierLowering
    : OpConversionPattern<OptimizationBarrierOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(OptimizationBarrierOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emitter e(rewriter, op.getLoc());
    rewriter.replaceOp(op, e.hidden(adaptor.getValue()));
    return success();
  }
};

} // namespace

void mlir::magicube_gpu::populateWordLowering(const TypeConverter &converter,
                                              RewritePatternSet &patterns) {
  patterns.add<CpAsyncWordsLowering, LdsWordsLowering,
               OptimizationBarrierLowering, StsWordsLowering>(
      converter, patterns.getContext());
}
