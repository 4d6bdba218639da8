//===- RuntimeCAPI.cpp - C interface of the runtime -----------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Thin wrappers: a handle is the C++ object's address, an Error becomes a
// status and this thread's last error.
//
//===----------------------------------------------------------------------===//

#include "magicube-c/Runtime.h"

#include "magicube/Runtime/Device.h"

#include <cstring>

using namespace mlir::magicube;

static thread_local Error lastError;

static MagicubeStatus report(Error error, MagicubeStatus status) {
  lastError = std::move(error);
  return status;
}

static MagicubeStatus report(const Status &status, MagicubeStatus failure) {
  return status ? MAGICUBE_SUCCESS : report(status.error(), failure);
}

/// Stores a handle or pointer result through `out`.
template <typename T, typename Handle>
static MagicubeStatus store(Result<T> result, Handle *out,
                            MagicubeStatus failure) {
  if (!result)
    return report(result.error(), failure);
  *out = reinterpret_cast<Handle>(*result);
  return MAGICUBE_SUCCESS;
}

static Device *unwrap(MagicubeDevice device) {
  return reinterpret_cast<Device *>(device);
}
static ModuleHandle *unwrap(MagicubeModule module) {
  return reinterpret_cast<ModuleHandle *>(module);
}
static FunctionHandle *unwrap(MagicubeFunction function) {
  return reinterpret_cast<FunctionHandle *>(function);
}
static StreamHandle *unwrap(MagicubeStream stream) {
  return reinterpret_cast<StreamHandle *>(stream);
}

/// Returns from the calling function if `pointer` is null.
#define REQUIRE(pointer)                                                       \
  if (!(pointer))                                                              \
  return report(                                                               \
      Error{std::string(__func__) + ": argument '" #pointer "' is null"},      \
      MAGICUBE_INVALID_ARGUMENT)

const char *magicubeGetLastErrorMessage(void) {
  return lastError.message.c_str();
}

const char *magicubeGetLastErrorNote(void) { return lastError.note.c_str(); }

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

MagicubeStatus magicubeDeviceCreate(const char *name, const char *const *keys,
                                    const char *const *values,
                                    size_t numOptions, MagicubeDevice *device) {
  REQUIRE(name);
  REQUIRE(device);
  DeviceOptions options;
  for (size_t i = 0; i < numOptions; ++i) {
    REQUIRE(keys && keys[i]);
    REQUIRE(values && values[i]);
    options.emplace_back(keys[i], values[i]);
  }
  Result<std::unique_ptr<Device>> created = createDevice(name, options);
  if (!created)
    return report(created.error(), MAGICUBE_DEVICE_UNAVAILABLE);
  *device = reinterpret_cast<MagicubeDevice>(created->release());
  return MAGICUBE_SUCCESS;
}

void magicubeDeviceDestroy(MagicubeDevice device) { delete unwrap(device); }

const char *magicubeDeviceGetName(MagicubeDevice device) {
  // Device names come from string literals, which end with a zero.
  return device ? unwrap(device)->name().data() : "";
}

uint32_t magicubeDeviceGetSharedMemoryLimit(MagicubeDevice device) {
  return device ? unwrap(device)->sharedMemoryLimit() : 0;
}

void magicubeSetCurrentDevice(MagicubeDevice device) {
  setCurrentDevice(unwrap(device));
}

MagicubeStatus magicubeDeviceSynchronize(MagicubeDevice device) {
  REQUIRE(device);
  return report(unwrap(device)->synchronize(), MAGICUBE_FAILURE);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

MagicubeStatus magicubeMemAlloc(MagicubeDevice device, uint64_t bytes,
                                void **pointer) {
  REQUIRE(device);
  REQUIRE(pointer);
  return store(unwrap(device)->allocate(bytes, MemoryKind::Device, nullptr),
               pointer, MAGICUBE_MEMORY_ERROR);
}

MagicubeStatus magicubeMemFree(MagicubeDevice device, void *pointer) {
  REQUIRE(device);
  return report(unwrap(device)->free(pointer, nullptr), MAGICUBE_MEMORY_ERROR);
}

MagicubeStatus magicubeMemcpy(MagicubeDevice device, void *destination,
                              const void *source, uint64_t bytes) {
  REQUIRE(device);
  Status copied = unwrap(device)->copy(destination, source, bytes, nullptr);
  if (copied)
    copied = unwrap(device)->synchronizeStream(nullptr);
  return report(copied, MAGICUBE_MEMORY_ERROR);
}

MagicubeStatus magicubeMemset8(MagicubeDevice device, void *destination,
                               uint8_t value, uint64_t count) {
  REQUIRE(device);
  return report(unwrap(device)->fill(destination, value, 1, count, nullptr),
                MAGICUBE_MEMORY_ERROR);
}

MagicubeStatus magicubeMemset32(MagicubeDevice device, void *destination,
                                uint32_t value, uint64_t count) {
  REQUIRE(device);
  return report(unwrap(device)->fill(destination, value, 4, count, nullptr),
                MAGICUBE_MEMORY_ERROR);
}

//===----------------------------------------------------------------------===//
// Modules, streams, launches
//===----------------------------------------------------------------------===//

MagicubeStatus magicubeModuleLoad(MagicubeDevice device, const void *image,
                                  uint64_t bytes, MagicubeModule *module) {
  REQUIRE(device);
  REQUIRE(image);
  REQUIRE(module);
  return store(unwrap(device)->loadModule(image, bytes), module,
               MAGICUBE_INVALID_MODULE);
}

MagicubeStatus magicubeModuleUnload(MagicubeDevice device,
                                    MagicubeModule module) {
  REQUIRE(device);
  return report(unwrap(device)->unloadModule(unwrap(module)),
                MAGICUBE_INVALID_ARGUMENT);
}

MagicubeStatus magicubeModuleGetFunction(MagicubeDevice device,
                                         MagicubeModule module,
                                         const char *name,
                                         MagicubeFunction *function) {
  REQUIRE(device);
  REQUIRE(module);
  REQUIRE(name);
  REQUIRE(function);
  return store(unwrap(device)->getFunction(unwrap(module), name), function,
               MAGICUBE_NOT_FOUND);
}

MagicubeStatus magicubeStreamCreate(MagicubeDevice device,
                                    MagicubeStream *stream) {
  REQUIRE(device);
  REQUIRE(stream);
  return store(unwrap(device)->createStream(), stream, MAGICUBE_FAILURE);
}

MagicubeStatus magicubeStreamDestroy(MagicubeDevice device,
                                     MagicubeStream stream) {
  REQUIRE(device);
  return report(unwrap(device)->destroyStream(unwrap(stream)),
                MAGICUBE_INVALID_ARGUMENT);
}

MagicubeStatus magicubeStreamSynchronize(MagicubeDevice device,
                                         MagicubeStream stream) {
  REQUIRE(device);
  return report(unwrap(device)->synchronizeStream(unwrap(stream)),
                MAGICUBE_FAILURE);
}

MagicubeStatus magicubeLaunch(MagicubeDevice device, MagicubeFunction function,
                              const uint32_t grid[3], const uint32_t block[3],
                              uint32_t dynamicSharedBytes,
                              MagicubeStream stream, void **parameters) {
  REQUIRE(device);
  REQUIRE(function);
  REQUIRE(grid);
  REQUIRE(block);
  return report(
      unwrap(device)->launch(unwrap(function), {grid[0], grid[1], grid[2]},
                             {block[0], block[1], block[2]}, dynamicSharedBytes,
                             unwrap(stream), parameters),
      MAGICUBE_LAUNCH_FAILED);
}
