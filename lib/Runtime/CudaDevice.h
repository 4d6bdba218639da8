//===- CudaDevice.h - An NVIDIA GPU -----------------------------*- C++ -*-===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device on top of the CUDA driver. Split by subject: CudaDevice.cpp has
// creation, memory, streams and events, CudaModule.cpp modules and launches,
// CudaTiming.cpp the measurement of kernels.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_RUNTIME_CUDADEVICE_H
#define MAGICUBE_LIB_RUNTIME_CUDADEVICE_H

#include "CudaDriver.h"

#include "magicube/Runtime/Device.h"

#include <map>
#include <optional>
#include <set>

namespace mlir::magicube {

/// Creates a device on a GPU. Option: ordinal = n, the number of the GPU among
/// those that CUDA_VISIBLE_DEVICES leaves (default 0).
Result<std::unique_ptr<Device>> createCudaDevice(const DeviceOptions &options);

namespace cuda {

/// A kernel that was looked up.
struct Kernel {
  std::string name;
  Function function;
  /// The limit of dynamic shared memory that the driver knows for it.
  uint32_t sharedLimit;
  /// Unless the driver does not say.
  std::optional<size_t> numParameters;
};

/// A module and its kernels; their addresses are the function handles.
struct LoadedModule {
  Module module;
  std::map<std::string, std::unique_ptr<Kernel>> kernels;
};

/// Uses the GPU's primary context, so that memory can be shared with other
/// libraries of the process (PyTorch's tensors, for example). Streams and
/// events are the driver's own, so their handles may come from elsewhere too.
class CudaDevice final : public Device {
public:
  static Result<std::unique_ptr<Device>> create(const Driver &driver,
                                                int ordinal);
  ~CudaDevice() override;

  std::string_view name() const override { return "cuda"; }
  std::string_view chip() const override { return chipName; }
  std::string_view description() const override { return gpuName; }
  uint32_t sharedMemoryLimit() const override { return sharedLimit; }

  Result<void *> allocate(uint64_t bytes, MemoryKind kind,
                          StreamHandle *stream) override;
  Status free(void *pointer, StreamHandle *stream) override;
  Status copy(void *destination, const void *source, uint64_t bytes,
              StreamHandle *stream) override;
  Status fill(void *destination, uint32_t value, unsigned elementBytes,
              uint64_t count, StreamHandle *stream) override;
  Status registerHostMemory(void *pointer, uint64_t bytes) override;
  Status unregisterHostMemory(void *pointer) override;

  Result<ModuleHandle *> loadModule(const void *image, uint64_t bytes) override;
  Status unloadModule(ModuleHandle *module) override;
  Result<FunctionHandle *> getFunction(ModuleHandle *module,
                                       const char *name) override;
  Status checkParameters(FunctionHandle *function, size_t count) override;
  Status launch(FunctionHandle *function, Dim3 grid, Dim3 block,
                uint32_t dynamicSharedBytes, StreamHandle *stream,
                void **parameters) override;
  Result<LaunchTiming>
  timeLaunches(const std::vector<std::vector<KernelLaunch>> &sequences,
               unsigned replays) override;

  Result<StreamHandle *> createStream() override;
  Status destroyStream(StreamHandle *stream) override;
  Status synchronizeStream(StreamHandle *stream) override;
  Status streamWaitEvent(StreamHandle *stream, EventHandle *event) override;
  Result<EventHandle *> createEvent() override;
  Status destroyEvent(EventHandle *event) override;
  Status recordEvent(EventHandle *event, StreamHandle *stream) override;
  Status synchronizeEvent(EventHandle *event) override;
  Result<double> elapsedMilliseconds(EventHandle *begin,
                                     EventHandle *end) override;
  Status synchronize() override;

private:
  explicit CudaDevice(const Driver &driver) : driver(driver) {}

  /// Makes the GPU's context this thread's; every driver call needs it.
  Status activate() const;
  /// The result of waiting for the GPU: what fails there was caused by an
  /// earlier launch, so the message names the last one.
  Status checkWait(ResultCode code, const std::string &what) const;
  Error outOfMemory(uint64_t bytes, ResultCode code) const;
  /// The kernel of a handle, or null for one that this device did not give.
  Kernel *findKernel(FunctionHandle *function) const;
  Status raiseSharedLimit(Kernel &kernel, uint32_t bytes);

  Driver driver;
  DeviceId device = 0;
  Context context = nullptr;
  std::string chipName, gpuName;
  uint32_t sharedLimit = 0;
  std::set<void *> allocations;
  std::map<ModuleHandle *, std::unique_ptr<LoadedModule>> modules;
  std::set<FunctionHandle *> functions;
  std::string lastLaunch;
};

/// "'k' with a grid of 2 x 1 x 1 blocks of 128 x 1 x 1 threads and 4096 bytes
/// of shared memory".
std::string describeLaunch(const std::string &name, Dim3 grid, Dim3 block,
                           uint32_t sharedBytes);

} // namespace cuda
} // namespace mlir::magicube

#endif // MAGICUBE_LIB_RUNTIME_CUDADEVICE_H
