//===- FloatConversions.cpp - Rounding to 16-bit floats -------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cvt.rn to f16 and bf16 (PTX ISA, "cvt"). Not left to the host: some have an
// instruction for bf16 that flushes subnormals (x86 VCVTNEPS2BF16), others call
// a library function that few runtime libraries have (__truncsfbf2).
//
//===----------------------------------------------------------------------===//

#include "ModuleTransform.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace mlir::magicube;
using namespace mlir::magicube::sim;

/// CUDA's NaN of both formats (CUDART_NAN_FP16, CUDART_NAN_BF16).
static constexpr uint32_t canonicalNaN = 0x7FFF;

/// The bits of `value` rounded to nearest even; subnormals stay, what is too
/// large becomes infinity.
static uint32_t roundTo(const llvm::fltSemantics &format, double value) {
  llvm::APFloat rounded(value);
  bool losesInfo; // Expected: the error is at most half a unit.
  rounded.convert(format, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  if (rounded.isNaN())
    return canonicalNaN;
  return static_cast<uint32_t>(rounded.bitcastToAPInt().getZExtValue());
}

// What compiled code calls. A binary32 passes through binary64 unchanged, so
// one function serves both.
static uint32_t roundToHalf(double value) {
  return roundTo(llvm::APFloat::IEEEhalf(), value);
}
static uint32_t roundToBFloat(double value) {
  return roundTo(llvm::APFloat::BFloat(), value);
}

/// A call that rounds the scalar `value` to `type`.
static llvm::Value *callRounding(llvm::IRBuilderBase &builder,
                                 llvm::Value *value, llvm::Type *type) {
  llvm::Type *binary64 = builder.getDoubleTy();
  if (value->getType() != binary64)
    value = builder.CreateFPExt(value, binary64);
  auto *function = type->isHalfTy() ? roundToHalf : roundToBFloat;
  auto *signature = llvm::FunctionType::get(builder.getInt32Ty(), {binary64},
                                            /*isVarArg=*/false);
  llvm::Value *bits = builder.CreateCall(
      signature, hostAddress(builder, reinterpret_cast<const void *>(function)),
      {value});
  return builder.CreateBitCast(builder.CreateTrunc(bits, builder.getInt16Ty()),
                               type);
}

static void replaceConversion(llvm::FPTruncInst &conversion) {
  llvm::IRBuilder<> builder(&conversion);
  llvm::Value *source = conversion.getOperand(0);
  llvm::Type *type = conversion.getType();
  llvm::Value *result;
  if (auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(type)) {
    result = llvm::PoisonValue::get(type);
    for (unsigned i = 0; i < vector->getNumElements(); ++i)
      result = builder.CreateInsertElement(
          result,
          callRounding(builder, builder.CreateExtractElement(source, i),
                       vector->getElementType()),
          i);
  } else {
    result = callRounding(builder, source, type);
  }
  conversion.replaceAllUsesWith(result);
  conversion.eraseFromParent();
}

void sim::replaceFloatConversions(llvm::Module &module) {
  llvm::SmallVector<llvm::FPTruncInst *> conversions;
  for (llvm::Function &function : module)
    for (llvm::BasicBlock &block : function)
      for (llvm::Instruction &instruction : block)
        if (auto *conversion = llvm::dyn_cast<llvm::FPTruncInst>(&instruction))
          if (conversion->getType()->getScalarType()->is16bitFPTy())
            conversions.push_back(conversion);
  for (llvm::FPTruncInst *conversion : conversions)
    replaceConversion(*conversion);
}
