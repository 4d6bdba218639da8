//===- CopyStridedBuffers.cpp - magicube-copy-strided-buffers ------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A row-major type is a promise that bufferization makes for any buffer whose
// last stride is 1.
//
//===----------------------------------------------------------------------===//

#include "magicube/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Utils/MemRefUtils.h"

namespace mlir::magicube {
#define GEN_PASS_DEF_MAGICUBECOPYSTRIDEDBUFFERSPASS
#include "magicube/Transforms/Passes.h.inc"
} // namespace mlir::magicube

using namespace mlir;

/// Whether `op` calls a buffer row-major of which the types do not tell.
static bool isPromise(memref::CastOp op) {
  auto source = dyn_cast<MemRefType>(op.getSource().getType());
  auto result = dyn_cast<MemRefType>(op.getType());
  return source && result && !source.getLayout().isIdentity() &&
         result.getLayout().isIdentity() &&
         !memref::isStaticShapeAndContiguousRowMajor(source);
}

/// Replaces a cast by a copy.
static void replaceByCopy(memref::CastOp op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  auto type = cast<MemRefType>(op.getType());
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      sizes.push_back(memref::DimOp::create(b, loc, op.getSource(), dim));
  Value copy = memref::AllocOp::create(b, loc, type, sizes);
  memref::CopyOp::create(b, loc, op.getSource(), copy);
  op.replaceAllUsesWith(copy);
  op.erase();
}

namespace {

struct MagicubeCopyStridedBuffersPass
    : magicube::impl::MagicubeCopyStridedBuffersPassBase<
          MagicubeCopyStridedBuffersPass> {
  void runOnOperation() override {
    SmallVector<memref::CastOp> promises;
    getOperation().walk([&](memref::CastOp op) {
      if (isPromise(op))
        promises.push_back(op);
    });
    for (memref::CastOp op : promises)
      replaceByCopy(op);
  }
};

} // namespace
