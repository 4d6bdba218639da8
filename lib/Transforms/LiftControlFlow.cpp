//===- LiftControlFlow.cpp - magicube-lift-control-flow ------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Upstream's way from blocks to structured control flow, with tensors for
// values that are never used.
//
//===----------------------------------------------------------------------===//

#include "dialect/magicube/MagicubeDialect.h"
#include "magicube/Transforms/Passes.h"

#include "mlir/Conversion/ControlFlowToSCF/ControlFlowToSCF.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Dominance.h"

namespace mlir::magicube {
#define GEN_PASS_DEF_MAGICUBELIFTCONTROLFLOWPASS
#include "magicube/Transforms/Passes.h.inc"
} // namespace mlir::magicube

using namespace mlir;
using namespace mlir::magicube;

/// Zero for every dynamic extent of `type`.
static SmallVector<Value> createZeros(OpBuilder &b, Location loc,
                                      RankedTensorType type) {
  SmallVector<Value> zeros;
  for (size_t i = 0; i < type.getNumDynamicDims(); ++i)
    zeros.push_back(arith::ConstantIndexOp::create(b, loc, 0));
  return zeros;
}

/// A tensor without contents and as small as its type permits.
static Value createEmpty(OpBuilder &b, Location loc, RankedTensorType type) {
  if (!getSparseEncoding(type))
    return tensor::EmptyOp::create(b, loc, type, createZeros(b, loc, type));
  SmallVector<Value> components;
  for (RankedTensorType component : getComponentTypes(type))
    components.push_back(createEmpty(b, loc, component));
  return AssembleOp::create(b, loc, type, components,
                            createZeros(b, loc, type));
}

namespace {

/// Upstream's poison of tensor type has no lowering.
struct Lifting : ControlFlowToSCFTransformation {
  Value getUndefValue(Location loc, OpBuilder &b, Type type) override {
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      return createEmpty(b, loc, tensor);
    return ControlFlowToSCFTransformation::getUndefValue(loc, b, type);
  }
};

struct MagicubeLiftControlFlowPass
    : magicube::impl::MagicubeLiftControlFlowPassBase<
          MagicubeLiftControlFlowPass> {
  void runOnOperation() override {
    Lifting lifting;
    auto &dominance = getAnalysis<DominanceInfo>();
    WalkResult lifted = getOperation().walk([&](Operation *op) {
      for (Region &region : op->getRegions())
        if (!region.empty() &&
            failed(transformCFGToSCF(region, lifting, dominance)))
          return WalkResult::interrupt();
      return WalkResult::advance();
    });
    if (lifted.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
