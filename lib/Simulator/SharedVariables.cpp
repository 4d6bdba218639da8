//===- SharedVariables.cpp - Shared variables as addresses in a block -----===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block's shared memory holds the module's variables of known size, then the
// dynamic part, which every external variable of no size names.
//
//===----------------------------------------------------------------------===//

#include "ModuleTransform.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ReplaceConstant.h"

using namespace mlir::magicube;
using namespace mlir::magicube::sim;

/// Shared memory starts at least this aligned, the widest access of a thread.
static constexpr uint64_t minSharedAlignment = 16;

/// Replaces uses of `variable` by the block's shared memory plus `offset`.
static void replaceUses(llvm::GlobalVariable &variable, uint64_t offset) {
  llvm::convertUsersOfConstantsToInstructions({&variable});
  llvm::SmallVector<llvm::Use *> uses;
  for (llvm::Use &use : variable.uses())
    uses.push_back(&use);
  for (llvm::Use *use : uses) {
    auto *user = llvm::cast<llvm::Instruction>(use->getUser());
    // One load per use is cheap and needs no thought about dominance.
    llvm::Instruction *before = user;
    if (auto *phi = llvm::dyn_cast<llvm::PHINode>(user))
      before = phi->getIncomingBlock(*use)->getTerminator();
    llvm::IRBuilder<> builder(before);
    llvm::Value *base = loadLaneMember(builder, laneOf(*user->getFunction()),
                                       offsetof(Lane, shared), /*bits=*/64);
    use->set(builder.CreateIntToPtr(
        builder.CreateAdd(base, builder.getInt64(offset)), variable.getType()));
  }
  variable.eraseFromParent();
}

void sim::placeSharedVariables(llvm::Module &module, DeviceCode &code) {
  const llvm::DataLayout &layout = module.getDataLayout();
  llvm::SmallVector<llvm::GlobalVariable *> variables, dynamic;
  for (llvm::GlobalVariable &variable : module.globals())
    if (variable.getAddressSpace() == sharedSpace)
      (layout.getTypeAllocSize(variable.getValueType()).getFixedValue() == 0
           ? dynamic
           : variables)
          .push_back(&variable);

  uint64_t bytes = 0, maxAlignment = minSharedAlignment;
  auto alignFor = [&](llvm::GlobalVariable &variable) {
    uint64_t alignment = layout.getPreferredAlign(&variable).value();
    if (variable.getAlign())
      alignment = variable.getAlign()->value();
    maxAlignment = std::max(maxAlignment, alignment);
    return alignment;
  };
  for (llvm::GlobalVariable *variable : variables) {
    bytes = llvm::alignTo(bytes, alignFor(*variable));
    uint64_t offset = bytes;
    bytes += layout.getTypeAllocSize(variable->getValueType());
    replaceUses(*variable, offset);
  }
  for (llvm::GlobalVariable *variable : dynamic)
    bytes = llvm::alignTo(bytes, alignFor(*variable));
  for (llvm::GlobalVariable *variable : dynamic)
    replaceUses(*variable, bytes);
  for (Kernel &kernel : code.kernels) {
    kernel.staticSharedBytes = bytes;
    kernel.sharedAlignment = maxAlignment;
  }
}
