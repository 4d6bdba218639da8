//===- LaneParameter.cpp - The lane as a hidden parameter -----------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModuleTransform.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace mlir::magicube;
using namespace mlir::magicube::sim;

llvm::Value *sim::laneOf(llvm::Function &function) {
  return function.getArg(0);
}

/// Only direct calls of functions with a body can pass the lane on.
static Status checkCalls(llvm::Module &module) {
  for (llvm::Function &function : module) {
    if (function.isIntrinsic())
      continue;
    if (function.isDeclaration()) {
      if (function.use_empty())
        continue;
      return Error{"function '" + function.getName().str() +
                       "' has no body and device 'sim' does not provide it",
                   "link the device library that defines it"};
    }
    if (function.isVarArg())
      return Error{"function '" + function.getName().str() +
                   "' takes variable arguments, which device 'sim' does not "
                   "support"};
    for (llvm::Use &use : function.uses()) {
      auto *call = llvm::dyn_cast<llvm::CallInst>(use.getUser());
      if (!call || !call->isCallee(&use))
        return Error{"the address of function '" + function.getName().str() +
                         "' is taken, but device 'sim' only supports direct "
                         "calls",
                     "call the function by its name"};
    }
    for (llvm::BasicBlock &block : function)
      for (llvm::Instruction &instruction : block)
        if (auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction))
          if (!call->getCalledFunction() && !call->isInlineAsm())
            return Error{"function '" + function.getName().str() +
                         "' calls through a pointer, which device 'sim' does "
                         "not support"};
  }
  return Status::success();
}

/// Moves the body of `function` to a new function with the lane in front.
static llvm::Function *moveBody(llvm::Function &function) {
  llvm::LLVMContext &context = function.getContext();
  llvm::SmallVector<llvm::Type *> types{llvm::PointerType::get(context, 0)};
  llvm::append_range(types, function.getFunctionType()->params());
  auto *moved = llvm::Function::Create(
      llvm::FunctionType::get(function.getReturnType(), types,
                              /*isVarArg=*/false),
      function.getLinkage(), "", function.getParent());
  moved->takeName(&function);
  moved->addFnAttr(llvm::Attribute::NoUnwind);
  moved->splice(moved->begin(), &function);
  for (llvm::Argument &argument : function.args()) {
    llvm::Argument *target = moved->getArg(argument.getArgNo() + 1);
    target->takeName(&argument);
    for (llvm::Attribute attribute : argument.getAttributes())
      target->addAttr(attribute);
    argument.replaceAllUsesWith(target);
  }
  return moved;
}

/// Replaces a call of the old function by one that passes the caller's lane.
static void redirectCall(llvm::CallInst &call, llvm::Function &callee) {
  llvm::IRBuilder<> builder(&call);
  llvm::SmallVector<llvm::Value *> arguments{laneOf(*call.getFunction())};
  llvm::append_range(arguments, call.args());
  llvm::CallInst *replacement = builder.CreateCall(&callee, arguments);
  for (unsigned i = 0; i < call.arg_size(); ++i)
    for (llvm::Attribute attribute : call.getAttributes().getParamAttrs(i))
      replacement->addParamAttr(i + 1, attribute);
  replacement->takeName(&call);
  call.replaceAllUsesWith(replacement);
  call.eraseFromParent();
}

Status sim::addLaneParameters(llvm::Module &module) {
  if (Status checked = checkCalls(module); !checked)
    return checked;
  llvm::SmallVector<std::pair<llvm::Function *, llvm::Function *>> moved;
  for (llvm::Function &function : llvm::make_early_inc_range(module))
    if (!function.isDeclaration())
      moved.emplace_back(&function, nullptr);
  for (auto &[function, replacement] : moved)
    replacement = moveBody(*function);
  for (auto &[function, replacement] : moved) {
    for (llvm::User *user : llvm::make_early_inc_range(function->users()))
      redirectCall(*llvm::cast<llvm::CallInst>(user), *replacement);
    function->eraseFromParent();
  }
  return Status::success();
}
