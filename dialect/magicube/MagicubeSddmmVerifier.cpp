//===- MagicubeSddmmVerifier.cpp - What a sampled product must be like ----===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verification of magicube.sddmm: forms, shapes, types.
//
//===----------------------------------------------------------------------===//

#include "MagicubeProduct.h"

using namespace mlir;
using namespace mlir::magicube;

/// The pattern: one encoded tensor, or its pointers and indices.
static LogicalResult verifyPatternOperand(SddmmOp op) {
  if (op.isStorageForm()) {
    auto storage = cast<RankedTensorType>(*op.getStorage());
    if (!storage.getElementType().isInteger(1))
      return op.emitOpError(
                 "expected a pattern of i1 in storage form, but got ")
             << storage;
    return verifyStorageComponents(op, storage, op.getPattern().getTypes());
  }
  if (op.getPattern().size() == 1 &&
      getSparseEncoding(op.getPattern().front().getType()))
    return success();
  InFlightDiagnostic diag = op.emitOpError(
      "expected pattern to be one tensor with a #magicube.sr_bcrs encoding");
  if (!op.getPattern().empty())
    diag << ", but got " << op.getPattern().front().getType();
  return diag;
}

LogicalResult SddmmOp::verify() {
  if (failed(verifyPatternOperand(*this)) ||
      failed(verifyForm(*this, getODSOperands(7), getOverwrite())))
    return failure();
  if (!isOperandType(getLhsElementType(), {4, 8, 16}) ||
      !isOperandType(getRhsElementType(), {4, 8, 16}))
    return emitOpError("expected operands of type i4, i8 or i16, but got ")
           << getLhsElementType() << " and " << getRhsElementType();
  return success();
}
