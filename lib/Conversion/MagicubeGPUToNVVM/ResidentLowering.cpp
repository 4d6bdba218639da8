//===- ResidentLowering.cpp - Lowering for a resident dense operand -------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What warps fetch of the sparse operand on their own, and what they leave in
// shared memory. The dense operand's slab is a copy: CopyLowering.cpp; the work
// is dealt in DealLowering.cpp.
//
//===----------------------------------------------------------------------===//

#include "StepValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::magicube;
using namespace mlir::magicube_gpu;

//===----------------------------------------------------------------------===//
// The sparse operand
//===----------------------------------------------------------------------===//

namespace {

struct FetchIndicesLowering : OpConversionPattern<FetchIndicesOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(FetchIndicesOp op, OpAdaptor adaptor,
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

struct FetchValuesLowering : OpConversionPattern<FetchValuesOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(FetchValuesOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emitter e(rewriter, op.getLoc());
    StepValues values(op.getEncoding(), op.getStep());
    SmallVector<Value> words;
    for (int32_t i = 0; i < values.step.fragments(); ++i) {
      Value lane = values.getLaneOffset(e, i, op.getEncoding().getStride());
      // The lane's part first: it is the same for all steps.
      Value address = e.offset(e.offset(adaptor.getValues(), lane),
                               values.getStepOffset(e, adaptor.getPosition()));
      llvm::append_range(words, values.load(e, address));
    }
    rewriter.replaceOpWithMultiple(op, {words});
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Fragments in shared memory
//===----------------------------------------------------------------------===//

/// Address of a lane's first register of `count` in place `slot` of a tile:
/// registers one after another, each for all lanes.
static constexpr int64_t kRegisterBytes = kWarpSize * sizeof(int32_t);

static Value getSlotAddress(Emitter &e, Value tile, Value slot, int64_t count) {
  Value lane = e.mul(e.laneId(), sizeof(int32_t));
  return e.offset(e.offset(tile, lane), e.mul(slot, count * kRegisterBytes));
}

/// Runs `body` on the address of each of a warp's registers in shared memory,
/// and what the register holds.
template <typename Adaptor>
static void forRegisters(Emitter &e, Adaptor adaptor,
                         function_ref<void(Value, Value)> body) {
  SmallVector<Value> registers;
  for (ValueRange fragment : adaptor.getFragments())
    llvm::append_range(registers, fragment);
  Value address = getSlotAddress(e, adaptor.getTile().front(),
                                 adaptor.getSlot().front(), registers.size());
  for (auto [i, value] : llvm::enumerate(registers))
    body(e.offset(address, e.constant(i * kRegisterBytes)), value);
}

struct SaveFragmentsLowering : OpConversionPattern<SaveFragmentsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(SaveFragmentsOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emitter e(rewriter, op.getLoc());
    forRegisters(e, adaptor, [&](Value address, Value value) {
      LLVM::StoreOp::create(rewriter, op.getLoc(), value, address,
                            sizeof(int32_t));
    });
    rewriter.eraseOp(op);
    return success();
  }
};

struct AddFragmentsLowering : OpConversionPattern<AddFragmentsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(AddFragmentsOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emitter e(rewriter, op.getLoc());
    forRegisters(e, adaptor, [&](Value address, Value value) {
      LLVM::AtomicRMWOp::create(rewriter, op.getLoc(), LLVM::AtomicBinOp::add,
                                address, value, LLVM::AtomicOrdering::monotonic,
                                /*syncscope=*/"block", sizeof(int32_t));
    });
    rewriter.eraseOp(op);
    return success();
  }
};

struct RestoreFragmentsLowering : OpConversionPattern<RestoreFragmentsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(RestoreFragmentsOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emitter e(rewriter, op.getLoc());
    int64_t count = 0;
    for (Type type : op.getFragments().getTypes())
      count += cast<FragmentType>(type).getNumRegisters();
    Value address =
        getSlotAddress(e, adaptor.getTile(), adaptor.getSlot(), count);
    SmallVector<SmallVector<Value>> fragments;
    int64_t next = 0;
    for (Type type : op.getFragments().getTypes()) {
      SmallVector<Value> &registers = fragments.emplace_back();
      for (int64_t i = 0; i < cast<FragmentType>(type).getNumRegisters(); ++i)
        registers.push_back(LLVM::LoadOp::create(
            rewriter, op.getLoc(), rewriter.getI32Type(),
            e.offset(address, e.constant(next++ * kRegisterBytes)),
            sizeof(int32_t)));
    }
    rewriter.replaceOpWithMultiple(op, std::move(fragments));
    return success();
  }
};

} // namespace

void mlir::magicube_gpu::populateResidentLowering(
    const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<AddFragmentsLowering, FetchIndicesLowering, FetchValuesLowering,
               RestoreFragmentsLowering, SaveFragmentsLowering>(
      converter, patterns.getContext());
}
