//===- Epilogue.h - From sums to results ----------------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What store_result does to an element before it is stored, and the stores of
// results of less than 16 bits.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_CONVERSION_MAGICUBEGPUTONVVM_EPILOGUE_H
#define MAGICUBE_LIB_CONVERSION_MAGICUBEGPUTONVVM_EPILOGUE_H

#include "Lowering.h"

namespace mlir::magicube_gpu {

using StoreResultAdaptor = StoreResultOp::GenericAdaptor<ArrayRef<ValueRange>>;

/// The result of element (`row`, `column`), whose accumulator register is
/// `sum`, operation by operation: of the result's type or, for i8 and i4, an
/// i32 in their range. Reads scales and biases of that row and column.
Value emitEpilogue(Emitter &e, StoreResultOp op, StoreResultAdaptor adaptor,
                   Value sum, Value row, Value column);

/// Finishes and stores results of 8 and 4 bits. `parts` are the registers of
/// the fragments after the operand's exchange.
void emitNarrowResults(Emitter &e, StoreResultOp op, StoreResultAdaptor adaptor,
                       const magicube::DenseOperand &operand, Value lane,
                       ArrayRef<SmallVector<Value>> parts);

/// Trades values between lanes, see LaneExchange: a lane sends the value of
/// each pair whose bit differs from its own and takes the other's instead.
void emitExchange(Emitter &e, magicube::LaneExchange exchange, Value lane,
                  MutableArrayRef<Value> values);

} // namespace mlir::magicube_gpu

#endif // MAGICUBE_LIB_CONVERSION_MAGICUBEGPUTONVVM_EPILOGUE_H
