//===- Prepared.cpp - What the lowering to NVVM relies on -----------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Earlier passes have done their part, and no other operation has values of the
// dialect: then every pattern applies.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mlir::magicube_gpu;

/// The first type of the dialect among an operation's values and signature.
static Type findOwnType(Operation *op) {
  SmallVector<Type> types(op->getOperandTypes());
  llvm::append_range(types, op->getResultTypes());
  for (Region &region : op->getRegions())
    for (Block &block : region)
      llvm::append_range(types, block.getArgumentTypes());
  if (auto function = dyn_cast<FunctionOpInterface>(op)) {
    llvm::append_range(types, function.getArgumentTypes());
    llvm::append_range(types, function.getResultTypes());
  }
  for (Type type : types)
    if (isa<MagicubeGPUDialect>(type.getDialect()))
      return type;
  return {};
}

/// Checks an operation of another dialect.
static LogicalResult verifyForeign(Operation *op) {
  // Selects have a pattern of ours, the others of upstream's.
  if (isa<scf::ForOp, scf::IfOp, scf::WhileOp, scf::ConditionOp, scf::YieldOp,
          scf::IndexSwitchOp, arith::SelectOp>(op))
    return success();
  if (Type type = findOwnType(op))
    return op->emitOpError("has a value of type ")
           << type << ", which only magicube_gpu and scf operations know";
  return success();
}

/// Checks that the threads of the kernel are known and can share the work.
static LogicalResult verifyCta(CtaOpInterface op) {
  auto kernel = op->getParentOfType<gpu::GPUFuncOp>();
  std::optional<ArrayRef<int32_t>> size;
  if (kernel)
    size = kernel.getKnownBlockSize();
  if (!size || (*size)[1] != 1 || (*size)[2] != 1)
    return op->emitOpError("expected a gpu.func with a known_block_size of one "
                           "dimension around it");
  return op.verifyThreads(size->front());
}

/// Checks an operation of the dialect.
static LogicalResult verifyOwn(Operation *op) {
  if (isa<AwaitCopiesOp>(op))
    return op->emitOpError(
        "is still here: run magicube-gpu-pipeline-loads first");
  auto hasNoPlace = [](Type type) {
    auto tile = dyn_cast<TileType>(type);
    return tile && !tile.getLayout();
  };
  if (llvm::any_of(op->getOperandTypes(), hasNoPlace) ||
      llvm::any_of(op->getResultTypes(), hasNoPlace))
    return op->emitOpError("has no place in shared memory: run "
                           "magicube-gpu-assign-shared-memory first");
  if (auto ctaOp = dyn_cast<CtaOpInterface>(op))
    return verifyCta(ctaOp);
  return success();
}

/// Checks that the symbol of the shared memory is free, or that memory's.
static LogicalResult verifySymbol(gpu::GPUModuleOp module) {
  Operation *symbol = module.lookupSymbol(kSharedMemorySymbol);
  if (!symbol)
    return success();
  auto global = dyn_cast<LLVM::GlobalOp>(symbol);
  constexpr auto space = static_cast<unsigned>(NVVM::NVVMMemorySpace::Shared);
  if (global && global.getAddrSpace() == space)
    return success();
  return symbol->emitOpError("has the name of the kernels' shared memory, '")
         << kSharedMemorySymbol << "'";
}

LogicalResult mlir::magicube_gpu::verifyPrepared(gpu::GPUModuleOp module) {
  if (failed(verifySymbol(module)))
    return failure();
  WalkResult result = module.walk([](Operation *op) {
    bool isOwn = isa_and_nonnull<MagicubeGPUDialect>(op->getDialect());
    return WalkResult(isOwn ? verifyOwn(op) : verifyForeign(op));
  });
  return failure(result.wasInterrupted());
}
