//===- SpmmExtents.cpp - Extents of a product's operands ------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperationExtents.h"

#include "magicube/Format/DenseMatrix.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace mlir::magicube;

static std::string str(const Extents &extents) {
  return std::to_string(extents.first) + "x" + std::to_string(extents.second);
}

/// Says of an operand that is an argument how large that is.
static void noteArgument(InFlightDiagnostic &diag, StringRef operand,
                         Value value, const KnownExtents &known) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || !isa<func::FuncOp>(argument.getOwner()->getParentOp()))
    return;
  diag.attachNote(argument.getLoc())
      << operand << " is argument #" << argument.getArgNumber() << ", a "
      << str(known.lookup(value)) << " matrix";
}

/// Whether extents are those that a type fixes.
static bool fits(ShapedType type, const Extents &extents) {
  auto matches = [](int64_t fixed, int64_t actual) {
    return ShapedType::isDynamic(fixed) || fixed == actual;
  };
  return matches(type.getDimSize(0), extents.first) &&
         matches(type.getDimSize(1), extents.second);
}

/// Extents of a matrix that `axis` of a result of extents `product` indexes;
/// nothing for a number.
static std::optional<Extents> getExtents(BroadcastAxis axis,
                                         const Extents &product) {
  switch (axis) {
  case BroadcastAxis::None:
    return std::nullopt;
  case BroadcastAxis::Row:
    return Extents(product.first, 1);
  case BroadcastAxis::Column:
    return Extents(1, product.second);
  }
}

/// Checks an operand of the epilogue of a product with extents `product`.
static LogicalResult verifyBroadcast(SpmmOp op, StringRef name, Value operand,
                                     const Extents &product,
                                     const KnownExtents &known) {
  std::optional<Extents> expected =
      getExtents(op.getBroadcastAxis(operand.getType()), product);
  if (!expected || !known.contains(operand) ||
      known.lookup(operand) == *expected)
    return success();
  InFlightDiagnostic diag = op.emitOpError("expected a ");
  diag << name << " of " << str(*expected) << ", but got "
       << str(known.lookup(operand));
  noteArgument(diag, name, operand, known);
  return diag;
}

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
  for (auto [role, operand] : op.getEpilogue().operands)
    if (failed(verifyBroadcast(op, spelling(role), operand, product, known)))
      return failure();
  if (!fits(op.getOutputType(), product))
    return op.emitOpError("expected a result of ")
           << str(product) << ", but its type is " << op.getOutputType();
  if (op.getResult())
    known[op.getResult()] = product;
  return success();
}
