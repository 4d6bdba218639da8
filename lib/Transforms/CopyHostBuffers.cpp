//===- CopyHostBuffers.cpp - magicube-copy-host-buffers -------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Entry functions whose callers know nothing of device memory.
//
//===----------------------------------------------------------------------===//

#include "magicube/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::magicube {
#define GEN_PASS_DEF_MAGICUBECOPYHOSTBUFFERSPASS
#include "magicube/Transforms/Passes.h.inc"
} // namespace mlir::magicube

using namespace mlir;

//===----------------------------------------------------------------------===//
// Which arguments a function writes
//===----------------------------------------------------------------------===//

namespace {

/// Follows a buffer through everything that may be another name of it, across
/// calls and control flow.
class WriteAnalysis {
public:
  /// Whether there is a write to `buffer`, or something that may be one.
  bool mayWrite(Value buffer) {
    names.clear();
    names.insert(buffer);
    for (size_t i = 0; i < names.size(); ++i)
      for (OpOperand &use : names[i].getUses())
        if (mayWrite(use))
          return true;
    return false;
  }

private:
  void addNames(ValueRange values) {
    for (Value value : values)
      if (isa<BaseMemRefType>(value.getType()))
        names.insert(value);
  }

  /// What a use does to the buffer; adds the names that it gives it.
  bool mayWrite(OpOperand &use) {
    Operation *op = use.getOwner();
    // What a function returns is a buffer of its own.
    if (isa<func::ReturnOp>(op))
      return false;
    if (auto call = dyn_cast<func::CallOp>(op))
      return mayWriteInCall(call, use.getOperandNumber());
    if (isa<BranchOpInterface>(op)) {
      for (Block *successor : op->getSuccessors())
        addNames(successor->getArguments());
      return false;
    }
    if (isa<RegionBranchTerminatorOpInterface>(op))
      op = op->getParentOp();
    if (isa<RegionBranchOpInterface>(op)) {
      for (Region &region : op->getRegions())
        for (Block &block : region)
          addNames(block.getArguments());
      addNames(op->getResults());
      return false;
    }
    auto interface = dyn_cast<MemoryEffectOpInterface>(op);
    if (!interface)
      return true;
    addNames(op->getResults());
    SmallVector<MemoryEffects::EffectInstance> effects;
    interface.getEffects(effects);
    return llvm::any_of(effects, [&](MemoryEffects::EffectInstance &effect) {
      return isa<MemoryEffects::Write, MemoryEffects::Free>(
                 effect.getEffect()) &&
             (!effect.getValue() || effect.getValue() == use.get());
    });
  }

  bool mayWriteInCall(func::CallOp call, unsigned argument) {
    auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
        call, call.getCalleeAttr());
    if (!callee || callee.isExternal())
      return true;
    addNames(callee.getArgument(argument));
    return false;
  }

  llvm::SetVector<Value> names;
};

} // namespace

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

static SmallVector<Value> getDynamicSizes(OpBuilder &b, Location loc,
                                          Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      sizes.push_back(memref::DimOp::create(b, loc, buffer, dim));
  return sizes;
}

/// Runs an operation of the device and waits for it: `build` makes it from the
/// token that it depends on. Upstream lowers these operations with tokens only.
static void
runOnDevice(OpBuilder &b, Location loc,
            function_ref<gpu::AsyncOpInterface(Type, Value)> build) {
  Type type = b.getType<gpu::AsyncTokenType>();
  auto begin = gpu::WaitOp::create(b, loc, type, ValueRange());
  gpu::AsyncOpInterface op = build(type, begin.getAsyncToken());
  gpu::WaitOp::create(b, loc, /*asyncToken=*/Type(), op.getAsyncToken());
}

static void copy(OpBuilder &b, Location loc, Value to, Value from) {
  runOnDevice(b, loc, [&](Type type, Value token) -> gpu::AsyncOpInterface {
    return gpu::MemcpyOp::create(b, loc, type, token, to, from);
  });
}

static void deallocate(OpBuilder &b, Location loc, Value buffer) {
  runOnDevice(b, loc, [&](Type type, Value token) -> gpu::AsyncOpInterface {
    return gpu::DeallocOp::create(b, loc, type, token, buffer);
  });
}

/// A copy of `buffer` that kernels and host code reach.
static Value copyToDevice(OpBuilder &b, Location loc, Value buffer) {
  auto alloc = gpu::AllocOp::create(
      b, loc, cast<MemRefType>(buffer.getType()), /*asyncToken=*/Type(),
      /*asyncDependencies=*/ValueRange(), getDynamicSizes(b, loc, buffer),
      /*symbolOperands=*/ValueRange(), /*hostShared=*/true);
  copy(b, loc, alloc.getMemref(), buffer);
  return alloc.getMemref();
}

/// Replaces a result by a copy on the heap of the host, which the caller frees.
static Value moveToHost(OpBuilder &b, Location loc, Value buffer) {
  Value host =
      memref::AllocOp::create(b, loc, cast<MemRefType>(buffer.getType()),
                              getDynamicSizes(b, loc, buffer));
  copy(b, loc, host, buffer);
  deallocate(b, loc, buffer);
  return host;
}

//===----------------------------------------------------------------------===//
// Entry functions
//===----------------------------------------------------------------------===//

static constexpr StringLiteral kInnerSuffix = "_on_device";

/// Functions that other programs call, with buffers.
static bool isEntry(func::FuncOp function) {
  auto isBuffer = [](Type type) { return isa<BaseMemRefType>(type); };
  return function.isPublic() && !function.isExternal() &&
         (llvm::any_of(function.getArgumentTypes(), isBuffer) ||
          llvm::any_of(function.getResultTypes(), isBuffer));
}

/// Buffers must be whole and of known rank to be copied.
static LogicalResult verifySignature(func::FuncOp function) {
  for (TypeRange types : {TypeRange(function.getArgumentTypes()),
                          TypeRange(function.getResultTypes())})
    for (Type type : types) {
      auto buffer = dyn_cast<MemRefType>(type);
      if (isa<UnrankedMemRefType>(type) ||
          (buffer && !buffer.getLayout().isIdentity()))
        return (function.emitOpError("expected buffers of known rank and "
                                     "row-major layout at an entry function, "
                                     "but got ")
                << type)
                   .attachNote()
               << "make the function private, or leave host-buffers out and "
                  "pass device memory";
    }
  return success();
}

/// Takes body and callers away from `function` to a private function; returns
/// that. What is left is an empty entry.
static func::FuncOp splitOff(func::FuncOp function, SymbolTable &symbols) {
  OpBuilder b(function);
  auto inner = func::FuncOp::create(b, function.getLoc(),
                                    (function.getName() + kInnerSuffix).str(),
                                    function.getFunctionType());
  inner.setPrivate();
  inner->remove();
  symbols.insert(inner, std::next(function->getIterator()));
  inner.getBody().takeBody(function.getBody());
  function.addEntryBlock();
  return inner;
}

/// entry(host buffers): copies in, call of `inner`, copies out.
static void fillEntry(func::FuncOp entry, func::FuncOp inner) {
  Location loc = entry.getLoc();
  OpBuilder b = OpBuilder::atBlockBegin(&entry.getBody().front());
  SmallVector<Value> operands, results;
  for (Value argument : entry.getArguments())
    operands.push_back(isa<MemRefType>(argument.getType())
                           ? copyToDevice(b, loc, argument)
                           : argument);
  auto call = func::CallOp::create(b, loc, inner, operands);
  WriteAnalysis analysis;
  for (auto [i, operand] : llvm::enumerate(operands)) {
    if (!isa<MemRefType>(operand.getType()))
      continue;
    if (analysis.mayWrite(inner.getArgument(i)))
      copy(b, loc, entry.getArgument(i), operand);
    deallocate(b, loc, operand);
  }
  for (Value result : call.getResults())
    results.push_back(isa<MemRefType>(result.getType())
                          ? moveToHost(b, loc, result)
                          : result);
  func::ReturnOp::create(b, loc, results);
}

namespace {

struct MagicubeCopyHostBuffersPass
    : magicube::impl::MagicubeCopyHostBuffersPassBase<
          MagicubeCopyHostBuffersPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SymbolTable symbols(module);
    SmallVector<std::pair<func::FuncOp, func::FuncOp>> entries;
    for (auto function : module.getOps<func::FuncOp>()) {
      if (!isEntry(function))
        continue;
      if (failed(verifySignature(function)))
        return signalPassFailure();
      entries.push_back({function, func::FuncOp()});
    }
    for (auto &[entry, inner] : entries) {
      inner = splitOff(entry, symbols);
      if (failed(SymbolTable::replaceAllSymbolUses(entry, inner.getNameAttr(),
                                                   module)))
        return signalPassFailure();
    }
    // The analysis wants every body at its place.
    for (auto [entry, inner] : entries)
      fillEntry(entry, inner);
  }
};

} // namespace
