//===- EmitLayout.h - Layouts as instructions -----------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits the function that a LinearLayout describes; the same object gives
// numbers to the packer and the tests.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_GPU_UTILS_EMITLAYOUT_H
#define MAGICUBE_GPU_UTILS_EMITLAYOUT_H

#include "magicube/Layout/LinearLayout.h"
#include "mlir/IR/Builders.h"

namespace mlir::magicube {

/// An i32 constant.
Value emitConstant(OpBuilder &builder, Location loc, int64_t value);

/// i32 arithmetic with a constant; the neutral element emits nothing. `shl` of
/// a negative amount is a logical right shift.
Value emitAnd(OpBuilder &builder, Location loc, Value value, uint32_t mask);
Value emitShiftLeft(OpBuilder &builder, Location loc, Value value,
                    int64_t amount);
Value emitMultiply(OpBuilder &builder, Location loc, Value value,
                   int64_t factor);
Value emitAdd(OpBuilder &builder, Location loc, Value value, int64_t summand);

/// Value of output dimension `output` of `layout` where input dimension `input`
/// is the i32 `value` (below the dimension's size) and the others are 0.
Value emitLayout(OpBuilder &builder, Location loc, const LinearLayout &layout,
                 StringRef input, Value value, StringRef output);

} // namespace mlir::magicube

#endif // MAGICUBE_GPU_UTILS_EMITLAYOUT_H
