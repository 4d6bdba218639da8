//===- SpmmLowering.cpp - A product to kernels and launches
//----------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel per alignment that the types do not rule out.
//
//===----------------------------------------------------------------------===//

#include "OpLowering.h"
#include "SpmmLaunch.h"

using namespace mlir;
using namespace mlir::magicube;

LogicalResult mlir::magicube::verifySpmm(Operation *op) {
  return verifySpmmLowering(cast<SpmmOp>(op));
}

void mlir::magicube::lowerSpmm(RewriterBase &rewriter, Operation *operation,
                               KernelCache &cache) {
  auto op = cast<SpmmOp>(operation);
  SmallVector<int64_t> alignments = getPossibleAlignments(op);
  // Of a single column there are no longer rows to ask for.
  bool isColumn = op.getOutputType().getShape().back() == 1;
  if (alignments.front() != kChunkBytes && !isColumn)
    op.emitRemark("gathers the dense operand with an access size of ")
        << alignments.front() << " instead of " << kChunkBytes
        << " bytes: length or distance of the rows of " << op.getRhs().getType()
        << " is no multiple of that";
  SmallVector<SpmmKernel> kernels;
  for (int64_t alignment : alignments) {
    SpmmKernelSpec spec = SpmmKernelSpec::get(op, alignment);
    kernels.push_back(
        {spec, cache.getOrCreate(spec.getKey(), [&](OpBuilder &builder) {
           return createSpmmKernel(builder, op.getLoc(), spec, spec.getName());
         })});
  }
  cache.addPlan(lowerSpmmToLaunch(rewriter, op, kernels));
}
