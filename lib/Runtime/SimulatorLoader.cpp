//===- SimulatorLoader.cpp - Finds the simulator library ------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SimulatorLoader.h"

#include "magicube/Simulator/Simulator.h"

#include <cstdlib>
#include <dlfcn.h>
#include <unistd.h>

using namespace mlir::magicube;

static constexpr const char *libraryName = "libmagicube_simulator.so";
static constexpr const char *libraryVariable = "MAGICUBE_SIMULATOR_LIBRARY";

/// The folder this code was loaded from, with a trailing slash; empty if the
/// loader does not know.
static std::string runtimeFolder() {
  Dl_info info;
  if (!dladdr(reinterpret_cast<void *>(&createSimulatorDevice), &info) ||
      !info.dli_fname)
    return {};
  std::string path = info.dli_fname;
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, slash + 1);
}

static std::string findLibrary() {
  if (const char *path = std::getenv(libraryVariable); path && *path)
    return path;
  std::string beside = runtimeFolder() + libraryName;
  return access(beside.c_str(), R_OK) == 0 ? beside : libraryName;
}

Result<std::unique_ptr<Device>>
mlir::magicube::createSimulatorDevice(const DeviceOptions &options) {
  std::string path = findLibrary();
  // Never closed: its code must outlive every device, and LLVM does not unload.
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  const char *reason = library ? nullptr : dlerror();
  void *symbol = library ? dlsym(library, createSimulatorSymbol) : nullptr;
  if (!symbol)
    return Error{"device 'sim' needs the simulator library '" + path + "'" +
                     (library ? ", which lacks the symbol '" +
                                    std::string(createSimulatorSymbol) + "'"
                              : ": " + std::string(reason ? reason : "")),
                 "build the target magicube_simulator, or point " +
                     std::string(libraryVariable) + " at " + libraryName};
  auto *create = reinterpret_cast<CreateSimulatorFunction *>(symbol);
  Error error;
  std::unique_ptr<Device> device(create(options, error));
  if (!device)
    return error;
  return device;
}
