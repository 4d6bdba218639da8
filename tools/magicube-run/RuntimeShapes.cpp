//===- RuntimeShapes.cpp - Extents of the arguments at hand ---------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Carries extents from the arguments through the products.
//
//===----------------------------------------------------------------------===//

#include "RuntimeShapes.h"

#include "dialect/magicube/MagicubeDialect.h"

#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace mlir::magicube;

namespace {

/// Rows and columns of a matrix.
using Extents = std::pair<int64_t, int64_t>;
using KnownExtents = llvm::DenseMap<Value, Extents>;

} // namespace

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

/// Checks a product and adds the extents of its result.
static LogicalResult verifyProduct(SpmmOp op, KnownExtents &known) {
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

LogicalResult mlir::magicube::verifyRuntimeShapes(
    func::FuncOp entry, const std::vector<ProgramValue> &arguments) {
  KnownExtents known;
  for (auto [argument, value] : llvm::zip(entry.getArguments(), arguments))
    known[argument] = std::visit(
        [](const auto &matrix) { return Extents(matrix.rows, matrix.cols); },
        value);
  bool isValid = true;
  entry.walk(
      [&](SpmmOp op) { isValid &= succeeded(verifyProduct(op, known)); });
  return success(isValid);
}
