//===- EliminateEmptyTensors.cpp - magicube-eliminate-empty-tensors ------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Upstream's elimination, where the place that a tensor is inserted into exists
// before the tensor does.
//
//===----------------------------------------------------------------------===//

#include "magicube/Transforms/Passes.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotModuleBufferize.h"
#include "mlir/Dialect/Bufferization/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::magicube {
#define GEN_PASS_DEF_MAGICUBEELIMINATEEMPTYTENSORSPASS
#include "magicube/Transforms/Passes.h.inc"
} // namespace mlir::magicube

using namespace mlir;

/// Upstream's slice of the destination, for `user` to write into. Upstream takes
/// the results of an operation to be known in that operation's own regions.
static Value buildDestination(RewriterBase &rewriter,
                              SubsetInsertionOpInterface insertion,
                              tensor::EmptyOp empty, Operation *user) {
  for (Value needed : insertion.getValuesNeededToBuildSubsetExtraction())
    if (Operation *producer = needed.getDefiningOp();
        producer && (producer->isAncestor(empty) || producer->isAncestor(user)))
      return {};
  return bufferization::buildSubsetExtraction(rewriter, insertion, empty, user);
}

namespace {

struct MagicubeEliminateEmptyTensorsPass
    : magicube::impl::MagicubeEliminateEmptyTensorsPassBase<
          MagicubeEliminateEmptyTensorsPass> {
  void runOnOperation() override {
    bufferization::OneShotBufferizationOptions options;
    options.allowReturnAllocsFromLoops = true;
    options.bufferizeFunctionBoundaries = true;
    bufferization::OneShotAnalysisState state(getOperation(), options);
    IRRewriter rewriter(&getContext());
    if (failed(bufferization::analyzeModuleOp(getOperation(), state)) ||
        failed(bufferization::eliminateEmptyTensors(
            rewriter, getOperation(), state, buildDestination)))
      signalPassFailure();
  }
};

} // namespace
