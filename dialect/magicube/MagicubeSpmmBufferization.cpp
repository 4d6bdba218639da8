//===- MagicubeSpmmBufferization.cpp - Bufferization of magicube.spmm -----===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// BufferizableOpInterface of the storage form, whose init is the destination.
//
//===----------------------------------------------------------------------===//

#include "dialect/magicube/MagicubeDialect.h"

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"

using namespace mlir;
using namespace mlir::magicube;

/// Whether `operand` is the op's init (the last operand segment).
static bool isInit(SpmmOp op, OpOperand &operand) {
  return op.getInit() && operand.getOperandNumber() == op->getNumOperands() - 1;
}

bool SpmmOp::bufferizesToMemoryRead(OpOperand &operand,
                                    const bufferization::AnalysisState &) {
  return !isInit(*this, operand) || !getOverwrite();
}

bool SpmmOp::bufferizesToMemoryWrite(OpOperand &operand,
                                     const bufferization::AnalysisState &) {
  return isInit(*this, operand);
}

bufferization::AliasingValueList
SpmmOp::getAliasingValues(OpOperand &operand,
                          const bufferization::AnalysisState &) {
  if (isInit(*this, operand) && getResult())
    return {{getResult(), bufferization::BufferRelation::Equivalent}};
  return {};
}

LogicalResult
SpmmOp::bufferize(RewriterBase &rewriter,
                  const bufferization::BufferizationOptions &options,
                  bufferization::BufferizationState &state) {
  if (!isStorageForm() || !getInit())
    return emitOpError("has a sparse tensor operand, which has no buffer")
               .attachNote()
           << "run convert-magicube-storage before bufferization";
  rewriter.setInsertionPoint(*this);
  SmallVector<Value> buffers;
  for (Value operand : getOperands()) {
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
  SpmmOp::create(rewriter, getLoc(), TypeRange(), buffers,
                 getOperation()->getAttrs());
  if (getResult())
    bufferization::replaceOpWithBufferizedValues(rewriter, *this,
                                                 buffers.back());
  else
    rewriter.eraseOp(*this);
  return success();
}
