//===- SharedFragmentLowering.cpp - Fragments in shared memory ------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What warps leave in shared memory for one another, or add up there.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::magicube;
using namespace mlir::magicube_gpu;

static constexpr int64_t kRegisterBytes = kWarpSize * sizeof(int32_t);

/// Address of a lane's first register of `count` in place `slot` of a tile:
/// registers one after another, each for all lanes.
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

namespace {

struct StsFragmentsLowering : OpConversionPattern<StsFragmentsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(StsFragmentsOp op, OneToNOpAdaptor adaptor,
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

struct LdsFragmentsLowering : OpConversionPattern<LdsFragmentsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(LdsFragmentsOp op, OpAdaptor adaptor,
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

void mlir::magicube_gpu::populateSharedFragmentLowering(
    const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns
      .add<AddFragmentsLowering, LdsFragmentsLowering, StsFragmentsLowering>(
          converter, patterns.getContext());
}
