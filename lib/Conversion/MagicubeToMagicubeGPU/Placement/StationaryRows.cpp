//===- StationaryRows.cpp - All dense rows of a tile of columns -----------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fill of shared memory.
//
//===----------------------------------------------------------------------===//

#include "StationaryRows.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::magicube;
using namespace mlir::magicube_gpu;

void StationaryRows::fill(Arithmetic e) const {
  CpAsyncRowsOp::create(e.b, e.loc, dense.rows, e.constant(numRows),
                        dense.stride, dense.getFirstByte(e), dense.limit, tile,
                        /*slot=*/Value(),
                        e.b.getI64IntegerAttr(dense.alignment));
  NVVM::CpAsyncCommitGroupOp::create(e.b, e.loc);
}

void StationaryRows::await(Arithmetic e) {
  NVVM::CpAsyncWaitGroupOp::create(e.b, e.loc, /*n=*/0);
  gpu::BarrierOp::create(e.b, e.loc);
}
