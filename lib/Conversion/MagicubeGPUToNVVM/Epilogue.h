//===- Epilogue.h - From sums to results ----------------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What becomes of an element before it is stored, and the stores of results of
// less than 16 bits.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_CONVERSION_MAGICUBEGPUTONVVM_EPILOGUE_H
#define MAGICUBE_LIB_CONVERSION_MAGICUBEGPUTONVVM_EPILOGUE_H

#include "Lowering.h"

namespace mlir::magicube_gpu {

using StoreResultAdaptor = StoreResultOp::GenericAdaptor<ArrayRef<ValueRange>>;

/// The value that `body`, a store's, makes of the sum in register `sum`, at
/// (`row`, `column`) of the result: the sum itself without a body.
Value emitElement(Emitter &e, Region &body, Value sum, Value row, Value column);

/// Finishes and stores results of 8 and 4 bits. `parts` are the registers of
/// the operation's fragments.
void emitNarrowResults(Emitter &e, StoreResultOp op, StoreResultAdaptor adaptor,
                       const magicube::DenseOperand &operand,
                       ArrayRef<ValueRange> parts);

/// Trades values between lanes, see LaneExchange: a lane sends the value of
/// each pair whose bit differs from its own and takes the other's instead.
void emitExchange(Emitter &e, magicube::LaneExchange exchange, Value lane,
                  MutableArrayRef<Value> values);

} // namespace mlir::magicube_gpu

#endif // MAGICUBE_LIB_CONVERSION_MAGICUBEGPUTONVVM_EPILOGUE_H
