//===- AccessChecks.cpp - Checks at plain loads and stores ----------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The PTX ISA wants every access aligned to its size; host code would not
// notice. Accesses to shared memory are also checked against its bounds, since
// what lies beside it in the same page would not fault.
//
//===----------------------------------------------------------------------===//

#include "ModuleTransform.h"
#include "Worker.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace mlir::magicube;
using namespace mlir::magicube::sim;

/// Words the error of a failed check.
static void describeViolation(const Lane &lane, const AccessSite *site,
                              uintptr_t address) {
  std::string operation =
      site->name + " (in " +
      (site->location.empty() ? "'" + site->function + "'" : site->location) +
      ") at " + hexadecimal(address);
  if (address % site->alignment)
    return lane.worker->fail(lane, "misaligned: " + operation +
                                       ", which is not a multiple of " +
                                       std::to_string(site->alignment));
  lane.worker->fail(lane, "out of bounds: " + operation + ", " +
                              lane.worker->describeAddress(address));
}

/// Called by JIT code when a check failed; does not return.
static void reportAccess(Lane *lane, const AccessSite *site,
                         uintptr_t address) {
  describeViolation(*lane, site, address);
  lane->worker->stop(*lane);
}

namespace {

/// A load, store or atomic operation.
struct Access {
  llvm::Instruction *instruction;
  llvm::Value *pointer;
  llvm::Type *type;
  llvm::Align alignment;
  const char *verb;
};

} // namespace

/// The access of an instruction that needs a check; empty if there is none.
static std::optional<Access> accessOf(llvm::Instruction &instruction) {
  std::optional<Access> access;
  if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
    access = {load, load->getPointerOperand(), load->getType(),
              load->getAlign(), "load"};
  else if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
    access = {store, store->getPointerOperand(),
              store->getValueOperand()->getType(), store->getAlign(), "store"};
  else if (auto *rmw = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction))
    access = {rmw, rmw->getPointerOperand(), rmw->getType(), rmw->getAlign(),
              "atomic operation"};
  else if (auto *swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction))
    access = {swap, swap->getPointerOperand(),
              swap->getCompareOperand()->getType(), swap->getAlign(),
              "atomic operation"};
  // Locals are where the host's compiler puts them, at their alignment.
  if (access &&
      llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(access->pointer)))
    return std::nullopt;
  return access;
}

/// True, at run time, if the access breaks a rule; null if it cannot.
static llvm::Value *violation(llvm::IRBuilderBase &builder,
                              const Access &access, uint64_t bytes,
                              llvm::Value *lane, llvm::Value *address) {
  llvm::Value *broken = nullptr;
  if (access.alignment > 1)
    broken = builder.CreateICmpNE(
        builder.CreateAnd(address, access.alignment.value() - 1),
        builder.getInt64(0));
  if (access.pointer->getType()->getPointerAddressSpace() != sharedSpace)
    return broken;
  // offset > sharedBytes - bytes, which also catches a negative offset; and
  // sharedBytes < bytes, where that difference wraps.
  llvm::Value *base = loadLaneMember(builder, lane, offsetof(Lane, shared), 64);
  llvm::Value *size =
      loadLaneMember(builder, lane, offsetof(Lane, sharedBytes), 64);
  llvm::Value *outside = builder.CreateOr(
      builder.CreateICmpUGT(builder.CreateSub(address, base),
                            builder.CreateSub(size, builder.getInt64(bytes))),
      builder.CreateICmpULT(size, builder.getInt64(bytes)));
  return broken ? builder.CreateOr(broken, outside) : outside;
}

/// The host may assume nothing about an address that was only checked: a
/// misaligned vector access would otherwise be a fault without an address.
static void relaxAlignment(llvm::Instruction &instruction) {
  if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
    if (!load->isAtomic())
      load->setAlignment(llvm::Align(1));
  } else if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
    if (!store->isAtomic())
      store->setAlignment(llvm::Align(1));
  }
}

static void addCheck(const Access &access, DeviceCode &code) {
  llvm::Instruction &instruction = *access.instruction;
  llvm::Function &function = *instruction.getFunction();
  uint64_t bytes =
      function.getParent()->getDataLayout().getTypeStoreSize(access.type);
  llvm::IRBuilder<> builder(&instruction);
  llvm::Value *lane = laneOf(function);
  llvm::Value *address =
      builder.CreatePtrToInt(access.pointer, builder.getInt64Ty());
  llvm::Value *broken = violation(builder, access, bytes, lane, address);
  if (!broken)
    return;

  AccessSite &site = code.accessSites.emplace_back();
  site.name = std::string(access.verb) + " of " + std::to_string(bytes) +
              (bytes == 1 ? " byte" : " bytes");
  site.bytes = static_cast<uint32_t>(bytes);
  site.alignment = static_cast<uint32_t>(access.alignment.value());
  site.function = function.getName().str();
  site.location = locationOf(instruction);

  llvm::MDNode *unlikely =
      llvm::MDBuilder(function.getContext()).createUnlikelyBranchWeights();
  llvm::Instruction *stop = llvm::SplitBlockAndInsertIfThen(
      broken, instruction.getIterator(), /*Unreachable=*/true, unlikely);
  builder.SetInsertPoint(stop);
  auto *type = llvm::FunctionType::get(
      builder.getVoidTy(),
      {builder.getPtrTy(), builder.getPtrTy(), builder.getInt64Ty()},
      /*isVarArg=*/false);
  builder.CreateCall(
      type, hostAddress(builder, reinterpret_cast<const void *>(&reportAccess)),
      {lane, hostAddress(builder, &site), address});
  relaxAlignment(instruction);
}

void sim::checkAccesses(llvm::Module &module, DeviceCode &code) {
  llvm::SmallVector<Access> accesses;
  for (llvm::Function &function : module)
    for (llvm::BasicBlock &block : function)
      for (llvm::Instruction &instruction : block)
        if (std::optional<Access> access = accessOf(instruction))
          accesses.push_back(*access);
  for (const Access &access : accesses)
    addCheck(access, code);
}
