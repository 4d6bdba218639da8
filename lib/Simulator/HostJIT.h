//===- HostJIT.h - Compiles device code for the host ------------*- C++ -*-===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_SIMULATOR_HOSTJIT_H
#define MAGICUBE_LIB_SIMULATOR_HOSTJIT_H

#include "ModuleTransform.h"

#include <memory>

namespace llvm::orc {
class JITDylib;
class LLJIT;
} // namespace llvm::orc

namespace mlir::magicube::sim {

/// Device code that is ready to run; gone with this object.
class LoadedModule {
public:
  LoadedModule(llvm::orc::LLJIT &jit, llvm::orc::JITDylib &library)
      : jit(jit), library(library) {}
  ~LoadedModule();
  LoadedModule(const LoadedModule &) = delete;
  LoadedModule &operator=(const LoadedModule &) = delete;

  const Kernel *findKernel(std::string_view name) const;

  DeviceCode code;

private:
  llvm::orc::LLJIT &jit;
  llvm::orc::JITDylib &library;
};

/// One just-in-time compiler per device; a library of symbols per module.
class HostJIT {
public:
  HostJIT();
  ~HostJIT();

  /// Reads bitcode, transforms and compiles it.
  Result<std::unique_ptr<LoadedModule>> load(const void *image, uint64_t bytes);

private:
  Status createCompiler();

  /// The last error that the compiler has reported.
  std::string reported;
  std::unique_ptr<llvm::orc::LLJIT> jit;
  unsigned numLoaded = 0;
};

} // namespace mlir::magicube::sim

#endif // MAGICUBE_LIB_SIMULATOR_HOSTJIT_H
