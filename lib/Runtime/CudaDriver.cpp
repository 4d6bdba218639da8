//===- CudaDriver.cpp - The CUDA driver's functions -----------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the driver library and its functions, and starts it.
//
//===----------------------------------------------------------------------===//

#include "CudaDriver.h"

#include <cstdlib>
#include <dlfcn.h>

using namespace mlir::magicube;
using namespace mlir::magicube::cuda;

/// What NVIDIA's driver installs on Linux.
static constexpr const char *driverLibrary = "libcuda.so.1";

std::string Driver::describe(ResultCode code) const {
  const char *name = nullptr, *text = nullptr;
  if (getErrorName(code, &name) != Success || !name)
    return "error " + std::to_string(code);
  std::string result = name;
  if (getErrorString(code, &text) == Success && text)
    result += " (" + std::string(text) + ")";
  return result;
}

Status Driver::check(ResultCode code, const std::string &what,
                     const std::string &note) const {
  if (code == Success)
    return {};
  return Error{what + " failed: " + describe(code), note};
}

/// Fills the table from `library`; names the first symbol that is missing and
/// not optional.
static const char *findFunctions(void *library, Driver &driver) {
#define MAGICUBE_CUDA_FIND(member, symbol, parameters)                         \
  driver.member =                                                              \
      reinterpret_cast<decltype(driver.member)>(dlsym(library, #symbol));
#define MAGICUBE_CUDA_FIND_NEEDED(member, symbol, parameters)                  \
  MAGICUBE_CUDA_FIND(member, symbol, parameters)                               \
  if (!driver.member)                                                          \
    return #symbol;
  MAGICUBE_CUDA_OPTIONAL_FUNCTIONS(MAGICUBE_CUDA_FIND)
  MAGICUBE_CUDA_FUNCTIONS(MAGICUBE_CUDA_FIND_NEEDED)
#undef MAGICUBE_CUDA_FIND_NEEDED
#undef MAGICUBE_CUDA_FIND
  return nullptr;
}

/// What to do about a driver that does not start.
static std::string startNote(ResultCode code) {
  switch (code) {
  case NoDevice:
    return "check that nvidia-smi lists a GPU; a container needs --gpus all";
  case SystemDriverMismatch:
    return "the loaded kernel module and libcuda.so.1 have different versions; "
           "restart the machine or reinstall the driver";
  case StubLibrary:
    return "this is the toolkit's stub for linking, not the driver; remove its "
           "folder from LD_LIBRARY_PATH";
  default:
    return "check the driver with nvidia-smi";
  }
}

Result<Driver> Driver::load() {
  const char *variable = std::getenv(driverVariable);
  const char *path = variable && *variable ? variable : driverLibrary;
  // Never closed: the driver runs threads of its own.
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *reason = dlerror();
    return Error{"device 'cuda' needs the NVIDIA driver: " +
                     std::string(reason ? reason : path),
                 "install the driver of the GPU, or set " +
                     std::string(driverVariable) + " to the path of " +
                     driverLibrary + "; without a GPU use device 'sim'"};
  }
  Driver driver;
  if (const char *missing = findFunctions(library, driver))
    return Error{"the driver library '" + std::string(path) +
                     "' lacks the function " + missing,
                 "install a driver for CUDA 11.4 or newer"};
  ResultCode code = driver.init(/*flags=*/0);
  if (code == NoDevice)
    return Error{"device 'cuda' finds no GPU: " + driver.describe(code),
                 startNote(code)};
  if (code != Success)
    return Error{"the NVIDIA driver does not start: " + driver.describe(code),
                 startNote(code)};
  return driver;
}
