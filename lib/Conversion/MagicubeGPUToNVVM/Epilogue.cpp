//===- Epilogue.cpp - From sums to results --------------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every operation rounds to nearest even; nothing is fused.
//
//===----------------------------------------------------------------------===//

#include "Epilogue.h"

#include "Gelu.h"
#include "Silu.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::magicube;
using namespace mlir::magicube_gpu;

/// Element `index` of type `type` of an epilogue operand in memory.
static Value read(Emitter &e, Value operand, Type type, Value index) {
  Value address = LLVM::GEPOp::create(e.b, e.loc, operand.getType(), type,
                                      operand, ValueRange{e.extend(index)});
  return LLVM::LoadOp::create(e.b, e.loc, type, address);
}

static Value emitActivation(Emitter &e, Activation activation, Value value) {
  switch (activation) {
  case Activation::Relu: {
    Value zero = arith::ConstantFloatOp::create(e.b, e.loc, e.b.getF32Type(),
                                                APFloat(0.0f));
    Value isPositive = arith::CmpFOp::create(
        e.b, e.loc, arith::CmpFPredicate::OGT, value, zero);
    return arith::SelectOp::create(e.b, e.loc, isPositive, value, zero);
  }
  case Activation::Gelu:
    return emitGelu(e.b, e.loc, value);
  case Activation::Silu:
    return emitSilu(e.b, e.loc, value);
  }
}

/// An f32 as the nearest integer, even ones first, of the range of `bits` bits;
/// a NaN as 0 (PTX ISA "cvt": `.rni`, and the range of s32).
static Value emitQuantize(Emitter &e, Value value, unsigned bits,
                          bool isUnsigned) {
  Type i32 = e.b.getI32Type();
  Value rounded = LLVM::CallIntrinsicOp::create(
                      e.b, e.loc, i32, e.b.getStringAttr("llvm.nvvm.f2i.rn"),
                      ValueRange{value})
                      .getResult(0);
  int64_t least = isUnsigned ? 0 : llvm::minIntN(bits);
  int64_t largest =
      isUnsigned ? int64_t(llvm::maxUIntN(bits)) : llvm::maxIntN(bits);
  Value bounded =
      arith::MaxSIOp::create(e.b, e.loc, rounded, e.constant(least));
  return arith::MinSIOp::create(e.b, e.loc, bounded, e.constant(largest));
}

/// `value`, of f32, after one step.
static Value emitStep(Emitter &e, EpilogueRole role, Value value,
                      Value operand) {
  switch (role) {
  case EpilogueRole::SumBias: // has been added to the sum
    return value;
  case EpilogueRole::Scale:
    return arith::MulFOp::create(e.b, e.loc, value, operand);
  case EpilogueRole::Bias:
    return arith::AddFOp::create(e.b, e.loc, value, operand);
  }
}

namespace {

/// The epilogue of one element.
struct ElementEmitter {
  Emitter &e;
  Epilogue<BroadcastAxis> epilogue;
  /// In the order of the description's operands.
  ValueRange operands;
  /// Null if all operands are numbers.
  Value row, column;

  /// The value of an operand for the element.
  Value readOperand(BroadcastAxis axis, Type type, Value operand) {
    switch (axis) {
    case BroadcastAxis::None:
      return operand;
    case BroadcastAxis::Row:
      return read(e, operand, type, row);
    case BroadcastAxis::Column:
      return read(e, operand, type, column);
    }
  }

  /// Operation by operation: of the result's type or, for i8 and i4, an i32 in
  /// their range.
  Value emit(Value sum) {
    Type f32 = e.b.getF32Type(), i32 = e.b.getI32Type();
    for (auto [step, operand] : llvm::zip_equal(epilogue.operands, operands))
      if (isInteger(step.role))
        sum = e.add(sum, readOperand(step.ref, i32, operand));
    const auto *integer = std::get_if<ElementType>(&epilogue.element);
    if (integer && integer->bits == 32)
      return sum;
    Value value = sum;
    if (!epilogue.hasFloatSums)
      value = arith::SIToFPOp::create(e.b, e.loc, f32, sum);
    for (auto [step, operand] : llvm::zip_equal(epilogue.operands, operands))
      if (!isInteger(step.role))
        value =
            emitStep(e, step.role, value, readOperand(step.ref, f32, operand));
    if (epilogue.activation)
      value = emitActivation(e, *epilogue.activation, value);
    if (integer)
      return emitQuantize(e, value, integer->bits, !integer->isSigned);
    Type type = getElementType(e.b.getContext(), epilogue.element);
    if (type.isF32())
      return value;
    return arith::TruncFOp::create(e.b, e.loc, type, value);
  }
};

struct EpilogueLowering : OpConversionPattern<EpilogueOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(EpilogueOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emitter e(rewriter, op.getLoc());
    SmallVector<Value> operands;
    for (ValueRange input : adaptor.getInputs())
      operands.push_back(input.front());
    auto first = [](ValueRange values) {
      return values.empty() ? Value() : values.front();
    };
    ElementEmitter element{e, op.getEpilogue().getDescription(), operands,
                           first(adaptor.getRow()), first(adaptor.getColumn())};
    if (!isa<FragmentType>(op.getSum().getType())) {
      rewriter.replaceOp(op, element.emit(adaptor.getSum().front()));
      return success();
    }
    // Registers are i32, whatever is in them.
    auto castTo = [&](Value value, Type type) -> Value {
      if (value.getType() == type)
        return value;
      return arith::BitcastOp::create(rewriter, op.getLoc(), type, value);
    };
    Type sum = element.epilogue.hasFloatSums ? Type(rewriter.getF32Type())
                                             : rewriter.getI32Type();
    SmallVector<Value> registers;
    for (Value value : adaptor.getSum())
      registers.push_back(
          castTo(element.emit(castTo(value, sum)), rewriter.getI32Type()));
    rewriter.replaceOpWithMultiple(op, {registers});
    return success();
  }
};

struct LaneIdLowering : OpConversionPattern<LaneIdOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(LaneIdOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, Emitter(rewriter, op.getLoc()).laneId());
    return success();
  }
};

} // namespace

Value mlir::magicube_gpu::emitElement(Emitter &e, Region &region, Value sum,
                                      Value row, Value column) {
  if (region.empty())
    return sum;
  // Registers are i32, whatever is in them.
  Block &body = region.front();
  if (body.getArgument(0).getType().isF32())
    sum = arith::BitcastOp::create(e.b, e.loc, e.b.getF32Type(), sum);
  IRMapping mapping;
  mapping.map(body.getArguments(), ArrayRef<Value>{sum, row, column});
  for (Operation &inner : body.without_terminator())
    e.b.clone(inner, mapping);
  return mapping.lookupOrDefault(
      cast<YieldOp>(body.getTerminator()).getElement());
}

void mlir::magicube_gpu::populateEpilogueLowering(
    const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<EpilogueLowering, LaneIdLowering>(converter,
                                                  patterns.getContext());
}
