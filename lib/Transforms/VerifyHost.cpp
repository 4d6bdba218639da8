//===- VerifyHost.cpp - magicube-verify-host ------------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names what upstream's lowering of host code left behind, which it would only
// notice as a cast that cannot be resolved.
//
//===----------------------------------------------------------------------===//

#include "magicube/Transforms/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace mlir::magicube {
#define GEN_PASS_DEF_MAGICUBEVERIFYHOSTPASS
#include "magicube/Transforms/Passes.h.inc"
} // namespace mlir::magicube

using namespace mlir;

/// Whether translation to LLVM IR knows the operation, or it goes away first.
static bool isLowered(Operation *op) {
  return isa<ModuleOp, UnrealizedConversionCastOp, gpu::BinaryOp,
             gpu::LaunchFuncOp>(op) ||
         isa_and_nonnull<LLVM::LLVMDialect>(op->getDialect());
}

namespace {

struct MagicubeVerifyHostPass
    : magicube::impl::MagicubeVerifyHostPassBase<MagicubeVerifyHostPass> {
  void runOnOperation() override {
    bool ok = true;
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isLowered(op))
        return WalkResult::advance();
      op->emitOpError("has no lowering to host code").attachNote()
          << "lower it before the magicube pipelines, on tensors for example";
      ok = false;
      return WalkResult::skip();
    });
    if (!ok)
      signalPassFailure();
  }
};

} // namespace
