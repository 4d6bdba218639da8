//===- ModuleTransform.cpp - Makes device code run on the host ------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModuleTransform.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir::magicube;
using namespace mlir::magicube::sim;

std::string sim::entrySymbol(llvm::StringRef kernel) {
  return "magicube.entry." + kernel.str();
}

llvm::Value *sim::hostAddress(llvm::IRBuilderBase &builder,
                              const void *address) {
  auto *bits = builder.getInt64(reinterpret_cast<uintptr_t>(address));
  return llvm::ConstantExpr::getIntToPtr(bits, builder.getPtrTy());
}

llvm::Value *sim::loadLaneMember(llvm::IRBuilderBase &builder,
                                 llvm::Value *lane, size_t offset,
                                 unsigned bits) {
  llvm::Value *member =
      builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), lane, offset);
  return builder.CreateLoad(builder.getIntNTy(bits), member);
}

std::string sim::locationOf(const llvm::Instruction &instruction) {
  const llvm::DebugLoc &location = instruction.getDebugLoc();
  if (!location || location.getLine() == 0)
    return {};
  return location->getFilename().str() + ":" +
         std::to_string(location.getLine());
}

/// Drops what the code promises to the optimizer (attributes, aliasing
/// metadata, tail calls): the calls that replace intrinsics keep none of it.
/// Types that attributes carry (byval, sret) say what the code does and stay.
static void dropPromises(llvm::Module &module) {
  auto keepTypes = [](llvm::AttributeList list, llvm::LLVMContext &context) {
    llvm::AttributeList kept;
    for (unsigned index : list.indexes())
      for (llvm::Attribute attribute : list.getAttributes(index))
        if (attribute.isTypeAttribute())
          kept = kept.addAttributeAtIndex(context, index, attribute);
    return kept;
  };
  llvm::LLVMContext &context = module.getContext();
  for (llvm::Function &function : module) {
    if (!function.isIntrinsic())
      function.setAttributes(keepTypes(function.getAttributes(), context));
    if (function.isDeclaration())
      continue;
    function.addFnAttr(llvm::Attribute::NoUnwind);
    for (llvm::BasicBlock &block : function)
      for (llvm::Instruction &instruction : block) {
        instruction.dropUnknownNonDebugMetadata();
        if (auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction)) {
          call->setAttributes(keepTypes(call->getAttributes(), context));
          call->setTailCallKind(llvm::CallInst::TCK_None);
        }
      }
  }
}

/// Removes what refers to functions as values but is no code.
static void dropModuleLists(llvm::Module &module) {
  for (const char *name :
       {"llvm.used", "llvm.compiler.used", "llvm.global.annotations"})
    if (llvm::GlobalVariable *list = module.getNamedGlobal(name))
      list->eraseFromParent();
  if (llvm::NamedMDNode *annotations =
          module.getNamedMetadata("nvvm.annotations"))
    annotations->eraseFromParent();
}

/// Collects the kernels and makes them ordinary functions.
static void collectKernels(llvm::Module &module, DeviceCode &code) {
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    if (function.getCallingConv() == llvm::CallingConv::PTX_Kernel) {
      Kernel &kernel = code.kernels.emplace_back();
      kernel.name = function.getName().str();
      kernel.numParameters = static_cast<unsigned>(function.arg_size());
    }
    function.setCallingConv(llvm::CallingConv::C);
    function.setDSOLocal(true);
  }
  for (llvm::Function &function : module)
    for (llvm::BasicBlock &block : function)
      for (llvm::Instruction &instruction : block)
        if (auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction))
          call->setCallingConv(llvm::CallingConv::C);
}

/// Adds `void entry(lane, parameters)`, which loads each parameter through its
/// pointer. A byval parameter is the pointer to a copy of its own.
static void addEntry(llvm::Module &module, const Kernel &kernel) {
  llvm::Function *function = module.getFunction(kernel.name);
  llvm::IRBuilder<> builder(module.getContext());
  llvm::Type *pointer = builder.getPtrTy();
  auto *entry = llvm::Function::Create(
      llvm::FunctionType::get(builder.getVoidTy(), {pointer, pointer},
                              /*isVarArg=*/false),
      llvm::Function::ExternalLinkage, entrySymbol(kernel.name), module);
  entry->addFnAttr(llvm::Attribute::NoUnwind);
  builder.SetInsertPoint(
      llvm::BasicBlock::Create(module.getContext(), "", entry));
  llvm::SmallVector<llvm::Value *> arguments{entry->getArg(0)};
  for (unsigned i = 0; i < kernel.numParameters; ++i) {
    llvm::Argument *parameter = function->getArg(i + 1);
    llvm::Value *address = builder.CreateLoad(
        pointer,
        builder.CreateConstInBoundsGEP1_64(pointer, entry->getArg(1), i));
    if (llvm::Type *type = parameter->getParamByValType()) {
      llvm::AllocaInst *copy = builder.CreateAlloca(type);
      builder.CreateMemCpy(copy, copy->getAlign(), address, llvm::Align(1),
                           module.getDataLayout().getTypeAllocSize(type));
      arguments.push_back(
          builder.CreateAddrSpaceCast(copy, parameter->getType()));
    } else {
      arguments.push_back(builder.CreateAlignedLoad(parameter->getType(),
                                                    address, llvm::Align(1)));
    }
  }
  // The copy above stands for byval, which the call need not repeat.
  for (llvm::Argument &parameter : function->args())
    parameter.removeAttr(llvm::Attribute::ByVal);
  builder.CreateCall(function, arguments);
  builder.CreateRetVoid();
}

Status sim::transformModule(llvm::Module &module, DeviceCode &code) {
  if (!module.getTargetTriple().isNVPTX())
    return Error{"the module's target triple is '" +
                     module.getTargetTriple().str() +
                     "', but device 'sim' runs nvptx64 modules",
                 "attach an nvvm target and compile with "
                 "gpu-module-to-binary{format=offloading}"};
  dropModuleLists(module);
  dropPromises(module);
  collectKernels(module, code);
  if (Status added = addLaneParameters(module); !added)
    return added;
  checkAccesses(module, code);
  placeSharedVariables(module, code);
  replaceFloatConversions(module);
  if (Status replaced = replaceIntrinsicCalls(module, code); !replaced)
    return replaced;
  for (const Kernel &kernel : code.kernels)
    addEntry(module, kernel);
  llvm::StripDebugInfo(module);

  std::string problems;
  llvm::raw_string_ostream stream(problems);
  if (llvm::verifyModule(module, &stream))
    return Error{"the module cannot be made to run on the host: " + problems,
                 "this is a defect of the simulator"};
  return Status::success();
}
