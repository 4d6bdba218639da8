//===- SampledRows.cpp - Rows that stored positions name ------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SampledRows.h"

#include "magicube/Layout/ChunkLayout.h"

using namespace mlir;
using namespace mlir::magicube;

SmallVector<Value> SampledRows::loadColumns(Arithmetic e, Value position,
                                            Value end) const {
  bool isU16 = encoding.getIndex() == IndexWidth::U16;
  Type type = isU16 ? e.b.getI16Type() : e.b.getI32Type();
  Value own = e.add(position, emitLayout(e.b, e.loc, positionsOfLane(),
                                         dim::lane, e.laneId(), dim::position));
  Value last = e.add(end, -kLanePositionRun);
  Value address =
      LLVM::GEPOp::create(e.b, e.loc, indices.getType(), type, indices,
                          ValueRange{e.extend(e.min(own, last))});
  Value loaded = LLVM::LoadOp::create(
      e.b, e.loc, VectorType::get(kLanePositionRun, type), address,
      kLanePositionRun * type.getIntOrFloatBitWidth() / 8);
  // A stride may end inside of a step.
  Value isInside;
  if (encoding.getStride() % kStepPositions != 0)
    isInside = e.isBelow(own, end);
  SmallVector<Value> columns;
  Value padding = e.constant(kPaddingIndex);
  for (int64_t i = 0; i < kLanePositionRun; ++i) {
    Value column =
        LLVM::ExtractElementOp::create(e.b, e.loc, loaded, e.constant(i));
    if (isU16) {
      Value wide = arith::ExtUIOp::create(e.b, e.loc, e.b.getI32Type(), column);
      column = e.select(e.isEqual(wide, kPaddingIndexU16), padding, wide);
    }
    columns.push_back(isInside ? e.select(isInside, column, padding) : column);
  }
  return columns;
}

SmallVector<Value> SampledRows::getRows(Arithmetic e,
                                        ValueRange columns) const {
  SmallVector<Value> result;
  for (Value column : columns) {
    Value row = arith::MaxSIOp::create(e.b, e.loc, column, e.constant(0));
    result.push_back(e.offset(rows, e.wideProduct(row, stride)));
  }
  return result;
}
