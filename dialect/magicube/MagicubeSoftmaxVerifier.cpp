//===- MagicubeSoftmaxVerifier.cpp - What a softmax must be like ----------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verification of magicube.softmax: forms, shapes, types.
//
//===----------------------------------------------------------------------===//

#include "MagicubeProduct.h"

using namespace mlir;
using namespace mlir::magicube;

/// The scores: one encoded tensor, or its components.
static LogicalResult verifyScores(SoftmaxOp op) {
  if (op.isStorageForm())
    return verifyStorageComponents(op, cast<RankedTensorType>(*op.getStorage()),
                                   op.getScores().getTypes());
  if (op.getScores().size() == 1 &&
      getSparseEncoding(op.getScores().front().getType()))
    return success();
  InFlightDiagnostic diag = op.emitOpError(
      "expected scores to be one tensor with a #magicube.sr_bcrs encoding");
  if (!op.getScores().empty())
    diag << ", but got " << op.getScores().front().getType();
  return diag;
}

LogicalResult SoftmaxOp::verify() {
  if (failed(verifyScores(*this)) ||
      failed(verifyForm(*this, getInits(), getOverwrite())))
    return failure();
  size_t outputs =
      getOutputs().empty() ? getInits().size() : getOutputs().size();
  if (outputs != (hasFactors() ? 2 : 1))
    return emitOpError("expected ")
           << (hasFactors() ? 2 : 1) << " results, but got " << outputs;
  return success();
}
