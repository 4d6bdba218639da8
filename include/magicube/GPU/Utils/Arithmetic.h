//===- Arithmetic.h - Short names for kernel code ---------------*- C++ -*-===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits unsigned i32 arithmetic, comparisons and control flow at one place.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_GPU_UTILS_ARITHMETIC_H
#define MAGICUBE_GPU_UTILS_ARITHMETIC_H

#include "magicube/GPU/Utils/EmitLayout.h"
#include "magicube/Target/GpuTarget.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::magicube {

/// Numbers are i32 and unsigned, conditions i1.
class Arithmetic {
public:
  Arithmetic(OpBuilder &builder, Location loc) : b(builder), loc(loc) {}

  Value constant(int64_t value) { return emitConstant(b, loc, value); }

  Value add(Value lhs, Value rhs) {
    return arith::AddIOp::create(b, loc, lhs, rhs);
  }
  Value add(Value lhs, int64_t rhs) { return emitAdd(b, loc, lhs, rhs); }
  Value sub(Value lhs, Value rhs) {
    return arith::SubIOp::create(b, loc, lhs, rhs);
  }
  Value mul(Value lhs, Value rhs) {
    return arith::MulIOp::create(b, loc, lhs, rhs);
  }
  Value mul(Value lhs, int64_t rhs) { return emitMultiply(b, loc, lhs, rhs); }
  Value min(Value lhs, Value rhs) {
    return arith::MinUIOp::create(b, loc, lhs, rhs);
  }
  Value max(Value lhs, Value rhs) {
    return arith::MaxUIOp::create(b, loc, lhs, rhs);
  }
  Value divide(Value lhs, Value rhs) {
    return arith::DivUIOp::create(b, loc, lhs, rhs);
  }
  Value divide(Value lhs, int64_t rhs) { return divide(lhs, constant(rhs)); }
  Value ceilDivide(Value lhs, Value rhs) {
    return arith::CeilDivUIOp::create(b, loc, lhs, rhs);
  }
  Value remainder(Value lhs, int64_t rhs) {
    return arith::RemUIOp::create(b, loc, lhs, constant(rhs));
  }
  Value bitAnd(Value lhs, uint32_t mask) { return emitAnd(b, loc, lhs, mask); }
  Value shiftRight(Value lhs, int64_t amount) {
    return emitShiftLeft(b, loc, lhs, -amount);
  }

  Value compare(arith::CmpIPredicate predicate, Value lhs, Value rhs) {
    return arith::CmpIOp::create(b, loc, predicate, lhs, rhs);
  }
  Value isEqual(Value lhs, Value rhs) {
    return compare(arith::CmpIPredicate::eq, lhs, rhs);
  }
  Value isEqual(Value lhs, int64_t rhs) { return isEqual(lhs, constant(rhs)); }
  Value isDifferent(Value lhs, Value rhs) {
    return compare(arith::CmpIPredicate::ne, lhs, rhs);
  }
  Value isBelow(Value lhs, Value rhs) {
    return compare(arith::CmpIPredicate::ult, lhs, rhs);
  }
  Value isNotBelow(Value lhs, Value rhs) {
    return compare(arith::CmpIPredicate::uge, lhs, rhs);
  }
  Value isPositive(Value value) {
    return compare(arith::CmpIPredicate::ugt, value, constant(0));
  }
  Value both(Value lhs, Value rhs) {
    return arith::AndIOp::create(b, loc, lhs, rhs);
  }
  Value either(Value lhs, Value rhs) {
    return arith::OrIOp::create(b, loc, lhs, rhs);
  }
  Value select(Value condition, Value yes, Value no) {
    return arith::SelectOp::create(b, loc, condition, yes, no);
  }

  /// Zero-extended to 64 bits, and the product of two such numbers (one
  /// mul.wide).
  Value extend(Value value) {
    return arith::ExtUIOp::create(b, loc, b.getI64Type(), value);
  }
  Value wideProduct(Value lhs, Value rhs) {
    return mul(extend(lhs), extend(rhs));
  }

  /// `pointer` plus `bytes` (i32 or i64).
  Value offset(Value pointer, Value bytes) {
    return LLVM::GEPOp::create(b, loc, pointer.getType(), b.getI8Type(),
                               pointer, ValueRange{bytes});
  }

  Value threadId() {
    return toI32(gpu::ThreadIdOp::create(b, loc, gpu::Dimension::x));
  }
  Value laneId() { return bitAnd(threadId(), kWarpSize - 1); }
  Value warpId() { return divide(threadId(), kWarpSize); }
  Value ctaId(gpu::Dimension dimension) {
    return toI32(gpu::BlockIdOp::create(b, loc, dimension));
  }
  Value numCtas(gpu::Dimension dimension) {
    return toI32(gpu::GridDimOp::create(b, loc, dimension));
  }

  void emitIf(Value condition, function_ref<void()> body) {
    scf::IfOp::create(b, loc, condition, [&](OpBuilder &, Location) {
      body();
      scf::YieldOp::create(b, loc);
    });
  }
  /// The values of `yes` or of `no`.
  ResultRange emitIf(Value condition, function_ref<SmallVector<Value>()> yes,
                     function_ref<SmallVector<Value>()> no) {
    return scf::IfOp::create(
               b, loc, condition,
               [&](OpBuilder &, Location) {
                 scf::YieldOp::create(b, loc, yes());
               },
               [&](OpBuilder &, Location) {
                 scf::YieldOp::create(b, loc, no());
               })
        .getResults();
  }
  /// Runs `body` for i from `first` to `limit` in steps of `step`; it returns
  /// what it makes of what is carried, `initial` at first.
  ResultRange emitFor(Value first, Value limit, int64_t step,
                      ValueRange initial,
                      function_ref<SmallVector<Value>(Value, ValueRange)> body,
                      bool isUnsigned = false) {
    return scf::ForOp::create(
               b, loc, first, limit, constant(step), initial,
               [&](OpBuilder &, Location, Value i, ValueRange carried) {
                 scf::YieldOp::create(b, loc, body(i, carried));
               },
               isUnsigned)
        .getResults();
  }
  void emitFor(Value first, Value limit, int64_t step,
               function_ref<void(Value)> body, bool isUnsigned = false) {
    emitFor(
        first, limit, step, ValueRange(),
        [&](Value i, ValueRange) {
          body(i);
          return SmallVector<Value>();
        },
        isUnsigned);
  }

  OpBuilder &b;
  Location loc;

private:
  Value toI32(Value index) {
    return arith::IndexCastOp::create(b, loc, b.getI32Type(), index);
  }
};

} // namespace mlir::magicube

#endif // MAGICUBE_GPU_UTILS_ARITHMETIC_H
