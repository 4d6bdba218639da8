//===- SpmmReference.cpp - The reference of a product
//----------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Its value, and what its operands must be like.
//
//===----------------------------------------------------------------------===//

#include "ReferenceOps.h"

using namespace mlir;
using namespace mlir::magicube;

//===----------------------------------------------------------------------===//
// Value
//===----------------------------------------------------------------------===//

/// The epilogue of a product; nothing if an operand has not been evaluated.
static std::optional<ReferenceEpilogue> getEpilogue(SpmmOp op,
                                                    const Environment &values) {
  bool isKnown = true;
  auto find = [&](const EpilogueOperand<Value> &operand) {
    auto take = [&](auto *matrix) -> ReferenceOperand {
      isKnown &= matrix != nullptr;
      return matrix;
    };
    return isInteger(operand.role)
               ? take(lookup<DenseMatrix>(values, operand.ref))
               : take(lookup<FloatMatrix>(values, operand.ref));
  };
  ReferenceEpilogue epilogue = op.getEpilogue().mapOperands(find);
  if (!isKnown)
    return std::nullopt;
  return epilogue;
}

/// `matrix` with its bits taken as the product takes them: a result of another
/// product may have been given the other sign.
static DenseMatrix withSign(DenseMatrix matrix, bool isSigned) {
  matrix.type.isSigned = isSigned;
  return matrix;
}

Result<ProgramValue> mlir::magicube::evaluateSpmm(Operation *operation,
                                                  const Environment &values) {
  auto op = cast<SpmmOp>(operation);
  Value initValue = op.getOverwrite() ? Value() : op.getInit();
  const auto *lhs = lookup<SRBCRSMatrix>(values, op.getLhs().front());
  const auto *rhs = lookup<DenseMatrix>(values, op.getRhs());
  const auto *init =
      initValue ? lookup<DenseMatrix>(values, initValue) : nullptr;
  std::optional<ReferenceEpilogue> epilogue = getEpilogue(op, values);
  if (!lhs || !rhs || (initValue && !init) || !epilogue)
    return Error{"the reference does not know an operand of 'magicube.spmm'",
                 "check a function whose products take its arguments or other "
                 "products"};
  return evaluateProduct(*lhs, withSign(*rhs, !op.getUnsignedRhs()), init,
                         *epilogue);
}

//===----------------------------------------------------------------------===//
// Extents
//===----------------------------------------------------------------------===//

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
