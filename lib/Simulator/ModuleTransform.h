//===- ModuleTransform.h - Makes device code run on the host ----*- C++ -*-===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rewrites the LLVM IR that the NVPTX back end would see into host IR: a
// thread's state becomes a hidden first parameter, shared variables become
// addresses in the block's shared memory, llvm.nvvm.* calls and conversions to
// 16-bit floats become calls into the simulator, and kernels get an entry that
// unpacks their parameters.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_SIMULATOR_MODULETRANSFORM_H
#define MAGICUBE_LIB_SIMULATOR_MODULETRANSFORM_H

#include "Block.h"

#include "llvm/ADT/StringRef.h"

#include <deque>
#include <vector>

namespace llvm {
class CallInst;
class Function;
class IRBuilderBase;
class Instruction;
class Module;
class Value;
} // namespace llvm

namespace mlir::magicube::sim {

/// NVPTX address space of shared memory (LLVM "User Guide for NVPTX Back-end").
constexpr unsigned sharedSpace = 3;

/// A plain load or store that is checked.
struct AccessSite {
  /// "load of 16 bytes".
  std::string name;
  uint32_t bytes;
  uint32_t alignment;
  std::string function;
  /// "file:line", if known.
  std::string location;
};

/// What JIT code refers to by address, and the kernels it defines.
struct DeviceCode {
  std::deque<CallSite> callSites;
  std::deque<AccessSite> accessSites;
  std::deque<Kernel> kernels;
};

/// The symbol of a kernel's entry, Kernel::entry.
std::string entrySymbol(llvm::StringRef kernel);

/// Rewrites `module` in place and fills `code`. An Error names what the
/// simulator does not support.
Status transformModule(llvm::Module &module, DeviceCode &code);

// The steps, in this order; each in a file of its own.

/// Gives every function the lane as its first parameter (LaneParameter.cpp).
Status addLaneParameters(llvm::Module &module);
/// Alignment of all, bounds of shared accesses (AccessChecks.cpp); before the
/// steps below, which make host memory accesses of their own.
void checkAccesses(llvm::Module &module, DeviceCode &code);
/// Shared variables (SharedVariables.cpp); sets the kernels' sizes.
void placeSharedVariables(llvm::Module &module, DeviceCode &code);
/// fptrunc to half and bfloat (FloatConversions.cpp).
void replaceFloatConversions(llvm::Module &module);
/// llvm.nvvm.* and inline assembly (IntrinsicCalls.cpp).
Status replaceIntrinsicCalls(llvm::Module &module, DeviceCode &code);

/// The lane of the function `function`, after addLaneParameters.
llvm::Value *laneOf(llvm::Function &function);
/// A host address as a constant pointer.
llvm::Value *hostAddress(llvm::IRBuilderBase &builder, const void *address);
/// Loads a member of Lane at byte `offset`.
llvm::Value *loadLaneMember(llvm::IRBuilderBase &builder, llvm::Value *lane,
                            size_t offset, unsigned bits);
/// "file:line" of the instruction, or empty.
std::string locationOf(const llvm::Instruction &instruction);

} // namespace mlir::magicube::sim

#endif // MAGICUBE_LIB_SIMULATOR_MODULETRANSFORM_H
