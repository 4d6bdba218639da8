//===- SoftmaxLowering.cpp - A softmax to its kernel and launch -----------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What there is a kernel for, and operands by name.
//
//===----------------------------------------------------------------------===//

#include "BufferChecks.h"
#include "EmitLaunchPlan.h"
#include "OpLowering.h"
#include "SoftmaxKernel.h"
#include "SoftmaxPlan.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::magicube;

LogicalResult mlir::magicube::verifySoftmax(Operation *operation) {
  auto op = cast<SoftmaxOp>(operation);
  if (!op.isStorageForm() || !op.getOutputs().empty())
    return op.emitOpError("expected storage form on memrefs here").attachNote()
           << "run convert-magicube-storage and one-shot-bufferize first";
  RankedTensorType scores = op.getScoresType();
  if (op.getEncoding().getSlab() != 0 &&
      ShapedType::isDynamic(scores.getShape().back()))
    return (op.emitOpError("expected a static number of columns for scores "
                           "with slabs, but got ")
            << scores)
               .attachNote()
           << "compile for a static extent, or encode without slab";
  if (failed(verifyGlobalMemory(op)))
    return failure();
  SmallVector<Value> packed(op.getScores());
  packed.append(op.getInits().begin(), op.getInits().end());
  for (Value operand : {op.getScale(), op.getMask()})
    if (operand && isa<MemRefType>(operand.getType()))
      packed.push_back(operand);
  return verifyPacked(op, packed);
}

/// The rows of the matrix: as many as pointers say.
static Value getRows(RewriterBase &rewriter, SoftmaxOp op) {
  Location loc = op.getLoc();
  Value vectorRows =
      memref::DimOp::create(rewriter, loc, op.getScores().front(), 0);
  Value vector = arith::ConstantIndexOp::create(rewriter, loc,
                                                op.getEncoding().getVector());
  return arith::MulIOp::create(rewriter, loc, vectorRows, vector);
}

void mlir::magicube::lowerSoftmax(RewriterBase &rewriter, Operation *operation,
                                  KernelCache &cache) {
  auto op = cast<SoftmaxOp>(operation);
  SoftmaxKernelSpec spec = SoftmaxKernelSpec::get(op);
  gpu::GPUFuncOp kernel =
      cache.getOrCreate(spec.getKey(), [&](OpBuilder &builder) {
        return createSoftmaxKernel(builder, op.getLoc(), spec, spec.getName());
      });
  LaunchPlan plan = getSoftmaxPlan(spec, kernel.getName());
  rewriter.setInsertionPoint(op);
  PlanSymbols symbols;
  auto add = [&](StringRef name, StringRef component, Value value) {
    if (value)
      symbols.add((name + component).str(), value);
  };
  constexpr StringLiteral components[] = {".pointers", ".indices", ".values"};
  for (auto [component, value] : llvm::zip_equal(components, op.getScores()))
    add(kScoresName, component, value);
  add(kScoresName, ".dim0", getRows(rewriter, op));
  add(kMaskName, ".values", op.getMask());
  bool isNumber = spec.scale == SoftmaxKernelSpec::Scale::Number;
  add(kScaleName, isNumber ? "" : ".address", op.getScale());
  add(kValueScaleName, "", op.getValueScale());
  add("result", ".values", op.getInits().front());
  if (spec.getChain())
    add(kFactorsName, ".address", op.getInits()[1]);
  emitLaunchPlan(rewriter, op.getLoc(), plan, std::move(symbols), kernel);
  rewriter.eraseOp(op);
  cache.addPlan(plan);
}
