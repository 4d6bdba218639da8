//===- ProtectArguments.cpp - magicube-protect-arguments -----------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bufferization may write into every argument, unless it is told not to.
//
//===----------------------------------------------------------------------===//

#include "dialect/magicube/MagicubeDialect.h"
#include "magicube/Transforms/Passes.h"

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::magicube {
#define GEN_PASS_DEF_MAGICUBEPROTECTARGUMENTSPASS
#include "magicube/Transforms/Passes.h.inc"
} // namespace mlir::magicube

using namespace mlir;
using namespace mlir::magicube;
using bufferization::BufferizationDialect;

/// Reports an argument that says its buffer is not row-major, or that a sparse
/// tensor is one buffer: at the product that would read it, if there is one.
static LogicalResult verifyLayout(func::FuncOp function, unsigned index) {
  auto layout = function.getArgAttrOfType<AffineMapAttr>(
      index, BufferizationDialect::kBufferLayoutAttrName);
  Type type = function.getArgumentTypes()[index];
  if (!layout || (layout.getValue().isIdentity() && !getSparseEncoding(type)))
    return success();
  Operation *at = function;
  if (!function.isExternal())
    for (Operation *user : function.getArgument(index).getUsers())
      if (isa<SparseComputeOpInterface>(user))
        at = user;
  return (at->emitOpError("expected row-major buffers, but argument #")
          << index << " of '" << function.getName() << "' has "
          << BufferizationDialect::kBufferLayoutAttrName << " = " << layout)
             .attachNote(function.getLoc())
         << "take the transposed matrix as an argument and transpose it with "
            "linalg.transpose";
}

namespace {

struct MagicubeProtectArgumentsPass
    : magicube::impl::MagicubeProtectArgumentsPassBase<
          MagicubeProtectArgumentsPass> {
  void runOnOperation() override {
    auto no = BoolAttr::get(&getContext(), false);
    StringRef writable = BufferizationDialect::kWritableAttrName;
    bool ok = true;
    for (auto function : getOperation().getOps<func::FuncOp>())
      for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
        if (!isa<TensorType>(type))
          continue;
        ok &= succeeded(verifyLayout(function, i));
        // Calls of private functions copy what must stay.
        if (function.isPublic() && !function.isExternal() &&
            !function.getArgAttr(i, writable))
          function.setArgAttr(i, writable, no);
      }
    if (!ok)
      signalPassFailure();
  }
};

} // namespace
