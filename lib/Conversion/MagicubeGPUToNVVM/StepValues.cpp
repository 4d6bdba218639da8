//===- StepValues.cpp - Where a lane finds the values of a step -----------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StepValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::magicube;
using namespace mlir::magicube_gpu;

/// Positions of one component that a lane loads.
static constexpr int64_t kLanePositions = 8;

StepValues::StepValues(SRBCRSAttr encoding, StepAttr step)
    : encoding(encoding), step(step.getStepLayout()),
      operand(*getSparseOperand(this->step)) {}

ValueOrder mlir::magicube_gpu::getTileOrder(SRBCRSAttr encoding) {
  ValueOrder order = encoding.getFormat().valueOrder();
  order.run = std::min<int64_t>(order.run, kStepPositions);
  return order;
}

int64_t StepValues::getStorageBits() const {
  constexpr int64_t wordBits = 32;
  return operand.words * wordBits / kLanePositions;
}

Value StepValues::getLanePosition(Emitter &e) const {
  return e.apply(step.lhs, dim::lane, e.laneId(), dim::position);
}

Value StepValues::getLaneOffset(Emitter &e, int32_t fragment,
                                ValueOrder order) const {
  int64_t vectorLength = order.vector, run = order.run;
  Value vector =
      e.add(e.apply(step.lhs, dim::lane, e.laneId(), dim::vector),
            step.lhs.apply({{dim::fragment, fragment}}, dim::vector));
  // Lanes past the vector length read a component that exists.
  if (vectorLength < step.lhs.outputSize(dim::vector))
    vector = e.bitAnd(vector, vectorLength - 1);
  Value position = getLanePosition(e);
  Value inRun =
      e.add(e.mul(vector, order.componentPitch()), e.bitAnd(position, run - 1));
  Value runStart =
      e.mul(e.shiftRight(position, llvm::Log2_64(run)), order.runPitch());
  return e.toBytes(e.add(runStart, inRun), getStorageBits());
}

Value StepValues::getStepOffset(Emitter &e, Value position) const {
  ValueOrder order = encoding.getFormat().valueOrder();
  int64_t bits = getStorageBits();
  auto scaled = [&](Value positions) {
    return e.wideProduct(e.toBytes(positions, bits), e.constant(order.vector));
  };
  if (order.run <= kStepPositions)
    return scaled(position);
  // The second half of a stride follows the first in every component.
  Value inStride = e.bitAnd(position, order.run - 1);
  Value strideStart = arith::SubIOp::create(e.b, e.loc, position, inStride);
  return arith::AddIOp::create(e.b, e.loc, scaled(strideStart),
                               e.extend(e.toBytes(inStride, bits)));
}

SmallVector<Value> StepValues::load(Emitter &e, Value address) const {
  Type word = e.b.getI32Type();
  int64_t bytes = operand.words * sizeof(int32_t);
  if (operand.words == 1)
    return {LLVM::LoadOp::create(e.b, e.loc, word, address, bytes)};
  Value loaded = LLVM::LoadOp::create(
      e.b, e.loc, VectorType::get(operand.words, word), address, bytes);
  SmallVector<Value> words;
  for (int64_t i = 0; i < operand.words; ++i)
    words.push_back(
        LLVM::ExtractElementOp::create(e.b, e.loc, loaded, e.constant(i)));
  return words;
}
