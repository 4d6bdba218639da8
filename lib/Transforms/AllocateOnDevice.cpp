//===- AllocateOnDevice.cpp - magicube-allocate-on-device ------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Buffers that kernels reach come from the device's allocator.
//
//===----------------------------------------------------------------------===//

#include "magicube/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir::magicube {
#define GEN_PASS_DEF_MAGICUBEALLOCATEONDEVICEPASS
#include "magicube/Transforms/Passes.h.inc"
} // namespace mlir::magicube

using namespace mlir;

/// memref.alloc -> gpu.alloc host_shared
static void replaceAlloc(memref::AllocOp op) {
  OpBuilder builder(op);
  auto alloc = gpu::AllocOp::create(
      builder, op.getLoc(), op.getType(), /*asyncToken=*/Type(),
      /*asyncDependencies=*/ValueRange(), op.getDynamicSizes(),
      op.getSymbolOperands(), /*hostShared=*/true);
  op.replaceAllUsesWith(alloc.getMemref());
  op.erase();
}

/// memref.dealloc -> gpu.dealloc, which upstream lowers only with tokens.
static void replaceDealloc(memref::DeallocOp op) {
  OpBuilder builder(op);
  auto tokenType = builder.getType<gpu::AsyncTokenType>();
  Location loc = op.getLoc();
  auto begin =
      gpu::WaitOp::create(builder, loc, tokenType, /*asyncDependencies=*/{});
  auto dealloc = gpu::DeallocOp::create(
      builder, loc, tokenType, ValueRange{begin.getAsyncToken()},
      op.getMemref());
  gpu::WaitOp::create(builder, loc, /*asyncToken=*/Type(),
                      ValueRange{dealloc.getAsyncToken()});
  op.erase();
}

namespace {

struct MagicubeAllocateOnDevicePass
    : magicube::impl::MagicubeAllocateOnDevicePassBase<
          MagicubeAllocateOnDevicePass> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isa<memref::AllocOp, memref::DeallocOp>(op))
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      if (auto alloc = dyn_cast<memref::AllocOp>(op))
        replaceAlloc(alloc);
      else
        replaceDealloc(cast<memref::DeallocOp>(op));
    }
  }
};

} // namespace
