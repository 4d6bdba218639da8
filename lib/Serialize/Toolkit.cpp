//===- Toolkit.cpp - Finding the CUDA toolkit ------------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Search order of ptxas.
//
//===----------------------------------------------------------------------===//

#include "magicube/Serialize/Toolkit.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

#include <cstdlib>

using namespace mlir::magicube;

static constexpr const char *kOwnVariable = "MAGICUBE_CUDA_TOOLKIT";
static constexpr const char *kSystemVariables[] = {"CUDA_PATH", "CUDA_HOME"};
static constexpr const char *kIgnoreVariable = "MAGICUBE_IGNORE_SYSTEM_CUDA";
/// Where NVIDIA's installers put the toolkit.
static constexpr const char *kDefaultToolkit = "/usr/local/cuda";

static std::string getBinFolder(llvm::StringRef toolkit) {
  llvm::SmallString<128> path(toolkit);
  llvm::sys::path::append(path, "bin");
  return path.str().str();
}

/// ptxas in bin/ of a folder, or empty.
static std::string findInToolkit(const char *toolkit) {
  if (!toolkit || !*toolkit)
    return {};
  auto path = llvm::sys::findProgramByName("ptxas", {getBinFolder(toolkit)});
  return path ? *path : std::string();
}

/// What the machine has, whether or not it was set up for this project.
static std::string findInSystem() {
  for (const char *variable : kSystemVariables)
    if (std::string path = findInToolkit(std::getenv(variable)); !path.empty())
      return path;
  if (auto path = llvm::sys::findProgramByName("ptxas"))
    return *path;
  return findInToolkit(kDefaultToolkit);
}

Result<std::string> mlir::magicube::findPtxas() {
  std::string path = findInToolkit(std::getenv(kOwnVariable));
  const char *ignore = std::getenv(kIgnoreVariable);
  bool useSystem = !ignore || llvm::StringRef(ignore) != "1";
  if (path.empty() && useSystem)
    path = findInSystem();
  if (!path.empty())
    return path;
  return Error{"ptxas, which makes machine code of PTX, was not found",
               "install the CUDA toolkit or the PyPI package nvidia-cuda-nvcc "
               "and set MAGICUBE_CUDA_TOOLKIT to the folder that has "
               "bin/ptxas, or stop at PTX with --emit=ptx"};
}

Status mlir::magicube::usePtxas() {
  Result<std::string> ptxas = findPtxas();
  if (!ptxas)
    return ptxas.error();
  // The toolkit option of gpu-module-to-binary would want libdevice there too,
  // which the PyPI package has not, and our kernels do not use.
  std::string path = llvm::sys::path::parent_path(*ptxas).str();
  if (const char *old = std::getenv("PATH"))
    path = path + ":" + old;
  setenv("PATH", path.c_str(), /*overwrite=*/1);
  return Status::success();
}
