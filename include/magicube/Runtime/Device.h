//===- Device.h - What kernels run on ---------------------------*- C++ -*-===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one interface over everything that runs kernels: memory, modules,
// launches, streams, events. Devices are created by name (createDevice).
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_RUNTIME_DEVICE_H
#define MAGICUBE_RUNTIME_DEVICE_H

#include "magicube/Support/Result.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Marks what libmagicube_runtime.so exports; everything else is hidden.
#define MAGICUBE_RUNTIME_EXPORT __attribute__((visibility("default")))

namespace mlir::magicube {

/// Extents of a grid or a block, in blocks or threads.
struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;
};

/// Key and value pairs such as {"warp-order", "reverse"}. Each device names
/// the keys it takes; an unknown key or value is an Error.
using DeviceOptions = std::vector<std::pair<std::string, std::string>>;

/// Where memory lives: on the device, or readable by the host as well.
enum class MemoryKind { Device, HostShared };

/// Opaque handles owned by the device that returned them.
struct ModuleHandle;
struct FunctionHandle;
struct StreamHandle;
struct EventHandle;

/// A kernel with all that Device::launch takes, but for the stream.
struct KernelLaunch {
  FunctionHandle *function = nullptr;
  Dim3 grid;
  Dim3 block;
  uint32_t dynamicSharedBytes = 0;
  void **parameters = nullptr;
};

/// Times of one sequence of launches, in microseconds.
struct LaunchTiming {
  double medianMicroseconds = 0;
  double minMicroseconds = 0;
  double maxMicroseconds = 0;
};

/// A device: it owns memory and modules and runs kernels. A null stream is the
/// default stream. Device memory may only be read or written by kernels and by
/// the functions here. Not thread-safe: one host thread at a time.
class MAGICUBE_RUNTIME_EXPORT Device {
public:
  virtual ~Device();

  /// The name it was created by ("sim", "cuda").
  virtual std::string_view name() const = 0;
  /// The chip whose machine code it takes, or "any" where that is no limit.
  virtual std::string_view chip() const = 0;
  /// What the hardware calls itself, for reports.
  virtual std::string_view description() const { return name(); }
  /// Most bytes of dynamic shared memory that one block may have.
  virtual uint32_t sharedMemoryLimit() const = 0;

  /// `bytes` of device memory, aligned to 16 bytes at least; contents are
  /// undefined. Zero bytes give a valid address that may not be dereferenced.
  virtual Result<void *> allocate(uint64_t bytes, MemoryKind kind,
                                  StreamHandle *stream) = 0;
  /// Frees what allocate() returned; null is fine.
  virtual Status free(void *pointer, StreamHandle *stream) = 0;
  /// Copies between host and device memory, in any direction, in stream order.
  virtual Status copy(void *destination, const void *source, uint64_t bytes,
                      StreamHandle *stream) = 0;
  /// Stores `count` copies of a 1, 2 or 4 byte `value` (`elementBytes`).
  virtual Status fill(void *destination, uint32_t value, unsigned elementBytes,
                      uint64_t count, StreamHandle *stream) = 0;

  /// Makes host memory accessible to kernels until unregisterHostMemory.
  virtual Status registerHostMemory(void *pointer, uint64_t bytes) = 0;
  virtual Status unregisterHostMemory(void *pointer) = 0;

  /// Loads a device image; the format is taken from the bytes and one that
  /// this device cannot run is an Error whose note names what to compile with.
  virtual Result<ModuleHandle *> loadModule(const void *image,
                                            uint64_t bytes) = 0;
  virtual Status unloadModule(ModuleHandle *module) = 0;
  /// The kernel `name`; the handle lives as long as the module.
  virtual Result<FunctionHandle *> getFunction(ModuleHandle *module,
                                               const char *name) = 0;
  /// An Error if the kernel is known to take another number of parameters.
  virtual Status checkParameters(FunctionHandle *function, size_t count);
  /// Runs a kernel. `parameters[i]` points at the value of parameter i; the
  /// kernel's signature gives its size.
  virtual Status launch(FunctionHandle *function, Dim3 grid, Dim3 block,
                        uint32_t dynamicSharedBytes, StreamHandle *stream,
                        void **parameters) = 0;
  /// Measures a sequence of launches with the device's own clock, warmed up:
  /// many sequences in a row are recorded once and replayed `replays` times (1
  /// at least). `sequences`, one at least and none empty, are the same kernels
  /// with parameters of their own; they are taken in turn and each equally
  /// often: parameters that point at copies of the operands keep these out of
  /// the caches. Times are per sequence, including the gaps between launches
  /// and to the next sequence. A device that has no clock worth reading gives
  /// an Error.
  virtual Result<LaunchTiming>
  timeLaunches(const std::vector<std::vector<KernelLaunch>> &sequences,
               unsigned replays);

  virtual Result<StreamHandle *> createStream() = 0;
  virtual Status destroyStream(StreamHandle *stream) = 0;
  virtual Status synchronizeStream(StreamHandle *stream) = 0;
  /// Makes later work of `stream` wait for `event`.
  virtual Status streamWaitEvent(StreamHandle *stream, EventHandle *event) = 0;
  virtual Result<EventHandle *> createEvent() = 0;
  virtual Status destroyEvent(EventHandle *event) = 0;
  virtual Status recordEvent(EventHandle *event, StreamHandle *stream) = 0;
  virtual Status synchronizeEvent(EventHandle *event) = 0;
  /// Milliseconds between two recorded and reached events.
  virtual Result<double> elapsedMilliseconds(EventHandle *begin,
                                             EventHandle *end) = 0;
  /// Waits for all work of the device.
  virtual Status synchronize() = 0;
};

/// Creates the device `name`: "sim" is the host SIMT device of lib/Simulator,
/// "cuda" an NVIDIA GPU (option ordinal = n). An unknown name is an Error that
/// lists what there is.
MAGICUBE_RUNTIME_EXPORT Result<std::unique_ptr<Device>>
createDevice(std::string_view name, const DeviceOptions &options = {});

/// The process-wide device that the exported `mgpu*` symbols act on: the one
/// given to setCurrentDevice, else one created on first use from the
/// environment (MAGICUBE_DEVICE, default "sim"; MAGICUBE_DEVICE_OPTIONS, a
/// comma-separated list of key=value).
MAGICUBE_RUNTIME_EXPORT Result<Device *> getCurrentDevice();
/// `device` stays owned by the caller, who resets it (null) before its end.
MAGICUBE_RUNTIME_EXPORT void setCurrentDevice(Device *device);

} // namespace mlir::magicube

#endif // MAGICUBE_RUNTIME_DEVICE_H
