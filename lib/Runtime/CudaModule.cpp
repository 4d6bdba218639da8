//===- CudaModule.cpp - An NVIDIA GPU: modules and launches ---------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads images, with errors that say what the GPU is and what the image is for.
//
//===----------------------------------------------------------------------===//

#include "CudaDevice.h"

#include "magicube/Runtime/Image.h"
#include "magicube/Target/GpuTarget.h"

using namespace mlir::magicube;
using namespace mlir::magicube::cuda;

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

static Error badImage(ImageFormat format) {
  return {"device 'cuda' takes PTX, a cubin or a fatbin, but the module is " +
              std::string(describeImage(format)),
          format == ImageFormat::Bitcode
              ? "compile the kernels with --emit=cubin, ptx or fatbin; "
                "bitcode is for device 'sim'"
              : "compile the kernels with --emit=cubin, ptx or fatbin"};
}

/// Whether the driver says that the image is not for its GPU. A cubin for
/// another chip is NoBinaryForGpu or, if the driver is older than the chip,
/// InvalidImage.
static bool isWrongChip(ResultCode code) {
  return code == NoBinaryForGpu || code == InvalidImage ||
         code == InvalidSource;
}

static std::string loadNote(ResultCode code, std::string_view chip) {
  if (isWrongChip(code) || code == InvalidPtx)
    return "compile with --chip=" + std::string(chip);
  if (code == UnsupportedPtxVersion)
    return "install a newer driver, or ship a cubin for " + std::string(chip) +
           " beside the PTX";
  if (code == JitCompilerNotFound)
    return "the driver's PTX compiler is missing; ship a cubin for " +
           std::string(chip);
  return "";
}

/// The text up to its first zero, without trailing white space.
static std::string trimLog(const std::string &log) {
  std::string text = log.c_str();
  size_t last = text.find_last_not_of(" \t\r\n");
  return text.substr(0, last == std::string::npos ? 0 : last + 1);
}

Result<ModuleHandle *> CudaDevice::loadModule(const void *image,
                                              uint64_t bytes) {
  ImageFormat format = identifyImage(image, bytes);
  if (format == ImageFormat::Bitcode || format == ImageFormat::Unknown)
    return badImage(format);
  if (Status s = activate(); !s)
    return s.error();
  // The driver takes no size; PTX ends with a zero, binaries know their own.
  std::string copy(static_cast<const char *>(image), bytes);
  constexpr size_t logBytes = 16 * 1024;
  std::string log(logBytes, '\0');
  JitOption options[] = {ErrorLogBuffer, ErrorLogBufferSizeBytes};
  void *values[] = {log.data(), reinterpret_cast<void *>(logBytes)};
  auto loaded = std::make_unique<LoadedModule>();
  ResultCode code = driver.moduleLoadDataEx(&loaded->module, copy.c_str(),
                                            /*numOptions=*/2, options, values);
  if (code == OutOfMemory)
    return outOfMemory(bytes, code);
  if (code != Success) {
    std::string chips = describeImageChips(image, bytes);
    std::string text = trimLog(log);
    return Error{"GPU '" + gpuName + "' (" + chipName + ") cannot load " +
                     std::string(describeImage(format)) +
                     (chips.empty() ? "" : " for " + chips) + ": " +
                     driver.describe(code) + (text.empty() ? "" : "\n" + text),
                 loadNote(code, chipName)};
  }
  auto *handle = reinterpret_cast<ModuleHandle *>(loaded.get());
  modules.emplace(handle, std::move(loaded));
  return handle;
}

Status CudaDevice::unloadModule(ModuleHandle *module) {
  auto found = modules.find(module);
  if (found == modules.end())
    return Error{"unknown module handle",
                 "it was never loaded on this device or was unloaded"};
  // Destructors of the program may run after the driver's own, which has
  // unloaded everything.
  if (driver.contextSetCurrent(context) == Deinitialized)
    return {};
  if (Status s = activate(); !s)
    return s;
  for (auto &[name, kernel] : found->second->kernels)
    functions.erase(reinterpret_cast<FunctionHandle *>(kernel.get()));
  Module handle = found->second->module;
  modules.erase(found);
  return checkWait(driver.moduleUnload(handle), "unloading a module");
}

/// Parameters of a kernel, if the driver is one that knows.
static std::optional<size_t> countParameters(const Driver &driver,
                                             Function function) {
  if (!driver.funcGetParamInfo)
    return std::nullopt;
  size_t count = 0, offset = 0, bytes = 0;
  ResultCode code = Success;
  while ((code = driver.funcGetParamInfo(function, count, &offset, &bytes)) ==
         Success)
    ++count;
  // What there is behind the last.
  return code == InvalidValue ? std::optional(count) : std::nullopt;
}

Result<FunctionHandle *> CudaDevice::getFunction(ModuleHandle *module,
                                                 const char *name) {
  auto found = modules.find(module);
  if (found == modules.end())
    return Error{"unknown module handle",
                 "it was never loaded on this device or was unloaded"};
  std::unique_ptr<Kernel> &kernel = found->second->kernels[name];
  if (!kernel) {
    if (Status s = activate(); !s)
      return s.error();
    Function function = nullptr;
    ResultCode code =
        driver.moduleGetFunction(&function, found->second->module, name);
    if (code != Success) {
      found->second->kernels.erase(name);
      std::string what = "looking up kernel '" + std::string(name) + "'";
      return code == NotFound
                 ? Error{"the module has no kernel '" + std::string(name) + "'"}
                 : driver.check(code, what).error();
    }
    kernel.reset(new Kernel{name, function, kDefaultSharedMemoryPerBlock,
                            countParameters(driver, function)});
  }
  auto *handle = reinterpret_cast<FunctionHandle *>(kernel.get());
  functions.insert(handle);
  return handle;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

static std::string describe(Dim3 extents) {
  return std::to_string(extents.x) + " x " + std::to_string(extents.y) + " x " +
         std::to_string(extents.z);
}

std::string cuda::describeLaunch(const std::string &name, Dim3 grid, Dim3 block,
                                 uint32_t sharedBytes) {
  return "'" + name + "' with a grid of " + describe(grid) + " blocks of " +
         describe(block) + " threads and " + std::to_string(sharedBytes) +
         " bytes of shared memory";
}

Kernel *CudaDevice::findKernel(FunctionHandle *function) const {
  return functions.count(function) ? reinterpret_cast<Kernel *>(function)
                                   : nullptr;
}

Status CudaDevice::checkParameters(FunctionHandle *function, size_t count) {
  Kernel *kernel = findKernel(function);
  if (!kernel)
    return Error{"unknown function handle",
                 "its module was never loaded on this device or was unloaded"};
  if (!kernel->numParameters || count == *kernel->numParameters)
    return {};
  return Error{"expected " + std::to_string(*kernel->numParameters) +
               " parameters, but got " + std::to_string(count)};
}

Status CudaDevice::raiseSharedLimit(Kernel &kernel, uint32_t bytes) {
  if (bytes <= kernel.sharedLimit)
    return {};
  if (bytes > sharedLimit)
    return Error{"kernel '" + kernel.name + "' needs " + std::to_string(bytes) +
                     " bytes of shared memory, but a block has at most " +
                     std::to_string(sharedLimit) + " on GPU '" + gpuName +
                     "' (" + chipName + ")",
                 "compile with --chip=" + chipName +
                     ", or choose a schedule with a smaller tile"};
  if (Status s = driver.check(
          driver.funcSetAttribute(kernel.function, MaxDynamicSharedSizeBytes,
                                  static_cast<int>(bytes)),
          "raising the shared memory of kernel '" + kernel.name + "' to " +
              std::to_string(bytes) + " bytes");
      !s)
    return s;
  kernel.sharedLimit = bytes;
  return {};
}

Status CudaDevice::launch(FunctionHandle *function, Dim3 grid, Dim3 block,
                          uint32_t dynamicSharedBytes, StreamHandle *stream,
                          void **parameters) {
  Kernel *kernel = findKernel(function);
  if (!kernel)
    return Error{"unknown function handle",
                 "its module was never loaded on this device or was unloaded"};
  if (Status s = activate(); !s)
    return s;
  if (Status s = raiseSharedLimit(*kernel, dynamicSharedBytes); !s)
    return s;
  ResultCode code = driver.launchKernel(
      kernel->function, grid.x, grid.y, grid.z, block.x, block.y, block.z,
      dynamicSharedBytes, reinterpret_cast<cuda::Stream>(stream), parameters,
      /*extra=*/nullptr);
  std::string description =
      describeLaunch(kernel->name, grid, block, dynamicSharedBytes);
  if (code != Success)
    return driver.check(
        code, "launching kernel " + description,
        code == LaunchOutOfResources
            ? "the kernel's registers do not allow so many threads a block"
            : "a grid has at most 2147483647 x 65535 x 65535 blocks, a block "
              "at most 1024 threads");
  lastLaunch = std::move(description);
  return {};
}
