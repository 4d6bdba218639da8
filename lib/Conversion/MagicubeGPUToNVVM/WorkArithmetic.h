//===- WorkArithmetic.h - Arithmetic of dealing work ----------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Short names for the emission of unsigned arithmetic and of loops over what
// the threads of a block share.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_CONVERSION_MAGICUBEGPUTONVVM_WORKARITHMETIC_H
#define MAGICUBE_LIB_CONVERSION_MAGICUBEGPUTONVVM_WORKARITHMETIC_H

#include "Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::magicube_gpu {

/// Unsigned arithmetic on i32.
struct WorkArithmetic {
  Emitter &e;

  Value constant(int64_t value) { return e.constant(value); }
  Value min(Value lhs, Value rhs) {
    return arith::MinUIOp::create(e.b, e.loc, lhs, rhs);
  }
  Value max(Value lhs, Value rhs) {
    return arith::MaxUIOp::create(e.b, e.loc, lhs, rhs);
  }
  Value mul(Value lhs, Value rhs) {
    return arith::MulIOp::create(e.b, e.loc, lhs, rhs);
  }
  Value sub(Value lhs, Value rhs) {
    return arith::SubIOp::create(e.b, e.loc, lhs, rhs);
  }
  Value divide(Value lhs, Value rhs) {
    return arith::DivUIOp::create(e.b, e.loc, lhs, rhs);
  }
  Value ceilDivide(Value lhs, Value rhs) {
    return arith::CeilDivUIOp::create(e.b, e.loc, lhs, rhs);
  }
  Value toSteps(Value positions) {
    return e.shiftRight(positions, llvm::Log2_64(magicube::kStepPositions));
  }
  /// The next multiple of the stride.
  Value pad(Value end, magicube::SRBCRSAttr encoding) {
    int64_t stride = encoding.getStride();
    return e.bitAnd(e.add(end, stride - 1), uint32_t(-stride));
  }
  Value select(Value condition, Value yes, Value no) {
    return arith::SelectOp::create(e.b, e.loc, condition, yes, no);
  }
  Value compare(arith::CmpIPredicate predicate, Value lhs, Value rhs) {
    return arith::CmpIOp::create(e.b, e.loc, predicate, lhs, rhs);
  }
  Value isEqual(Value lhs, Value rhs) {
    return compare(arith::CmpIPredicate::eq, lhs, rhs);
  }
  Value isBelow(Value lhs, Value rhs) { return e.isBelow(lhs, rhs); }
  Value isNotBelow(Value lhs, Value rhs) {
    return compare(arith::CmpIPredicate::uge, lhs, rhs);
  }
  Value either(Value lhs, Value rhs) {
    return arith::OrIOp::create(e.b, e.loc, lhs, rhs);
  }
  Value isEqual(Value lhs, int64_t rhs) { return isEqual(lhs, constant(rhs)); }
  void emitIf(Value condition, function_ref<void()> body) {
    scf::IfOp::create(e.b, e.loc, condition, [&](OpBuilder &, Location) {
      body();
      scf::YieldOp::create(e.b, e.loc);
    });
  }
  /// Runs `body` for i from the thread's number to `limit`, dealt to the
  /// threads; it returns what it makes of `initial`.
  Value forThreads(Value limit, int64_t threads, Value initial,
                   function_ref<Value(Value, Value)> body) {
    return scf::ForOp::create(
               e.b, e.loc, e.threadId(), limit, e.constant(threads),
               ValueRange{initial},
               [&](OpBuilder &, Location, Value i, ValueRange carried) {
                 scf::YieldOp::create(e.b, e.loc, body(i, carried.front()));
               },
               /*unsignedCmp=*/true)
        .getResult(0);
  }
};

/// Pointers in global memory, of `slabs` groups a vector-row.
struct GroupPointers {
  Emitter &e;
  Value pointers;
  magicube::SRBCRSAttr encoding;
  int64_t slabs;

  /// A vector-row's first position, and its padded end.
  Value loadStart(Value row) const { return load(row, 0); }
  Value loadEnd(Value row) const {
    Value end = load(row, slabs * kGroupBytes - sizeof(int32_t));
    return WorkArithmetic{e}.pad(end, encoding);
  }

  /// What is `offset` bytes behind a vector-row's first pointer.
  Value load(Value row, int64_t offset) const {
    Value address =
        e.offset(pointers, e.wideProduct(row, e.constant(slabs * kGroupBytes)));
    return LLVM::LoadOp::create(e.b, e.loc, e.b.getI32Type(),
                                e.offset(address, e.constant(offset)),
                                sizeof(int32_t));
  }
};

} // namespace mlir::magicube_gpu

#endif // MAGICUBE_LIB_CONVERSION_MAGICUBEGPUTONVVM_WORKARITHMETIC_H
