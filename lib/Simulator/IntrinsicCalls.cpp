//===- IntrinsicCalls.cpp - Calls into the simulator ----------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Special registers become loads from the lane, the common byte permutes
// vector shuffles, saturated fma selects; every other llvm.nvvm.* call becomes
// a call of the operation's entry point, with arguments and results in 64-bit
// slots on the thread's stack.
//
//===----------------------------------------------------------------------===//

#include "ModuleTransform.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Module.h"

using namespace mlir::magicube;
using namespace mlir::magicube::sim;

static constexpr llvm::StringLiteral intrinsicPrefix = "llvm.nvvm.";
static constexpr llvm::StringLiteral registerPrefix = "read.ptx.sreg.";
static constexpr unsigned slotBits = 64;

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

/// The types of a call's results, one per slot.
static llvm::SmallVector<llvm::Type *> resultTypes(llvm::Type *type) {
  if (type->isVoidTy())
    return {};
  if (auto *fields = llvm::dyn_cast<llvm::StructType>(type))
    return llvm::SmallVector<llvm::Type *>(fields->elements());
  return {type};
}

/// True if a value fits a slot: scalars and vectors of at most 64 bits.
static bool fitsSlot(llvm::Type *type) {
  return type->isPointerTy() ||
         (!type->isAggregateType() && type->isSized() &&
          type->getPrimitiveSizeInBits().getFixedValue() > 0 &&
          type->getPrimitiveSizeInBits().getFixedValue() <= slotBits);
}

static llvm::Type *bitsType(llvm::IRBuilderBase &builder, llvm::Type *type) {
  return builder.getIntNTy(
      static_cast<unsigned>(type->getPrimitiveSizeInBits().getFixedValue()));
}

static llvm::Value *toSlot(llvm::IRBuilderBase &builder, llvm::Value *value) {
  llvm::Type *slot = builder.getInt64Ty();
  if (value->getType()->isPointerTy())
    return builder.CreatePtrToInt(value, slot);
  value = builder.CreateBitCast(value, bitsType(builder, value->getType()));
  return builder.CreateZExt(value, slot);
}

static llvm::Value *fromSlot(llvm::IRBuilderBase &builder, llvm::Value *value,
                             llvm::Type *type) {
  if (type->isPointerTy())
    return builder.CreateIntToPtr(value, type);
  return builder.CreateBitCast(
      builder.CreateTrunc(value, bitsType(builder, type)), type);
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

namespace {

/// A call to replace, and by what.
struct Replacement {
  llvm::CallInst *call;
  std::string name;
  const Intrinsic *intrinsic;
  std::optional<SpecialRegister> reg;
};

/// A function's slot arrays, as large as its widest call needs; one pair
/// serves all calls, since results are read at once.
struct SlotArrays {
  llvm::Value *arguments;
  llvm::Value *results;
};

} // namespace

static SlotArrays createSlotArrays(llvm::Function &function,
                                   llvm::ArrayRef<Replacement> calls) {
  size_t numArguments = 0, numResults = 0;
  for (const Replacement &call : calls) {
    numArguments = std::max<size_t>(numArguments, call.call->arg_size());
    numResults = std::max(numResults, resultTypes(call.call->getType()).size());
  }
  llvm::IRBuilder<> builder(&function.getEntryBlock(),
                            function.getEntryBlock().begin());
  auto create = [&](size_t count) {
    return builder.CreateAlloca(
        llvm::ArrayType::get(builder.getInt64Ty(), count));
  };
  return {create(numArguments), create(numResults)};
}

static llvm::Value *slotAddress(llvm::IRBuilderBase &builder,
                                llvm::Value *array, size_t index) {
  return builder.CreateConstInBoundsGEP1_64(builder.getInt64Ty(), array, index);
}

/// void entryPoint(lane, site, results, arguments)
static llvm::Value *callEntryPoint(llvm::IRBuilderBase &builder,
                                   llvm::CallInst &call, const CallSite &site,
                                   const SlotArrays &slots) {
  for (auto [index, argument] : llvm::enumerate(call.args()))
    builder.CreateStore(toSlot(builder, argument),
                        slotAddress(builder, slots.arguments, index));
  llvm::Type *pointer = builder.getPtrTy();
  auto *type = llvm::FunctionType::get(builder.getVoidTy(),
                                       {pointer, pointer, pointer, pointer},
                                       /*isVarArg=*/false);
  ThreadFunction entry = entryPoint(*site.intrinsic);
  llvm::CallInst *replacement = builder.CreateCall(
      type, hostAddress(builder, reinterpret_cast<const void *>(entry)),
      {laneOf(*call.getFunction()), hostAddress(builder, &site), slots.results,
       slots.arguments});
  // No pass may give the call other conditions or merge it with another.
  replacement->addFnAttr(llvm::Attribute::Convergent);
  replacement->addFnAttr(llvm::Attribute::NoMerge);

  llvm::SmallVector<llvm::Type *> types = resultTypes(call.getType());
  llvm::Value *result = llvm::PoisonValue::get(
      types.empty() ? builder.getInt64Ty() : call.getType());
  for (auto [index, type] : llvm::enumerate(types)) {
    llvm::Value *value =
        fromSlot(builder,
                 builder.CreateLoad(builder.getInt64Ty(),
                                    slotAddress(builder, slots.results, index)),
                 type);
    if (!call.getType()->isStructTy())
      return value;
    result =
        builder.CreateInsertValue(result, value, static_cast<unsigned>(index));
  }
  return result;
}

/// prmt with a constant selector that replicates no sign: bytes 0 to 3 of the
/// shuffle's input are a's, 4 to 7 are b's (PTX ISA "prmt"). Null otherwise.
static llvm::Value *shufflePermute(llvm::IRBuilderBase &builder,
                                   llvm::CallInst &call) {
  auto *selector = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(2));
  constexpr uint32_t signBits = 0x8888;
  if (!selector || selector->getZExtValue() & signBits)
    return nullptr;
  llvm::SmallVector<int, 4> bytes;
  for (unsigned i = 0; i < 4; ++i)
    bytes.push_back(static_cast<int>(selector->getZExtValue() >> i * 4 & 7));
  auto *type = llvm::FixedVectorType::get(builder.getInt8Ty(), 4);
  llvm::Value *shuffled = builder.CreateShuffleVector(
      builder.CreateBitCast(call.getArgOperand(0), type),
      builder.CreateBitCast(call.getArgOperand(1), type), bytes);
  return builder.CreateBitCast(shuffled, builder.getInt32Ty());
}

/// fma.rn.sat: clamped to [0, 1], and +0 for a NaN (PTX ISA "fma"). Kernels
/// take exponentials with it, one an element, so it is no call.
static llvm::Value *saturateFma(llvm::IRBuilderBase &builder,
                                llvm::CallInst &call) {
  llvm::Value *sum = builder.CreateIntrinsic(
      llvm::Intrinsic::fma, {call.getType()},
      {call.getArgOperand(0), call.getArgOperand(1), call.getArgOperand(2)});
  auto *zero = llvm::ConstantFP::get(call.getType(), 0.0);
  auto *one = llvm::ConstantFP::get(call.getType(), 1.0);
  // Ordered: false for a NaN.
  llvm::Value *positive =
      builder.CreateSelect(builder.CreateFCmpOGT(sum, zero), sum, zero);
  return builder.CreateSelect(builder.CreateFCmpOLT(positive, one), positive,
                              one);
}

/// Code in the place of a call, or null.
static llvm::Value *inlineCall(llvm::IRBuilderBase &builder,
                               llvm::CallInst &call, llvm::StringRef name) {
  if (name == "prmt")
    return shufflePermute(builder, call);
  if (name == "fma.rn.sat.f")
    return saturateFma(builder, call);
  return nullptr;
}

static Error unsupported(const llvm::CallInst &call, const std::string &what) {
  std::string location = locationOf(call);
  return {"function '" + call.getFunction()->getName().str() + "' uses " +
              what + (location.empty() ? "" : " at " + location) +
              ", which device 'sim' does not simulate",
          "the operations it knows are in the tables of lib/Simulator"};
}

/// Looks up what replaces `call`; its `call` stays null if it can stay.
static Result<Replacement> lookUp(llvm::CallInst &call) {
  Replacement found{nullptr, "", nullptr, std::nullopt};
  if (call.isInlineAsm()) {
    auto *assembly = llvm::cast<llvm::InlineAsm>(call.getCalledOperand());
    found.intrinsic = findInlineAssembly(assembly->getAsmString(),
                                         assembly->getConstraintString());
    if (!found.intrinsic)
      return unsupported(call,
                         "inline assembly \"" + assembly->getAsmString().str() +
                             "\" with constraints \"" +
                             assembly->getConstraintString().str() + "\"");
    found.name = found.intrinsic->name;
    found.call = &call;
    return found;
  }
  llvm::Function *callee = call.getCalledFunction();
  if (!callee || !callee->getName().starts_with(intrinsicPrefix))
    return found;
  // Without the suffix of overloaded intrinsics.
  llvm::StringRef name =
      callee->isIntrinsic()
          ? llvm::Intrinsic::getBaseName(callee->getIntrinsicID())
          : callee->getName();
  name.consume_front(intrinsicPrefix);
  found.name = name.str();
  if (name.starts_with(registerPrefix))
    found.reg = findSpecialRegister(
        std::string_view(name).substr(registerPrefix.size()));
  if (!found.reg)
    found.intrinsic = findIntrinsic(found.name);
  CallSite trial;
  bool supported = found.reg || (found.intrinsic &&
                                 (!found.intrinsic->decode ||
                                  found.intrinsic->decode(found.name, trial)));
  for (llvm::Type *type : resultTypes(call.getType()))
    supported &= fitsSlot(type);
  for (llvm::Value *argument : call.args())
    supported &= fitsSlot(argument->getType());
  if (!supported)
    return unsupported(call, callee->getName().str());
  found.call = &call;
  return found;
}

static void replace(const Replacement &replacement, const SlotArrays &slots,
                    unsigned ordinal, DeviceCode &code) {
  llvm::CallInst &call = *replacement.call;
  llvm::IRBuilder<> builder(&call);
  llvm::Value *result = nullptr;
  if (replacement.reg)
    result = loadLaneMember(builder, laneOf(*call.getFunction()),
                            offsetof(Lane, registers) +
                                *replacement.reg * sizeof(uint32_t),
                            /*bits=*/32);
  else
    result = inlineCall(builder, call, replacement.name);
  if (!result) {
    CallSite &site = code.callSites.emplace_back();
    site.intrinsic = replacement.intrinsic;
    site.name = replacement.name;
    site.ordinal = ordinal;
    site.function = call.getFunction()->getName().str();
    site.location = locationOf(call);
    if (site.intrinsic->decode)
      site.intrinsic->decode(site.name, site);
    result = callEntryPoint(builder, call, site, slots);
  }
  if (!call.getType()->isVoidTy())
    call.replaceAllUsesWith(result);
  call.eraseFromParent();
}

Status sim::replaceIntrinsicCalls(llvm::Module &module, DeviceCode &code) {
  for (llvm::Function &function : module) {
    llvm::SmallVector<Replacement> calls;
    for (llvm::BasicBlock &block : function)
      for (llvm::Instruction &instruction : block) {
        auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
        if (!call)
          continue;
        Result<Replacement> found = lookUp(*call);
        if (!found)
          return found.error();
        if (found->call)
          calls.push_back(*found);
      }
    if (calls.empty())
      continue;
    SlotArrays slots = createSlotArrays(function, calls);
    unsigned ordinal = 0;
    for (const Replacement &call : calls)
      replace(call, slots, call.reg ? 0 : ++ordinal, code);
  }
  return Status::success();
}
