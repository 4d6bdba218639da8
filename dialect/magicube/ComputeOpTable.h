//===- ComputeOpTable.h - What a stage knows of each operation ------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stage that does something else for each SparseComputeOpInterface has a
// table: a row per operation, whose functions are in the operation's own file of
// that stage.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_DIALECT_MAGICUBE_COMPUTEOPTABLE_H
#define MAGICUBE_DIALECT_MAGICUBE_COMPUTEOPTABLE_H

#include "dialect/magicube/MagicubeDialect.h"

namespace mlir::magicube {

/// The row of `op` among rows with a member `operation`, its name; or null.
template <typename Row>
const Row *findRow(ArrayRef<Row> table, Operation *op) {
  const Row *found = llvm::find_if(table, [&](const Row &row) {
    return op->getName().getStringRef() == row.operation;
  });
  return found == table.end() ? nullptr : found;
}

} // namespace mlir::magicube

#endif // MAGICUBE_DIALECT_MAGICUBE_COMPUTEOPTABLE_H
