//===- PrepareHost.cpp - magicube-prepare-host ----------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the project knows about host code and upstream's lowering does not.
//
//===----------------------------------------------------------------------===//

#include "dialect/magicube/MagicubeDialect.h"
#include "magicube/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir::magicube {
#define GEN_PASS_DEF_MAGICUBEPREPAREHOSTPASS
#include "magicube/Transforms/Passes.h.inc"
} // namespace mlir::magicube

using namespace mlir;
using namespace mlir::magicube;

/// What upstream's func-to-llvm reads a function's linkage from.
static constexpr StringLiteral kLinkageAttrName = "llvm.linkage";

/// Gives every public function with a body a C interface; private ones are this
/// program's alone. Declarations keep theirs: they may name functions of any C
/// library.
static void setInterface(ModuleOp module) {
  MLIRContext *context = module.getContext();
  StringRef cInterface = LLVM::LLVMDialect::getEmitCWrapperAttrName();
  auto internal = LLVM::LinkageAttr::get(context, LLVM::Linkage::Internal);
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isExternal())
      continue;
    if (function.isPublic())
      function->setAttr(cInterface, UnitAttr::get(context));
    else if (!function->hasAttr(kLinkageAttrName))
      function->setAttr(kLinkageAttrName, internal);
  }
}

/// Drops the dialect's own attributes, so that tools without it can read the
/// module.
static void dropAttributes(ModuleOp module) {
  SmallVector<StringAttr> names;
  for (NamedAttribute attr : module->getDiscardableAttrs())
    if (isa_and_nonnull<MagicubeDialect>(attr.getNameDialect()))
      names.push_back(attr.getName());
  for (StringAttr name : names)
    module->removeDiscardableAttr(name);
}

/// Makes a loop nest of a copy between buffers with gaps. Upstream would call a
/// function of its runner library for it.
static LogicalResult expandCopy(memref::CopyOp op) {
  auto isContiguous = [](Value buffer) {
    auto type = dyn_cast<MemRefType>(buffer.getType());
    return type && type.getLayout().isIdentity();
  };
  if (isContiguous(op.getSource()) && isContiguous(op.getTarget()))
    return success();
  if (!isa<MemRefType>(op.getSource().getType()) ||
      !isa<MemRefType>(op.getTarget().getType()))
    return op.emitOpError("expected buffers of known rank, but got ")
           << op.getSource().getType() << " and " << op.getTarget().getType();
  OpBuilder builder(op);
  linalg::makeMemRefCopyOp(builder, op.getLoc(), op.getSource(),
                           op.getTarget());
  op.erase();
  return success();
}

namespace {

struct MagicubePrepareHostPass
    : magicube::impl::MagicubePrepareHostPassBase<MagicubePrepareHostPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    setInterface(module);
    dropAttributes(module);
    WalkResult expanded = module.walk([](memref::CopyOp op) {
      return failed(expandCopy(op)) ? WalkResult::interrupt()
                                    : WalkResult::advance();
    });
    if (expanded.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
