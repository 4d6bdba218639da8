//===- SpmmExtents.cpp - Extents of a product's operands ------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperationExtents.h"

#include "magicube/Format/DenseMatrix.h"

using namespace mlir;
using namespace mlir::magicube;

LogicalResult mlir::magicube::verifySpmmExtents(Operation *operation,
                                                KnownExtents &known) {
  auto op = cast<SpmmOp>(operation);
  Value lhs = op.getLhs().front(), rhs = op.getRhs(), init = op.getInit();
  if (!known.contains(lhs) || !known.contains(rhs))
    return success();
  Extents left = known.lookup(lhs), right = known.lookup(rhs);
  Extents product = {left.first, right.second};
  if (left.second != right.first) {
    InFlightDiagnostic diag = op.emitOpError(
        "expected rhs to have as many rows as lhs has columns, ");
    diag << left.second << ", but got " << right.first;
    noteArgument(diag, "lhs", lhs, known);
    noteArgument(diag, "rhs", rhs, known);
    return diag;
  }
  if (product.first > kMaxDenseElements / product.second)
    return op.emitOpError("expected a result of at most ")
           << kMaxDenseElements << " elements, but got " << str(product);
  if (init && known.contains(init) && known.lookup(init) != product) {
    InFlightDiagnostic diag = op.emitOpError("expected an init of ");
    diag << str(product) << ", but got " << str(known.lookup(init));
    noteArgument(diag, "init", init, known);
    return diag;
  }
  if (failed(verifyEpilogueExtents(op, product, known)))
    return failure();
  if (!fits(op.getOutputType(), product))
    return op.emitOpError("expected a result of ")
           << str(product) << ", but its type is " << op.getOutputType();
  if (op.getResult())
    known[op.getResult()] = product;
  return success();
}
