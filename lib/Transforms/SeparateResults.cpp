//===- SeparateResults.cpp - magicube-separate-results -------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whoever calls a function frees its results one by one: no two of them may be
// the same memory.
//
//===----------------------------------------------------------------------===//

#include "magicube/Transforms/Passes.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace mlir::magicube {
#define GEN_PASS_DEF_MAGICUBESEPARATERESULTSPASS
#include "magicube/Transforms/Passes.h.inc"
} // namespace mlir::magicube

using namespace mlir;

/// Everything that `buffer` may be, or be a part of. What a call returns is
/// memory of its own, also for upstream's analysis if it knew of this pass.
static BufferViewFlowAnalysis::ValueSetT
getOrigins(Value buffer, BufferViewFlowAnalysis &analysis) {
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>())
    buffer = view.getViewSource();
  BufferViewFlowAnalysis::ValueSetT origins;
  if (buffer.getDefiningOp<func::CallOp>())
    origins.insert(buffer);
  else
    origins = analysis.resolveReverse(buffer);
  return origins;
}

/// Replaces every result of `exit` that may be memory of an earlier one by a
/// copy.
static void separate(func::ReturnOp exit, BufferViewFlowAnalysis &analysis) {
  BufferViewFlowAnalysis::ValueSetT taken;
  OpBuilder builder(exit);
  for (OpOperand &operand : exit->getOpOperands()) {
    if (!isa<BaseMemRefType>(operand.get().getType()))
      continue;
    BufferViewFlowAnalysis::ValueSetT origins =
        getOrigins(operand.get(), analysis);
    if (llvm::none_of(origins, [&](Value v) { return taken.contains(v); })) {
      taken.insert(origins.begin(), origins.end());
      continue;
    }
    operand.set(
        bufferization::CloneOp::create(builder, exit.getLoc(), operand.get()));
  }
}

namespace {

struct MagicubeSeparateResultsPass
    : magicube::impl::MagicubeSeparateResultsPassBase<
          MagicubeSeparateResultsPass> {
  void runOnOperation() override {
    BufferViewFlowAnalysis analysis(getOperation());
    getOperation().walk([&](func::ReturnOp exit) { separate(exit, analysis); });
  }
};

} // namespace
