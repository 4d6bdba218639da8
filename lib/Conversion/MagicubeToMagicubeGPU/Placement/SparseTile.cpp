//===- SparseTile.cpp - Values of a k-step in shared memory ---------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The copy of a k-step's values.
//
//===----------------------------------------------------------------------===//

#include "SparseTile.h"

using namespace mlir;
using namespace mlir::magicube;
using namespace mlir::magicube_gpu;

void SparseTile::cpAsync(Arithmetic e, Value position, Value end) const {
  CpAsyncValuesOp::create(e.b, e.loc, values, position, end, tile,
                          /*slot=*/Value(), /*predicate=*/Value(), encoding,
                          e.b.getI64IntegerAttr(storedBits));
}

SmallVector<Value> SparseTile::ldsValues(Arithmetic e, TypeRange types) const {
  auto load = LdsValuesOp::create(e.b, e.loc, types, tile, /*slot=*/Value(),
                                  encoding, step);
  return llvm::to_vector_of<Value>(load.getFragments());
}
