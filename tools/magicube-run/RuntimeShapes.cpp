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

#include "OperationExtents.h"

using namespace mlir;
using namespace mlir::magicube;

LogicalResult mlir::magicube::verifyRuntimeShapes(
    func::FuncOp entry, const std::vector<ProgramValue> &arguments) {
  KnownExtents known;
  for (auto [argument, value] : llvm::zip(entry.getArguments(), arguments))
    known[argument] = getExtents(value);
  bool isValid = true;
  entry.walk([&](SparseComputeOpInterface op) {
    if (const OperationExtents *row = getOperationExtents(op))
      isValid &= succeeded(row->verify(op, known));
  });
  return success(isValid);
}
