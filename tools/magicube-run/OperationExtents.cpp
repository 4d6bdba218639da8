//===- OperationExtents.cpp - Extents of operands of each operation -------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table: a row per operation.
//
//===----------------------------------------------------------------------===//

#include "OperationExtents.h"

using namespace mlir;
using namespace mlir::magicube;

static constexpr OperationExtents kOperations[] = {
    {"magicube.spmm", verifySpmmExtents},
};

const OperationExtents *mlir::magicube::getOperationExtents(Operation *op) {
  return findRow<OperationExtents>(kOperations, op);
}
