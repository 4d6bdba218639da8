//===- FloatArithmetic.h - Short names for arithmetic on f32 ----*- C++ -*-===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits operations that round to nearest even, one by one: the same bits on
// every device.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_GPU_UTILS_FLOATARITHMETIC_H
#define MAGICUBE_GPU_UTILS_FLOATARITHMETIC_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace mlir::magicube {

/// Numbers are f32, words i32.
struct FloatArithmetic {
  OpBuilder &b;
  Location loc;

  Value constant(float value) {
    return arith::ConstantFloatOp::create(b, loc, b.getF32Type(),
                                          APFloat(value));
  }
  Value add(Value x, Value y) { return arith::AddFOp::create(b, loc, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, loc, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, loc, x, y); }
  Value divide(Value x, Value y) { return arith::DivFOp::create(b, loc, x, y); }
  Value neg(Value x) { return arith::NegFOp::create(b, loc, x); }
  /// The larger one; the other one if one of them is a NaN.
  Value max(Value x, Value y) {
    // arith.maxnumf would become a call of libdevice.
    return LLVM::MaxNumOp::create(b, loc, x, y);
  }
  /// x * y + z with one rounding.
  Value fma(Value x, Value y, Value z) {
    return LLVM::FMAOp::create(b, loc, x, y, z);
  }
  /// The same within [0, 1]; a NaN becomes 0 (PTX ISA "fma", .sat).
  Value saturatedFma(Value x, Value y, Value z) {
    return call("llvm.nvvm.fma.rn.sat.f", b.getF32Type(), {x, y, z});
  }
  Value polynomial(ArrayRef<float> coefficients, Value x) {
    Value sum = constant(coefficients.back());
    for (float coefficient : llvm::reverse(coefficients.drop_back()))
      sum = fma(sum, x, constant(coefficient));
    return sum;
  }

  Value compare(arith::CmpFPredicate predicate, Value x, Value y) {
    return arith::CmpFOp::create(b, loc, predicate, x, y);
  }
  Value select(Value condition, Value yes, Value no) {
    return arith::SelectOp::create(b, loc, condition, yes, no);
  }
  /// `otherwise` also of a NaN.
  Value ifAbove(Value x, Value bound, Value above, Value otherwise) {
    return select(compare(arith::CmpFPredicate::OGT, x, bound), above,
                  otherwise);
  }

  /// An unsigned word, or one of 64 bits, as the nearest number.
  Value fromUnsigned(Value x) {
    return arith::UIToFPOp::create(b, loc, b.getF32Type(), x);
  }
  /// The nearest unsigned word, even ones first; 0 of a NaN (PTX ISA "cvt",
  /// .rni).
  Value toUnsigned(Value x) {
    return call("llvm.nvvm.f2ui.rn", b.getI32Type(), x);
  }

  Value bits(Value x) {
    return arith::BitcastOp::create(b, loc, b.getI32Type(), x);
  }
  Value fromBits(Value x) {
    return arith::BitcastOp::create(b, loc, b.getF32Type(), x);
  }
  Value word(int32_t value) {
    return arith::ConstantIntOp::create(b, loc, value, /*width=*/32);
  }
  Value absolute(Value x) {
    constexpr int32_t allButSign = 0x7FFFFFFF;
    return fromBits(arith::AndIOp::create(b, loc, bits(x), word(allButSign)));
  }
  /// 2^n, where `rounded` is kFloatRounder + n, for n from -126 to 127.
  Value powerOfTwo(Value rounded) {
    constexpr int32_t mantissaBits = 23, one = 0x3F800000; // bits of 1.0f
    Value exponent =
        arith::ShLIOp::create(b, loc, bits(rounded), word(mantissaBits));
    return fromBits(arith::AddIOp::create(b, loc, exponent, word(one)));
  }

private:
  Value call(StringRef intrinsic, Type result, ValueRange operands) {
    return LLVM::CallIntrinsicOp::create(b, loc, result,
                                         b.getStringAttr(intrinsic), operands)
        .getResult(0);
  }
};

} // namespace mlir::magicube

#endif // MAGICUBE_GPU_UTILS_FLOATARITHMETIC_H
