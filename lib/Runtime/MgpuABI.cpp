//===- MgpuABI.cpp - Symbols that gpu-to-llvm host code calls -------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions that MLIR's gpu-to-llvm pass and its translation of gpu.binary
// emit calls to, acting on the current device. The calls return no status, so
// an error is printed and the process exits with 1.
//
//===----------------------------------------------------------------------===//

#include "magicube/Runtime/Device.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace mlir::magicube;

#define MGPU_EXPORT extern "C" MAGICUBE_RUNTIME_EXPORT

static void print(const Error &error) {
  std::fprintf(stderr, "error: %s\n", error.message.c_str());
  if (!error.note.empty())
    std::fprintf(stderr, "note: %s\n", error.note.c_str());
}

[[noreturn]] static void fail(const Error &error) {
  print(error);
  std::exit(1);
}

static Device &device() {
  Result<Device *> current = getCurrentDevice();
  if (!current)
    fail(current.error());
  return **current;
}

static void check(const Status &status) {
  if (!status)
    fail(status.error());
}

template <typename T>
static T check(Result<T> result) {
  if (!result)
    fail(result.error());
  return *result;
}

//===----------------------------------------------------------------------===//
// Modules and launches
//===----------------------------------------------------------------------===//

MGPU_EXPORT ModuleHandle *mgpuModuleLoad(void *data, size_t bytes) {
  return check(device().loadModule(data, bytes));
}

/// For format=isa: zero-terminated PTX text.
MGPU_EXPORT ModuleHandle *mgpuModuleLoadJIT(void *data, int optimizationLevel) {
  return check(
      device().loadModule(data, std::strlen(static_cast<char *>(data))));
}

/// Called from the host program's destructors, possibly inside exit(), where
/// calling exit() again is undefined: an error is only printed. A null module
/// is one whose load has failed and was reported.
MGPU_EXPORT void mgpuModuleUnload(ModuleHandle *module) {
  if (!module)
    return;
  if (Status status = device().unloadModule(module); !status)
    print(status.error());
}

MGPU_EXPORT FunctionHandle *mgpuModuleGetFunction(ModuleHandle *module,
                                                  const char *name) {
  return check(device().getFunction(module, name));
}

/// Extents beyond 32 bits are passed on as the largest value, which every
/// device refuses with its limit.
static uint32_t extent(intptr_t value) {
  return value < 0 || value > intptr_t(UINT32_MAX) ? UINT32_MAX
                                                   : uint32_t(value);
}

MGPU_EXPORT void mgpuLaunchKernel(FunctionHandle *function, intptr_t gridX,
                                  intptr_t gridY, intptr_t gridZ,
                                  intptr_t blockX, intptr_t blockY,
                                  intptr_t blockZ, int32_t sharedBytes,
                                  StreamHandle *stream, void **parameters,
                                  void **extra, size_t parameterCount) {
  check(device().launch(function, {extent(gridX), extent(gridY), extent(gridZ)},
                        {extent(blockX), extent(blockY), extent(blockZ)},
                        static_cast<uint32_t>(sharedBytes), stream,
                        parameters));
}

MGPU_EXPORT void
mgpuLaunchClusterKernel(FunctionHandle *function, intptr_t clusterX,
                        intptr_t clusterY, intptr_t clusterZ, intptr_t gridX,
                        intptr_t gridY, intptr_t gridZ, intptr_t blockX,
                        intptr_t blockY, intptr_t blockZ, int32_t sharedBytes,
                        StreamHandle *stream, void **parameters, void **extra,
                        size_t parameterCount) {
  if (clusterX != 1 || clusterY != 1 || clusterZ != 1)
    fail({"clusters of more than one block are not supported, but got (" +
              std::to_string(clusterX) + ", " + std::to_string(clusterY) +
              ", " + std::to_string(clusterZ) + ")",
          "launch without a cluster size"});
  mgpuLaunchKernel(function, gridX, gridY, gridZ, blockX, blockY, blockZ,
                   sharedBytes, stream, parameters, extra, parameterCount);
}

MGPU_EXPORT void mgpuSetDefaultDevice(int32_t index) {
  if (index != 0)
    fail({"there is one device, number 0, but got " + std::to_string(index),
          "choose the device with MAGICUBE_DEVICE"});
}

//===----------------------------------------------------------------------===//
// Streams and events
//===----------------------------------------------------------------------===//

MGPU_EXPORT StreamHandle *mgpuStreamCreate() {
  return check(device().createStream());
}

MGPU_EXPORT void mgpuStreamDestroy(StreamHandle *stream) {
  check(device().destroyStream(stream));
}

MGPU_EXPORT void mgpuStreamSynchronize(StreamHandle *stream) {
  check(device().synchronizeStream(stream));
}

MGPU_EXPORT void mgpuStreamWaitEvent(StreamHandle *stream, EventHandle *event) {
  check(device().streamWaitEvent(stream, event));
}

MGPU_EXPORT EventHandle *mgpuEventCreate() {
  return check(device().createEvent());
}

MGPU_EXPORT void mgpuEventDestroy(EventHandle *event) {
  check(device().destroyEvent(event));
}

MGPU_EXPORT void mgpuEventSynchronize(EventHandle *event) {
  check(device().synchronizeEvent(event));
}

MGPU_EXPORT void mgpuEventRecord(EventHandle *event, StreamHandle *stream) {
  check(device().recordEvent(event, stream));
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

MGPU_EXPORT void *mgpuMemAlloc(uint64_t bytes, StreamHandle *stream,
                               bool isHostShared) {
  return check(device().allocate(
      bytes, isHostShared ? MemoryKind::HostShared : MemoryKind::Device,
      stream));
}

MGPU_EXPORT void mgpuMemFree(void *pointer, StreamHandle *stream) {
  check(device().free(pointer, stream));
}

MGPU_EXPORT void mgpuMemcpy(void *destination, void *source, size_t bytes,
                            StreamHandle *stream) {
  check(device().copy(destination, source, bytes, stream));
}

MGPU_EXPORT void mgpuMemset32(void *destination, unsigned value, size_t count,
                              StreamHandle *stream) {
  check(device().fill(destination, value, 4, count, stream));
}

MGPU_EXPORT void mgpuMemset16(void *destination, unsigned short value,
                              size_t count, StreamHandle *stream) {
  check(device().fill(destination, value, 2, count, stream));
}

MGPU_EXPORT void mgpuMemHostRegister(void *pointer, uint64_t bytes) {
  check(device().registerHostMemory(pointer, bytes));
}

MGPU_EXPORT void mgpuMemHostUnregister(void *pointer) {
  check(device().unregisterHostMemory(pointer));
}

namespace {

/// MLIR's ranked memref descriptor; `rank` sizes follow, then `rank` strides.
struct MemRefDescriptor {
  char *allocated;
  char *aligned;
  int64_t offset;
  int64_t sizesAndStrides[];

  char *begin(int64_t elementBytes) const {
    return aligned + offset * elementBytes;
  }
};

} // namespace

MGPU_EXPORT void mgpuMemHostRegisterMemRef(int64_t rank,
                                           MemRefDescriptor *memref,
                                           int64_t elementBytes) {
  // From the first to the last element that the strides reach.
  int64_t last = 0;
  for (int64_t i = 0; i < rank; ++i) {
    int64_t size = memref->sizesAndStrides[i];
    if (size == 0)
      return;
    last += (size - 1) * memref->sizesAndStrides[rank + i];
  }
  mgpuMemHostRegister(memref->begin(elementBytes),
                      static_cast<uint64_t>((last + 1) * elementBytes));
}

MGPU_EXPORT void mgpuMemHostUnregisterMemRef(int64_t rank,
                                             MemRefDescriptor *memref,
                                             int64_t elementBytes) {
  for (int64_t i = 0; i < rank; ++i)
    if (memref->sizesAndStrides[i] == 0)
      return;
  mgpuMemHostUnregister(memref->begin(elementBytes));
}
