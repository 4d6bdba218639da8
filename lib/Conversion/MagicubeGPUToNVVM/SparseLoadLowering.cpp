//===- SparseLoadLowering.cpp - Sparse operand to registers ---------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What warps load of the sparse operand on their own.
//
//===----------------------------------------------------------------------===//

#include "StepValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::magicube;
using namespace mlir::magicube_gpu;

namespace {

struct LdgIndicesLowering : OpConversionPattern<LdgIndicesOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(LdgIndicesOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emitter e(rewriter, op.getLoc());
    Location loc = op.getLoc();
    SRBCRSAttr encoding = op.getEncoding();
    StepLayout step = op.getStep().getStepLayout();
    Value lanePosition =
        e.apply(step.gather, dim::lane, e.laneId(), dim::position);
    bool isU16 = encoding.getIndex() == IndexWidth::U16;
    Type type = isU16 ? rewriter.getI16Type() : rewriter.getI32Type();
    auto advance = [&](Value base, Value positions) -> Value {
      return LLVM::GEPOp::create(rewriter, loc, base.getType(), type, base,
                                 ValueRange{positions});
    };
    // The lane's part first: it is the same for all steps.
    Value address = advance(advance(adaptor.getIndices(), lanePosition),
                            e.extend(adaptor.getPosition()));
    SmallVector<Value> columns;
    for (Value index : load(e, step, type, address))
      columns.push_back(isU16 ? arith::ExtUIOp::create(
                                    rewriter, loc, rewriter.getI32Type(), index)
                              : index);
    rewriter.replaceOp(op, columns);
    return success();
  }

private:
  /// The indices of a lane's calls from `address` on; those that follow one
  /// another in one load.
  static SmallVector<Value> load(Emitter &e, const StepLayout &step, Type type,
                                 Value address) {
    int64_t bytes = type.getIntOrFloatBitWidth() / 8;
    auto position = [&](int32_t call) {
      return step.gather.apply({{dim::call, call}}, dim::position);
    };
    int32_t calls = step.calls();
    bool isRun = calls > 1;
    for (int32_t call = 0; call < calls; ++call)
      isRun &= position(call) == call;
    SmallVector<Value> indices;
    if (!isRun) {
      for (int32_t call = 0; call < calls; ++call)
        indices.push_back(LLVM::LoadOp::create(
            e.b, e.loc, type,
            e.offset(address, e.constant(position(call) * bytes)), bytes));
      return indices;
    }
    Value run = LLVM::LoadOp::create(e.b, e.loc, VectorType::get(calls, type),
                                     address, calls * bytes);
    for (int32_t call = 0; call < calls; ++call)
      indices.push_back(
          LLVM::ExtractElementOp::create(e.b, e.loc, run, e.constant(call)));
    return indices;
  }
};

struct LdgValuesLowering : OpConversionPattern<LdgValuesOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(LdgValuesOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emitter e(rewriter, op.getLoc());
    StepValues values(op.getEncoding(), op.getStep());
    SmallVector<Value> words;
    for (int32_t i = 0; i < values.step.fragments(); ++i) {
      Value lane =
          values.getLaneOffset(e, i, op.getEncoding().getFormat().valueOrder());
      // The lane's part first: it is the same for all steps.
      Value address = e.offset(e.offset(adaptor.getValues(), lane),
                               values.getStepOffset(e, adaptor.getPosition()));
      llvm::append_range(words, values.load(e, address));
    }
    rewriter.replaceOpWithMultiple(op, {words});
    return success();
  }
};

} // namespace

void mlir::magicube_gpu::populateSparseLoadLowering(
    const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<LdgIndicesLowering, LdgValuesLowering>(converter,
                                                      patterns.getContext());
}
