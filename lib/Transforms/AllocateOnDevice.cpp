//===- AllocateOnDevice.cpp - magicube-allocate-on-device -----------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Buffers that kernels reach come from the device's allocator.
//
//===----------------------------------------------------------------------===//

#include "dialect/magicube/MagicubeDialect.h"
#include "magicube/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace mlir::magicube {
#define GEN_PASS_DEF_MAGICUBEALLOCATEONDEVICEPASS
#include "magicube/Transforms/Passes.h.inc"
} // namespace mlir::magicube

using namespace mlir;
using namespace mlir::magicube;

/// Whether the global that `op` names never changes.
static bool isConstant(memref::GetGlobalOp op) {
  auto global = SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(
      op, op.getNameAttr());
  return global && global.getConstant();
}

/// Replaces a constant, which lies in the program's own memory, by a buffer
/// that is filled on entry to the function and freed before it returns.
static void replaceConstant(memref::GetGlobalOp op, func::FuncOp function) {
  Block &entry = function.getBody().front();
  op->moveBefore(&entry, entry.begin());
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  Location loc = op.getLoc();
  Value buffer = memref::AllocOp::create(builder, loc, op.getType());
  op.getResult().replaceAllUsesWith(buffer);
  memref::CopyOp::create(builder, loc, op.getResult(), buffer);
  // What a function returns is its own: constants have been cloned for that.
  function.walk([&](func::ReturnOp exit) {
    builder.setInsertionPoint(exit);
    memref::DeallocOp::create(builder, loc, buffer);
  });
}

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
  auto dealloc =
      gpu::DeallocOp::create(builder, loc, tokenType,
                             ValueRange{begin.getAsyncToken()}, op.getMemref());
  gpu::WaitOp::create(builder, loc, /*asyncToken=*/Type(),
                      ValueRange{dealloc.getAsyncToken()});
  op.erase();
}

/// Reports an operand of a product that is on the host's stack, or a global
/// that changes and so has no copy.
static LogicalResult verifyOperands(SparseComputeOpInterface op) {
  for (Value operand : op->getOperands()) {
    Value buffer = operand;
    while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>())
      buffer = view.getViewSource();
    if (isa_and_nonnull<memref::AllocaOp, memref::GetGlobalOp>(
            buffer.getDefiningOp())) {
      InFlightDiagnostic diag =
          op->emitOpError("expected operands in memory that a GPU reaches, but "
                          "one is in the host's: ")
          << operand.getType();
      diag.attachNote(buffer.getLoc()) << "allocate it with memref.alloc";
      return diag;
    }
  }
  return success();
}

/// All operations of a kind in a function.
template <typename OpTy>
static SmallVector<OpTy> collect(func::FuncOp function) {
  SmallVector<OpTy> ops;
  function.walk([&](OpTy op) { ops.push_back(op); });
  return ops;
}

namespace {

struct MagicubeAllocateOnDevicePass
    : magicube::impl::MagicubeAllocateOnDevicePassBase<
          MagicubeAllocateOnDevicePass> {
  void runOnOperation() override {
    getOperation().walk([](func::FuncOp function) {
      if (function->getParentOfType<gpu::GPUModuleOp>())
        return;
      for (auto op : collect<memref::GetGlobalOp>(function))
        if (isConstant(op))
          replaceConstant(op, function);
      for (auto op : collect<memref::AllocOp>(function))
        replaceAlloc(op);
      for (auto op : collect<memref::DeallocOp>(function))
        replaceDealloc(op);
    });
    WalkResult verified = getOperation().walk([](SparseComputeOpInterface op) {
      return failed(verifyOperands(op)) ? WalkResult::interrupt()
                                        : WalkResult::advance();
    });
    if (verified.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
