//===- SddmmExtents.cpp - Extents of a sampled product's operands ---------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperationExtents.h"

using namespace mlir;
using namespace mlir::magicube;

/// Reports an extent of an operand that differs from the one it goes with.
static LogicalResult verifyExtent(SddmmOp op, const Twine &message,
                                  int64_t expected, int64_t actual,
                                  std::pair<StringRef, Value> first,
                                  std::pair<StringRef, Value> second,
                                  const KnownExtents &known) {
  if (expected == actual)
    return success();
  InFlightDiagnostic diag = op.emitOpError("expected ") << message;
  diag << ", " << expected << ", but got " << actual;
  for (auto [name, value] : {first, second})
    noteArgument(diag, name, value, known);
  return diag;
}

LogicalResult mlir::magicube::verifySddmmExtents(Operation *operation,
                                                 KnownExtents &known) {
  auto op = cast<SddmmOp>(operation);
  if (op.isStorageForm())
    return success();
  std::pair<StringRef, Value> lhs("lhs", op.getLhs()), rhs("rhs", op.getRhs());
  std::pair<StringRef, Value> pattern("pattern", op.getPattern().front());
  for (Value value : {lhs.second, rhs.second, pattern.second})
    if (!known.contains(value))
      return success();
  Extents left = known.lookup(lhs.second), right = known.lookup(rhs.second);
  Extents sampled = known.lookup(pattern.second);
  if (failed(verifyExtent(op, "lhs to have as many rows as pattern",
                          sampled.first, left.first, lhs, pattern, known)) ||
      failed(verifyExtent(op, "rhs to have as many rows as pattern has columns",
                          sampled.second, right.first, rhs, pattern, known)) ||
      failed(verifyExtent(op, "rhs to have as many columns as lhs", left.second,
                          right.second, lhs, rhs, known)) ||
      failed(verifyEpilogueExtents(op, sampled, known)))
    return failure();
  if (!fits(op.getOutputType(), sampled))
    return op.emitOpError("expected a result of ")
           << str(sampled) << ", but its type is " << op.getOutputType();
  known[op.getResult()] = sampled;
  return success();
}
