//===- Store.cpp - The result part of a kernel ----------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Store.h"

using namespace mlir;
using namespace mlir::magicube;
using namespace mlir::magicube_gpu;

bool mlir::magicube::isPlain(const Epilogue<BroadcastAxis> &epilogue) {
  const auto *integer = std::get_if<ElementType>(&epilogue.element);
  return integer && integer->bits == 32 && epilogue.operands.empty();
}

Value ResultStore::createLane(OpBuilder &b, Location loc) const {
  Value lane = LaneIdOp::create(b, loc);
  // Kernels with a stationary dense operand store in their loop over
  // vector-rows. What is computed of the lane for that would be held in
  // registers through all steps; it is little where sums of aligned rows are
  // stored as they are.
  if (isStreaming && !(isPlain(epilogue) && alignment > 1))
    lane = OptimizationBarrierOp::create(b, loc, lane);
  return lane;
}

SmallVector<Value> ResultStore::createExchange(OpBuilder &b, Location loc,
                                               ArrayRef<Value> sums,
                                               Value lane) const {
  if (dense.foldShift == 0 && !dense.exchange)
    return llvm::to_vector(sums);
  auto type =
      RegistersType::get(b.getContext(), dense.output.inputSize(dim::reg));
  IntegerAttr laneBit, registerBit;
  if (dense.exchange) {
    laneBit = b.getI64IntegerAttr(dense.exchange->laneBit);
    registerBit = b.getI64IntegerAttr(dense.exchange->registerBit);
  }
  SmallVector<Value> exchanged;
  for (Value sum : sums)
    exchanged.push_back(ExchangeLanesOp::create(
        b, loc, type, sum, lane, b.getI64IntegerAttr(dense.foldShift), laneBit,
        registerBit));
  return exchanged;
}

void mlir::magicube::createStoreBody(OpBuilder &b, Location loc, Region &region,
                                     const Epilogue<BroadcastAxis> &description,
                                     ValueRange operands) {
  auto epilogue = EpilogueAttr::get(b.getContext(), description);
  OpBuilder::InsertionGuard guard(b);
  Type i32 = b.getI32Type();
  Type sum = epilogue.getFloatSums() ? Type(b.getF32Type()) : i32;
  Block *body = b.createBlock(&region, {}, {sum, i32, i32}, {loc, loc, loc});
  Type element = epilogue.getElement();
  Value finished = EpilogueOp::create(
      b, loc, element.isInteger() ? i32 : element, body->getArgument(0),
      body->getArgument(1), body->getArgument(2), operands, epilogue);
  YieldOp::create(b, loc, finished);
}

void ResultStore::create(OpBuilder &b, Location loc, ArrayRef<Value> sums,
                         int64_t fragment, Value row, Value column) const {
  Value lane = createLane(b, loc);
  SmallVector<Value> exchanged = createExchange(b, loc, sums, lane);
  StoreResultFields fields;
  fields.fragments = exchanged;
  fields.base = base;
  fields.row = row;
  fields.column = column;
  fields.stride = stride;
  fields.limit = limit;
  fields.lane = lane;
  fields.encoding = encoding;
  fields.step = StepAttr::get(b.getContext(), step);
  fields.component = fragment * step.mma->n;
  fields.map = ResultMapAttr::get(b.getContext(), ResultOrder::RowMajor,
                                  alignment, isStreaming);
  fields.accumulate = accumulates;
  fields.resultType = getElementType(b.getContext(), epilogue.element);
  auto op = StoreResultOp::create(b, loc, fields);
  if (!isPlain(epilogue))
    createStoreBody(b, loc, op.getBody(), epilogue, epilogueOperands);
}
