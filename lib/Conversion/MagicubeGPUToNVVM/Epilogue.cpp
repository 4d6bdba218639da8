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

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

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

Value mlir::magicube_gpu::emitEpilogue(Emitter &e, StoreResultOp op,
                                       StoreResultAdaptor adaptor, Value sum,
                                       Value row, Value column) {
  Type f32 = e.b.getF32Type(), i32 = e.b.getI32Type();
  auto pick = [&](int64_t axis) { return axis == 0 ? row : column; };
  auto readFloat = [&](Value operand, int64_t axis) {
    return operand.getType().isF32() ? operand
                                     : read(e, operand, f32, pick(axis));
  };
  if (op.getSumBias())
    sum = e.add(sum, read(e, adaptor.getSumBias().front(), i32,
                          pick(op.getSumBiasAxis())));
  Type type = op.getResultType();
  if (type.isInteger(32))
    return sum;
  // Registers are i32, whatever is in them.
  auto fragment = cast<FragmentType>(op.getFragments().front().getType());
  Value value = fragment.getElementType().isF32()
                    ? arith::BitcastOp::create(e.b, e.loc, f32, sum).getResult()
                    : arith::SIToFPOp::create(e.b, e.loc, f32, sum).getResult();
  for (auto [scale, axis] :
       llvm::zip_equal(adaptor.getScales(), op.getScaleAxes()))
    value = arith::MulFOp::create(e.b, e.loc, value,
                                  readFloat(scale.front(), axis));
  if (op.getBias())
    value = arith::AddFOp::create(
        e.b, e.loc, value,
        readFloat(adaptor.getBias().front(), op.getBiasAxis()));
  if (std::optional<Activation> activation = op.getActivation())
    value = emitActivation(e, *activation, value);
  if (type.isInteger())
    return emitQuantize(e, value, type.getIntOrFloatBitWidth(),
                        op.getUnsignedResult());
  if (type.isF32())
    return value;
  return arith::TruncFOp::create(e.b, e.loc, type, value);
}
