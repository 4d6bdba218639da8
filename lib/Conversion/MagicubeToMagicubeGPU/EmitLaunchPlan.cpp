//===- EmitLaunchPlan.cpp - Launch plans as host IR ---------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The twin of lib/Runtime/BundleProgram.cpp, which evaluates plans on numbers.
//
//===----------------------------------------------------------------------===//

#include "EmitLaunchPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::magicube;

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

/// The address of a memref's first element, as index.
static Value getAddress(OpBuilder &b, Location loc, Value buffer,
                        memref::ExtractStridedMetadataOp metadata) {
  auto type = cast<MemRefType>(buffer.getType());
  Value base = memref::ExtractAlignedPointerAsIndexOp::create(b, loc, buffer);
  Value elementBytes =
      arith::ConstantIndexOp::create(b, loc, type.getElementTypeBitWidth() / 8);
  Value offset =
      arith::MulIOp::create(b, loc,
                            getValueOrCreateConstantIndexOp(
                                b, loc, metadata.getConstifiedMixedOffset()),
                            elementBytes);
  return arith::AddIOp::create(b, loc, base, offset);
}

/// A symbol of a dense operand.
Value PlanSymbols::getComponent(OpBuilder &b, Location loc, StringRef name) {
  auto [operand, component] = name.split('.');
  Value buffer = values.lookup(operand);
  if (component == "dim0" || component == "dim1")
    return memref::DimOp::create(b, loc, buffer, component == "dim1");
  // Both come of one operation.
  auto metadata = memref::ExtractStridedMetadataOp::create(b, loc, buffer);
  values[(operand + ".address").str()] = getAddress(b, loc, buffer, metadata);
  if (cast<MemRefType>(buffer.getType()).getRank() > 1)
    values[(operand + ".stride0").str()] = getValueOrCreateConstantIndexOp(
        b, loc, metadata.getConstifiedMixedStrides().front());
  return values.lookup(name);
}

Value PlanSymbols::get(OpBuilder &b, Location loc, StringRef name) {
  Value &value = values[name];
  if (!value)
    return values[name] = getComponent(b, loc, name);
  if (isa<MemRefType>(value.getType()))
    return getAddress(b, loc, value,
                      memref::ExtractStridedMetadataOp::create(b, loc, value));
  return value;
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

namespace {

/// Emits a plan. What a block has computed, later ones in it use; so a copy of
/// the emitter goes into each nested block.
class PlanEmitter {
public:
  PlanEmitter(OpBuilder &b, Location loc, PlanSymbols symbols)
      : b(b), loc(loc), symbols(std::move(symbols)) {}

  void addValue(const PlanValue &value) {
    symbols.add(value.name, emit(value.value));
  }
  void emitLaunch(const PlanLaunch &launch, ArrayRef<gpu::GPUFuncOp> kernels);

private:
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  Value emit(const SizeExpr &expr);
  Value emitOperation(const SizeExpr &expr);
  /// Whether all of the values are multiples of a power of two.
  Value emitAlignment(const PlanAlignment &alignment);
  Value emitParameter(const PlanParameter &parameter);
  /// Launches the first kernel whose alignments hold.
  void emitChoice(ArrayRef<PlanKernel> plans, ArrayRef<gpu::GPUFuncOp> kernels);
  void emitKernel(const PlanKernel &plan, gpu::GPUFuncOp kernel);

  OpBuilder &b;
  Location loc;
  PlanSymbols symbols;
  /// Values of expressions, by text.
  llvm::StringMap<Value> known;
};

} // namespace

Value PlanEmitter::emit(const SizeExpr &expr) {
  if (expr.kind == SizeExpr::Kind::Constant)
    return constant(expr.value);
  if (expr.kind == SizeExpr::Kind::Symbol)
    return symbols.get(b, loc, expr.name);
  std::string text = expr.str();
  if (Value value = known.lookup(text))
    return value;
  return known[text] = emitOperation(expr);
}

/// Sizes and addresses are not negative, so all is unsigned.
Value PlanEmitter::emitOperation(const SizeExpr &expr) {
  Value lhs = emit(expr.operands[0]), rhs = emit(expr.operands[1]);
  switch (expr.kind) {
  case SizeExpr::Kind::Add:
    return arith::AddIOp::create(b, loc, lhs, rhs);
  case SizeExpr::Kind::Sub:
    return arith::SubIOp::create(b, loc, lhs, rhs);
  case SizeExpr::Kind::Mul:
    return arith::MulIOp::create(b, loc, lhs, rhs);
  case SizeExpr::Kind::CeilDiv:
    return arith::CeilDivUIOp::create(b, loc, lhs, rhs);
  case SizeExpr::Kind::FloorDiv:
    return arith::DivUIOp::create(b, loc, lhs, rhs);
  case SizeExpr::Kind::Mod:
    return arith::RemUIOp::create(b, loc, lhs, rhs);
  case SizeExpr::Kind::Min:
    return arith::MinUIOp::create(b, loc, lhs, rhs);
  case SizeExpr::Kind::Max:
    return arith::MaxUIOp::create(b, loc, lhs, rhs);
  case SizeExpr::Kind::Constant:
  case SizeExpr::Kind::Symbol:
    break;
  }
  return Value();
}

Value PlanEmitter::emitAlignment(const PlanAlignment &alignment) {
  Value bits;
  for (const SizeExpr &expr : alignment.values) {
    Value value = emit(expr);
    bits = bits ? arith::OrIOp::create(b, loc, bits, value) : value;
  }
  Value rest =
      arith::AndIOp::create(b, loc, bits, constant(alignment.multiple - 1));
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, rest,
                               constant(0));
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

Value PlanEmitter::emitParameter(const PlanParameter &parameter) {
  Value value = emit(parameter.value);
  switch (parameter.kind) {
  case PlanParameter::Kind::Pointer:
    return LLVM::IntToPtrOp::create(
        b, loc, LLVM::LLVMPointerType::get(b.getContext(), /*addressSpace=*/1),
        arith::IndexCastOp::create(b, loc, b.getI64Type(), value).getResult());
  case PlanParameter::Kind::I32:
    return arith::IndexCastOp::create(b, loc, b.getI32Type(), value);
  case PlanParameter::Kind::I64:
    return arith::IndexCastOp::create(b, loc, b.getI64Type(), value);
  case PlanParameter::Kind::F32:
    return value;
  }
  return Value();
}

void PlanEmitter::emitKernel(const PlanKernel &plan, gpu::GPUFuncOp kernel) {
  gpu::KernelDim3 grid = {emit(plan.grid[0]), emit(plan.grid[1]),
                          emit(plan.grid[2])};
  gpu::KernelDim3 block = {constant(plan.block[0]), constant(plan.block[1]),
                           constant(plan.block[2])};
  SmallVector<Value> arguments;
  for (const PlanParameter &parameter : plan.parameters)
    arguments.push_back(emitParameter(parameter));
  // The size of shared memory follows in magicube-gpu-assign-shared-memory.
  gpu::LaunchFuncOp::create(b, loc, kernel, grid, block,
                            /*dynamicSharedMemorySize=*/Value(), arguments);
}

void PlanEmitter::emitChoice(ArrayRef<PlanKernel> plans,
                             ArrayRef<gpu::GPUFuncOp> kernels) {
  const PlanKernel &plan = plans.front();
  Value condition;
  for (const PlanAlignment &alignment : plan.alignments) {
    Value holds = emitAlignment(alignment);
    condition =
        condition ? arith::AndIOp::create(b, loc, condition, holds) : holds;
  }
  if (!condition) {
    emitKernel(plan, kernels.front());
    return;
  }
  scf::IfOp::create(
      b, loc, condition,
      [&](OpBuilder &, Location) {
        PlanEmitter(*this).emitKernel(plan, kernels.front());
        scf::YieldOp::create(b, loc);
      },
      [&](OpBuilder &, Location) {
        if (plans.size() > 1)
          PlanEmitter(*this).emitChoice(plans.drop_front(),
                                        kernels.drop_front());
        scf::YieldOp::create(b, loc);
      });
}

void PlanEmitter::emitLaunch(const PlanLaunch &launch,
                             ArrayRef<gpu::GPUFuncOp> kernels) {
  if (launch.unlessZero.empty()) {
    emitChoice(launch.kernels, kernels);
    return;
  }
  Value sizes;
  for (const SizeExpr &size : launch.unlessZero) {
    Value value = emit(size);
    sizes = sizes ? arith::MulIOp::create(b, loc, sizes, value) : value;
  }
  Value isNotEmpty = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne,
                                           sizes, constant(0));
  scf::IfOp::create(b, loc, isNotEmpty, [&](OpBuilder &, Location) {
    PlanEmitter(*this).emitChoice(launch.kernels, kernels);
    scf::YieldOp::create(b, loc);
  });
}

void mlir::magicube::emitLaunchPlan(OpBuilder &b, Location loc,
                                    const LaunchPlan &plan, PlanSymbols symbols,
                                    ArrayRef<gpu::GPUFuncOp> kernels) {
  PlanEmitter emitter(b, loc, std::move(symbols));
  for (const PlanValue &value : plan.values)
    emitter.addValue(value);
  for (const PlanLaunch &launch : plan.launches) {
    emitter.emitLaunch(launch, kernels.take_front(launch.kernels.size()));
    kernels = kernels.drop_front(launch.kernels.size());
  }
}
