//===- ReferenceOps.cpp - What the reference knows of operations
//-----------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table: a row per operation.
//
//===----------------------------------------------------------------------===//

#include "ReferenceOps.h"

using namespace mlir;
using namespace mlir::magicube;

static constexpr ReferenceOp kReferenceOps[] = {
    {"magicube.spmm", evaluateSpmm, verifySpmmExtents},
};

const ReferenceOp *mlir::magicube::getReferenceOp(Operation *op) {
  return findRow<ReferenceOp>(kReferenceOps, op);
}
