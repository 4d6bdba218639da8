//===- MagicubeDestination.cpp - Inits of operations with kernels ---------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Effects and bufferization, the same for all operations.
//
//===----------------------------------------------------------------------===//

#include "MagicubeDestination.h"

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"

using namespace mlir;
using namespace mlir::magicube;

static unsigned countInits(SparseComputeOpInterface op) {
  return llvm::count_if(op.getComputeOperands(), [](const ComputeOperand &o) {
    return o.role == OperandRole::Init;
  });
}

std::optional<unsigned>
mlir::magicube::getInitNumber(SparseComputeOpInterface op, OpOperand &operand) {
  unsigned first = op->getNumOperands() - countInits(op);
  if (operand.getOperandNumber() < first)
    return std::nullopt;
  return operand.getOperandNumber() - first;
}

bool mlir::magicube::readsOperand(SparseComputeOpInterface op,
                                  OpOperand &operand) {
  if (!getInitNumber(op, operand))
    return true;
  return llvm::none_of(op.getComputeOperands(), [](const ComputeOperand &o) {
    return o.role == OperandRole::Init && o.isOverwritten;
  });
}

void mlir::magicube::getDestinationEffects(
    SparseComputeOpInterface op,
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<BaseMemRefType>(operand.get().getType()))
      continue;
    if (readsOperand(op, operand))
      effects.emplace_back(MemoryEffects::Read::get(), &operand);
    if (getInitNumber(op, operand))
      effects.emplace_back(MemoryEffects::Write::get(), &operand);
  }
}

bufferization::AliasingValueList
mlir::magicube::getAliasingResults(SparseComputeOpInterface op,
                                   OpOperand &operand) {
  std::optional<unsigned> number = getInitNumber(op, operand);
  if (number && *number < op->getNumResults())
    return {
        {op->getResult(*number), bufferization::BufferRelation::Equivalent}};
  return {};
}

LogicalResult mlir::magicube::bufferizeDestinations(
    SparseComputeOpInterface op, RewriterBase &rewriter,
    const bufferization::BufferizationOptions &options,
    bufferization::BufferizationState &state) {
  unsigned inits = countInits(op);
  if (!op.isStorageForm() || inits == 0)
    return op->emitOpError("has a sparse tensor operand, which has no buffer")
               .attachNote()
           << "run convert-magicube-storage before bufferization";
  rewriter.setInsertionPoint(op);
  SmallVector<Value> buffers;
  for (Value operand : op->getOperands()) {
    if (!isa<TensorType>(operand.getType())) {
      buffers.push_back(operand);
      continue;
    }
    FailureOr<Value> buffer =
        bufferization::getBuffer(rewriter, operand, options, state);
    if (failed(buffer))
      return failure();
    buffers.push_back(*buffer);
  }
  // Segment sizes and all other attributes stay as they are.
  OperationState created(op->getLoc(), op->getName(), buffers, TypeRange(),
                         op->getAttrs());
  rewriter.create(created);
  if (op->getNumResults() > 0)
    bufferization::replaceOpWithBufferizedValues(
        rewriter, op, ArrayRef(buffers).take_back(inits));
  else
    rewriter.eraseOp(op);
  return success();
}
