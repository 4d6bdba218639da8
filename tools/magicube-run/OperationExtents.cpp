//===- OperationExtents.cpp - Extents of operands of each operation -------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table: a row per operation; and what operations have in common.
//
//===----------------------------------------------------------------------===//

#include "OperationExtents.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace mlir::magicube;

static constexpr OperationExtents kOperations[] = {
    {"magicube.sddmm", verifySddmmExtents},
    {"magicube.softmax", verifySoftmaxExtents},
    {"magicube.spmm", verifySpmmExtents},
};

const OperationExtents *mlir::magicube::getOperationExtents(Operation *op) {
  return findRow<OperationExtents>(kOperations, op);
}

std::string mlir::magicube::str(const Extents &extents) {
  return std::to_string(extents.first) + "x" + std::to_string(extents.second);
}

void mlir::magicube::noteArgument(InFlightDiagnostic &diag, StringRef operand,
                                  Value value, const KnownExtents &known) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || !isa<func::FuncOp>(argument.getOwner()->getParentOp()))
    return;
  diag.attachNote(argument.getLoc())
      << operand << " is argument #" << argument.getArgNumber() << ", a "
      << str(known.lookup(value)) << " matrix";
}

bool mlir::magicube::fits(ShapedType type, const Extents &extents) {
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

/// Checks one operand of an epilogue.
static LogicalResult verifyBroadcast(SparseComputeOpInterface op,
                                     StringRef name, Value operand,
                                     const Extents &product,
                                     const KnownExtents &known) {
  std::optional<Extents> expected =
      getExtents(op.getBroadcastAxis(operand.getType()), product);
  if (!expected || !known.contains(operand) ||
      known.lookup(operand) == *expected)
    return success();
  InFlightDiagnostic diag = op->emitOpError("expected a ");
  diag << name << " of " << str(*expected) << ", but got "
       << str(known.lookup(operand));
  noteArgument(diag, name, operand, known);
  return diag;
}

LogicalResult mlir::magicube::verifyEpilogueExtents(SparseComputeOpInterface op,
                                                    const Extents &product,
                                                    const KnownExtents &known) {
  for (auto [role, operand] : op.getEpilogue().operands)
    if (failed(verifyBroadcast(op, spelling(role), operand, product, known)))
      return failure();
  return success();
}
