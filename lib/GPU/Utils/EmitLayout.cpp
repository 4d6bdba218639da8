//===- EmitLayout.cpp - Layouts as instructions ---------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Masks, shifts and XORs from the bit fields of a LinearLayout.
//
//===----------------------------------------------------------------------===//

#include "magicube/GPU/Utils/EmitLayout.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::magicube;

Value mlir::magicube::emitConstant(OpBuilder &builder, Location loc,
                                   int64_t value) {
  return arith::ConstantIntOp::create(builder, loc, value, /*width=*/32);
}

Value mlir::magicube::emitAnd(OpBuilder &builder, Location loc, Value value,
                              uint32_t mask) {
  return arith::AndIOp::create(builder, loc, value,
                               emitConstant(builder, loc, int32_t(mask)));
}

Value mlir::magicube::emitShiftLeft(OpBuilder &builder, Location loc,
                                    Value value, int64_t amount) {
  if (amount == 0)
    return value;
  if (amount < 0)
    return arith::ShRUIOp::create(builder, loc, value,
                                  emitConstant(builder, loc, -amount));
  return arith::ShLIOp::create(builder, loc, value,
                               emitConstant(builder, loc, amount));
}

Value mlir::magicube::emitMultiply(OpBuilder &builder, Location loc,
                                   Value value, int64_t factor) {
  if (factor == 1)
    return value;
  return arith::MulIOp::create(builder, loc, value,
                               emitConstant(builder, loc, factor));
}

Value mlir::magicube::emitAdd(OpBuilder &builder, Location loc, Value value,
                              int64_t summand) {
  if (summand == 0)
    return value;
  return arith::AddIOp::create(builder, loc, value,
                               emitConstant(builder, loc, summand));
}

Value mlir::magicube::emitLayout(OpBuilder &builder, Location loc,
                                 const LinearLayout &layout, StringRef input,
                                 Value value, StringRef output) {
  uint32_t allBits = layout.inputSize(input) - 1;
  Value result;
  for (const BitField &field : layout.fields(input, output)) {
    Value bits = field.mask == allBits
                     ? value
                     : emitAnd(builder, loc, value, field.mask);
    bits = emitShiftLeft(builder, loc, bits, field.leftShift);
    result = result ? arith::XOrIOp::create(builder, loc, result, bits) : bits;
  }
  return result ? result : emitConstant(builder, loc, 0);
}
