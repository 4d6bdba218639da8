//===- Legality.cpp - Which operations may have sparse tensors ------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An operation that does not know the encoding would treat its tensor as dense:
// that is an error here, before any pass can.
//
//===----------------------------------------------------------------------===//

#include "Legality.h"

#include "dialect/magicube/MagicubeQuantization.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::magicube;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

bool mlir::magicube::isStored(Type type) {
  return getSparseEncoding(type) || isPackedDense(type);
}

/// Whether `isWanted` holds of a type or of one inside it, such as in a tuple.
static bool hasInside(Type type, function_ref<bool(Type)> isWanted) {
  auto check = [&](Type part) {
    return isWanted(part) ? WalkResult::interrupt() : WalkResult::advance();
  };
  return type.walk(check).wasInterrupted();
}

static bool hasStored(Type type) { return hasInside(type, isStored); }

static bool hasSparse(Type type) {
  return hasInside(
      type, [](Type part) { return getSparseEncoding(part) != nullptr; });
}

/// Types of an operation's operands, results, block arguments and signature.
static SmallVector<Type> getValueTypes(Operation *op) {
  SmallVector<Type> types(op->getOperandTypes());
  llvm::append_range(types, op->getResultTypes());
  if (auto function = dyn_cast<FunctionOpInterface>(op)) {
    llvm::append_range(types, function.getArgumentTypes());
    llvm::append_range(types, function.getResultTypes());
  }
  for (Region &region : op->getRegions())
    for (Block &block : region)
      llvm::append_range(types, block.getArgumentTypes());
  return types;
}

bool mlir::magicube::hasNoStoredValue(Operation *op) {
  return llvm::none_of(getValueTypes(op), hasStored);
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// Whether there is a pattern for sparse values of this operation.
static bool isConverted(Operation *op) {
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return select.getCondition().getType().isInteger(1);
  if (auto cast = dyn_cast<tensor::CastOp>(op))
    return isStored(cast.getType()) &&
           getSparseEncoding(cast.getType()) ==
               getSparseEncoding(cast.getSource().getType()) &&
           isa<RankedTensorType>(cast.getSource().getType());
  return isa<AssembleOp, DisassembleOp, SparseComputeOpInterface, tensor::DimOp,
             func::FuncOp, func::CallOp, func::ReturnOp, scf::ForOp, scf::IfOp,
             scf::WhileOp, scf::ConditionOp, scf::YieldOp, scf::IndexSwitchOp>(
      op);
}

/// Reports an operation with sparse values that cannot be converted.
static LogicalResult verifyOperation(Operation *op) {
  SmallVector<Type> types = getValueTypes(op);
  Type *outer = llvm::find_if(
      types, [](Type type) { return hasStored(type) && !isStored(type); });
  if (outer != types.end()) {
    StringRef kind = hasSparse(*outer) ? "sparse tensor" : "tensor of i4";
    return (op->emitOpError("has a ") << kind << " inside " << *outer)
               .attachNote()
           << "pass the " << kind << " on its own";
  }
  if (llvm::any_of(types, hasQuantizedType))
    return (op->emitOpError("has quantized types, which have no storage yet"))
               .attachNote()
           << "run magicube-propagate-quantization first";
  if (isa<PackOp, UnpackOp>(op))
    return op->emitOpError("runs on the host, for which there is no lowering "
                           "yet")
               .attachNote()
           << "pass the sparse tensor to the function as an argument: "
              "magicube-run packs it, and so does the packer of lib/Format";
  if (isa_and_nonnull<cf::ControlFlowDialect>(op->getDialect()))
    return op->emitOpError("hands on a sparse tensor from block to block")
               .attachNote()
           << "run magicube-lift-control-flow first";
  bool isSparse = llvm::any_of(
      types, [](Type type) { return getSparseEncoding(type) != nullptr; });
  if (!isConverted(op) && !isSparse)
    return op->emitOpError("has a dense tensor of i4, which is stored two to a "
                           "byte")
               .attachNote()
           << "only products, calls and control flow take one: pass it to "
              "the function as an argument";
  if (!isConverted(op))
    return op->emitOpError("does not know the encoding of its sparse tensor "
                           "and would treat it as dense")
               .attachNote()
           << "make it dense with magicube.unpack, or take it apart with "
              "magicube.disassemble";
  if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    auto type = cast<RankedTensorType>(dim.getSource().getType());
    std::optional<int64_t> index = dim.getConstantIndex();
    if (!index || *index < 0 || *index >= type.getRank())
      return op->emitOpError("expected a constant dimension below ")
             << type.getRank() << " of a "
             << (getSparseEncoding(type) ? "sparse tensor" : "tensor of i4");
  }
  return success();
}

/// Reports a product that later passes, which work on the functions of one
/// module, would not see.
static LogicalResult verifyModule(Operation *op, ModuleOp module) {
  if (!isa<SparseComputeOpInterface>(op) ||
      op->getParentOfType<ModuleOp>() == module)
    return success();
  return (op->emitOpError("is in a nested module, and nested modules are not "
                          "compiled"))
             .attachNote()
         << "move its function to the outer module";
}

LogicalResult mlir::magicube::verifyConvertible(ModuleOp module) {
  bool ok = true;
  module.walk([&](Operation *op) {
    ok &= succeeded(verifyModule(op, module));
    if (!hasNoStoredValue(op))
      ok &= succeeded(verifyOperation(op));
  });
  return success(ok);
}
