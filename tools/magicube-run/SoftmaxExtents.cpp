//===- SoftmaxExtents.cpp - Extents of a softmax's operands ---------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperationExtents.h"

using namespace mlir;
using namespace mlir::magicube;

LogicalResult mlir::magicube::verifySoftmaxExtents(Operation *operation,
                                                   KnownExtents &known) {
  auto op = cast<SoftmaxOp>(operation);
  if (op.isStorageForm() || !known.contains(op.getScores().front()))
    return success();
  Extents scores = known.lookup(op.getScores().front());
  Extents factors(scores.first, 1);
  auto verify = [&](StringRef name, Value value, const Extents &expected) {
    if (!value || !known.contains(value) || known.lookup(value) == expected)
      return success();
    InFlightDiagnostic diag = op.emitOpError("expected a ");
    diag << name << " of " << str(expected) << ", but got "
         << str(known.lookup(value));
    noteArgument(diag, name, value, known);
    return failure();
  };
  if (Value scale = op.getScale(); scale && !scale.getType().isF32() &&
                                   failed(verify("scale", scale, factors)))
    return failure();
  if (failed(verify("mask", op.getMask(), scores)))
    return failure();
  if (!fits(op.getOutputType(), scores))
    return op.emitOpError("expected a result of ")
           << str(scores) << ", but its type is " << op.getOutputType();
  known[op.getResult()] = scores;
  if (Value result = op.getFactors())
    known[result] = factors;
  return success();
}
