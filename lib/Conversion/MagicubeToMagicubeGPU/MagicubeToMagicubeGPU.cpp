//===- MagicubeToMagicubeGPU.cpp - convert-magicube-to-magicube-gpu -------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shares kernels among products and replaces products by launches.
//
//===----------------------------------------------------------------------===//

#include "OpLowering.h"

#include "dialect/magicube_gpu/MagicubeGPUDialect.h"
#include "magicube/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::magicube {
#define GEN_PASS_DEF_CONVERTMAGICUBETOMAGICUBEGPUPASS
#include "magicube/Conversion/Passes.h.inc"
} // namespace mlir::magicube

using namespace mlir;
using namespace mlir::magicube;

/// A row per operation that has kernels.
static constexpr OpLowering kLowerings[] = {
    {"magicube.sddmm", verifySddmm, lowerSddmm},
    {"magicube.softmax", verifySoftmax, lowerSoftmax},
    {"magicube.spmm", verifySpmm, lowerSpmm},
};

namespace {

struct ConvertMagicubeToMagicubeGPUPass
    : magicube::impl::ConvertMagicubeToMagicubeGPUPassBase<
          ConvertMagicubeToMagicubeGPUPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(verifyModule(module)))
      return signalPassFailure();
    SmallVector<Operation *> operations;
    module.walk([&](SparseComputeOpInterface op) { operations.push_back(op); });
    KernelCache cache(module);
    IRRewriter rewriter(&getContext());
    for (Operation *op : operations) {
      findRow<OpLowering>(kLowerings, op)->lower(rewriter, op, cache);
      ++numLaunches;
    }
    numKernels += cache.size();
  }

private:
  /// Everything of the dialect must have a lowering here.
  static LogicalResult verifyModule(ModuleOp module) {
    bool ok = true;
    module.walk([&](Operation *op) {
      if (const OpLowering *lowering = findRow<OpLowering>(kLowerings, op)) {
        ok &= succeeded(lowering->verify(op));
      } else if (isa_and_nonnull<MagicubeDialect>(op->getDialect())) {
        op->emitOpError("has no lowering to a kernel");
        ok = false;
      }
    });
    return success(ok);
  }
};

} // namespace
