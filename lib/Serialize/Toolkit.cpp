//===- Toolkit.cpp - Finding the CUDA toolkit -----------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Search order, temporary files, runs.
//
//===----------------------------------------------------------------------===//

#include "magicube/Serialize/Toolkit.h"

#include "magicube/Format/FileIO.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FileSystem.h"
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

/// The program in bin/ of a folder, or empty.
static std::string findInToolkit(const char *toolkit, const std::string &name) {
  if (!toolkit || !*toolkit)
    return {};
  auto path = llvm::sys::findProgramByName(name, {getBinFolder(toolkit)});
  return path ? *path : std::string();
}

/// What the machine has, whether or not it was set up for this project.
static std::string findInSystem(const std::string &name) {
  for (const char *variable : kSystemVariables)
    if (std::string path = findInToolkit(std::getenv(variable), name);
        !path.empty())
      return path;
  if (auto path = llvm::sys::findProgramByName(name))
    return *path;
  return findInToolkit(kDefaultToolkit, name);
}

Result<std::string> mlir::magicube::findCudaTool(const std::string &name) {
  std::string path = findInToolkit(std::getenv(kOwnVariable), name);
  const char *ignore = std::getenv(kIgnoreVariable);
  bool useSystem = !ignore || llvm::StringRef(ignore) != "1";
  if (path.empty() && useSystem)
    path = findInSystem(name);
  if (!path.empty())
    return path;
  return Error{"the CUDA toolkit's program '" + name + "' was not found",
               "install the CUDA toolkit or the PyPI package nvidia-cuda-nvcc "
               "and set MAGICUBE_CUDA_TOOLKIT to the folder that has bin/" +
                   name + ", or stop at PTX with --emit=ptx"};
}

Status mlir::magicube::usePtxas() {
  Result<std::string> ptxas = findCudaTool("ptxas");
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

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

namespace {

/// A folder for a run's files, removed with them at the end.
class TemporaryFolder {
public:
  TemporaryFolder() {
    error = llvm::sys::fs::createUniqueDirectory("magicube", folder);
  }
  ~TemporaryFolder() {
    if (!error)
      llvm::sys::fs::remove_directories(folder);
  }

  Status check() const {
    if (!error)
      return {};
    return Error{"cannot make a temporary folder: " + error.message(),
                 "set TMPDIR to a folder that can be written"};
  }
  std::string file(const std::string &name) const {
    llvm::SmallString<128> path(folder);
    llvm::sys::path::append(path, name);
    return path.str().str();
  }

private:
  llvm::SmallString<128> folder;
  std::error_code error;
};

} // namespace

/// Runs a program of the toolkit; what it prints is in the Error if it fails.
static Status run(const std::string &tool, std::vector<std::string> arguments,
                  const TemporaryFolder &folder) {
  Result<std::string> program = findCudaTool(tool);
  if (!program)
    return program.error();
  std::string log = folder.file("log");
  std::vector<llvm::StringRef> command = {*program};
  command.insert(command.end(), arguments.begin(), arguments.end());
  std::string message;
  int status = llvm::sys::ExecuteAndWait(
      *program, command, /*Env=*/std::nullopt,
      /*Redirects=*/
      {llvm::StringRef(), llvm::StringRef(log), llvm::StringRef(log)},
      /*SecondsToWait=*/0, /*MemoryLimit=*/0, &message);
  if (status == 0)
    return {};
  if (Result<std::string> printed = readFile(log))
    message += *printed;
  return Error{"'" + *program + "' exited with status " +
               std::to_string(status) + ":\n" + message};
}

Result<std::string> mlir::magicube::assemblePtx(const std::string &ptx,
                                                const std::string &chip) {
  TemporaryFolder folder;
  std::string input = folder.file("kernels.ptx");
  std::string output = folder.file("kernels.cubin");
  for (Status status :
       {folder.check(), folder.check() ? writeFile(input, ptx) : Status()})
    if (!status)
      return status.error();
  if (Status status =
          run("ptxas", {"-arch=" + chip, input, "-o", output}, folder);
      !status)
    return status.error();
  return readFile(output);
}

Result<std::string>
mlir::magicube::makeFatbin(const std::vector<ChipImage> &images) {
  TemporaryFolder folder;
  if (Status status = folder.check(); !status)
    return status.error();
  std::string output = folder.file("kernels.fatbin");
  std::vector<std::string> arguments = {"--64", "--create=" + output};
  for (const ChipImage &image : images) {
    bool isPtx = image.format == ImageFormat::Ptx;
    std::string path = folder.file(image.chip + (isPtx ? ".ptx" : ".cubin"));
    if (Status status = writeFile(path, image.bytes); !status)
      return status.error();
    std::string number = image.chip.substr(image.chip.find('_') + 1);
    arguments.push_back(std::string("--image3=kind=") +
                        (isPtx ? "ptx" : "elf") + ",sm=" + number +
                        ",file=" + path);
  }
  if (Status status = run("fatbinary", arguments, folder); !status)
    return status.error();
  return readFile(output);
}
