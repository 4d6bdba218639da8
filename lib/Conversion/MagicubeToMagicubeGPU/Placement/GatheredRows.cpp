//===- GatheredRows.cpp - Dense rows gathered step by step ----------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Index loads and the gather of a k-step.
//
//===----------------------------------------------------------------------===//

#include "GatheredRows.h"

using namespace mlir;
using namespace mlir::magicube;
using namespace mlir::magicube_gpu;

void GatheredRows::cpAsync(Arithmetic e, Value position, Value end) const {
  SmallVector<Type> types(chunksPerThread, e.b.getI32Type());
  auto columns =
      LdgGatherIndicesOp::create(e.b, e.loc, types, indices, position, end,
                                 /*predicate=*/Value(), encoding, reader.step,
                                 e.b.getI64IntegerAttr(dense.tileBytes));
  CpAsyncGatheredRowsOp::create(e.b, e.loc, dense.rows, columns.getColumns(),
                                dense.stride, dense.getFirstByte(e),
                                dense.limit, tile,
                                /*slot=*/Value(), /*predicate=*/Value(),
                                e.b.getI64IntegerAttr(dense.alignment));
}
