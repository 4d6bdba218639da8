//===- CudaDevice.cpp - An NVIDIA GPU: memory, streams, events ------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Creation of the device and everything that is not about kernels.
//
//===----------------------------------------------------------------------===//

#include "CudaDevice.h"

#include <algorithm>

using namespace mlir::magicube;
using namespace mlir::magicube::cuda;

static DevicePointer address(const void *pointer) {
  return reinterpret_cast<DevicePointer>(pointer);
}
static cuda::Stream unwrap(StreamHandle *stream) {
  return reinterpret_cast<cuda::Stream>(stream);
}
static cuda::Event unwrap(EventHandle *event) {
  return reinterpret_cast<cuda::Event>(event);
}

//===----------------------------------------------------------------------===//
// Creation
//===----------------------------------------------------------------------===//

/// The value of option "ordinal"; other keys are errors.
static Result<int> parseOrdinal(const DeviceOptions &options) {
  int ordinal = 0;
  for (const auto &[key, value] : options) {
    if (key != "ordinal")
      return Error{"device 'cuda' has no option '" + key + "'",
                   "its only option is 'ordinal', the number of the GPU"};
    constexpr size_t maxDigits = 4;
    bool isNumber = !value.empty() && value.size() <= maxDigits &&
                    std::all_of(value.begin(), value.end(),
                                [](char c) { return c >= '0' && c <= '9'; });
    if (!isNumber)
      return Error{"option 'ordinal' expects the number of a GPU, but got '" +
                       value + "'",
                   "count from 0, in the order of nvidia-smi -L"};
    ordinal = std::atoi(value.c_str());
  }
  return ordinal;
}

Result<std::unique_ptr<Device>>
mlir::magicube::createCudaDevice(const DeviceOptions &options) {
  Result<int> ordinal = parseOrdinal(options);
  if (!ordinal)
    return ordinal.error();
  Result<Driver> driver = Driver::load();
  if (!driver)
    return driver.error();
  return CudaDevice::create(*driver, *ordinal);
}

Result<std::unique_ptr<Device>> CudaDevice::create(const Driver &driver,
                                                   int ordinal) {
  int count = 0;
  if (Status s =
          driver.check(driver.deviceGetCount(&count), "counting the GPUs");
      !s)
    return s.error();
  if (count == 0)
    return Error{"device 'cuda' finds no GPU",
                 "check that nvidia-smi lists one, and that "
                 "CUDA_VISIBLE_DEVICES does not hide it"};
  if (ordinal >= count)
    return Error{"there are " + std::to_string(count) +
                     " GPUs, but option 'ordinal' is " +
                     std::to_string(ordinal),
                 "count from 0, in the order of nvidia-smi -L"};

  std::unique_ptr<CudaDevice> result(new CudaDevice(driver));
  int major = 0, minor = 0, shared = 0;
  char name[256] = "";
  auto attribute = [&](int &value, DeviceAttribute which) {
    return driver.deviceGetAttribute(&value, which, result->device);
  };
  std::pair<ResultCode, const char *> steps[] = {
      {driver.deviceGet(&result->device, ordinal), "opening the GPU"},
      {driver.deviceGetName(name, sizeof(name), result->device),
       "reading the GPU's name"},
      {attribute(major, ComputeCapabilityMajor), "reading the GPU's chip"},
      {attribute(minor, ComputeCapabilityMinor), "reading the GPU's chip"},
      {attribute(shared, MaxSharedMemoryPerBlockOptIn),
       "reading the GPU's shared memory"}};
  for (auto [code, what] : steps)
    if (Status s = driver.check(code, what); !s)
      return s.error();
  result->chipName = "sm_" + std::to_string(major * 10 + minor);
  result->gpuName = name;
  result->sharedLimit = static_cast<uint32_t>(shared);

  Context context = nullptr;
  if (Status s = driver.check(
          driver.primaryContextRetain(&context, result->device),
          "creating a context on GPU " + std::to_string(ordinal) + " (" + name +
              ")",
          "another process may hold the GPU or its memory: see nvidia-smi");
      !s)
    return s.error();
  result->context = context;
  if (Status s = result->activate(); !s)
    return s.error();
  return std::unique_ptr<Device>(std::move(result));
}

CudaDevice::~CudaDevice() {
  // Nothing can be done about failures here.
  if (!context)
    return;
  (void)activate();
  (void)driver.contextSynchronize();
  for (auto &[handle, module] : modules)
    (void)driver.moduleUnload(module->module);
  for (void *pointer : allocations)
    (void)driver.memFree(address(pointer));
  (void)driver.primaryContextRelease(device);
}

Status CudaDevice::activate() const {
  return driver.check(driver.contextSetCurrent(context),
                      "making the GPU's context current");
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Error CudaDevice::outOfMemory(uint64_t bytes, ResultCode code) const {
  size_t free = 0, total = 0;
  std::string state;
  if (driver.memGetInfo(&free, &total) == Success)
    state = "; " + std::to_string(free) + " of " + std::to_string(total) +
            " bytes are free";
  return {"allocating " + std::to_string(bytes) + " bytes on GPU '" + gpuName +
              "' failed: " + driver.describe(code) + state,
          code == OutOfMemory
              ? "use smaller operands, or end other processes on the GPU"
              : ""};
}

Result<void *> CudaDevice::allocate(uint64_t bytes, MemoryKind kind,
                                    StreamHandle *) {
  if (Status s = activate(); !s)
    return s.error();
  // The driver refuses 0 bytes, this interface does not.
  size_t size = std::max<uint64_t>(bytes, 1);
  DevicePointer pointer = 0;
  ResultCode code;
  if (kind == MemoryKind::Device) {
    code = driver.memAlloc(&pointer, size);
  } else {
    // Managed memory beyond what is free would not fail but page, up to
    // hanging the GPU.
    size_t free = 0, total = 0;
    code = driver.memGetInfo(&free, &total);
    if (code == Success && size > free)
      code = OutOfMemory;
    if (code == Success)
      code = driver.memAllocManaged(&pointer, size, attachGlobal);
  }
  if (code != Success)
    return outOfMemory(bytes, code);
  void *result = reinterpret_cast<void *>(pointer);
  allocations.insert(result);
  return result;
}

Status CudaDevice::free(void *pointer, StreamHandle *) {
  if (!pointer)
    return {};
  if (!allocations.erase(pointer))
    return Error{"freeing an address that device 'cuda' did not allocate",
                 "free each allocation once"};
  if (Status s = activate(); !s)
    return s;
  return checkWait(driver.memFree(address(pointer)), "freeing memory");
}

Status CudaDevice::copy(void *destination, const void *source, uint64_t bytes,
                        StreamHandle *stream) {
  if (bytes == 0)
    return {};
  if (Status s = activate(); !s)
    return s;
  // Unified addresses: the driver sees which of the two are the host's.
  return checkWait(driver.memcpyAsync(address(destination), address(source),
                                      bytes, unwrap(stream)),
                   "copying " + std::to_string(bytes) + " bytes");
}

Status CudaDevice::fill(void *destination, uint32_t value,
                        unsigned elementBytes, uint64_t count,
                        StreamHandle *stream) {
  if (elementBytes != 1 && elementBytes != 2 && elementBytes != 4)
    return Error{"fill expects elements of 1, 2 or 4 bytes, but got " +
                 std::to_string(elementBytes)};
  if (count == 0)
    return {};
  if (Status s = activate(); !s)
    return s;
  DevicePointer target = address(destination);
  cuda::Stream on = unwrap(stream);
  ResultCode code =
      elementBytes == 1
          ? driver.memsetD8Async(target, static_cast<uint8_t>(value), count, on)
      : elementBytes == 2 ? driver.memsetD16Async(
                                target, static_cast<uint16_t>(value), count, on)
                          : driver.memsetD32Async(target, value, count, on);
  return checkWait(code, "filling " + std::to_string(count) + " elements of " +
                             std::to_string(elementBytes) + " bytes");
}

Status CudaDevice::registerHostMemory(void *pointer, uint64_t bytes) {
  if (bytes == 0)
    return {};
  if (Status s = activate(); !s)
    return s;
  return driver.check(driver.memHostRegister(pointer, bytes, /*flags=*/0),
                      "registering " + std::to_string(bytes) +
                          " bytes of host memory");
}

Status CudaDevice::unregisterHostMemory(void *pointer) {
  if (Status s = activate(); !s)
    return s;
  return driver.check(driver.memHostUnregister(pointer),
                      "unregistering host memory");
}

//===----------------------------------------------------------------------===//
// Streams and events
//===----------------------------------------------------------------------===//

Status CudaDevice::checkWait(ResultCode code, const std::string &what) const {
  if (code == Success)
    return {};
  Error error = driver.check(code, what).error();
  if (!lastLaunch.empty()) {
    error.message += "; the last launch was kernel " + lastLaunch;
    error.note = "an earlier kernel may have failed; run it on device 'sim', "
                 "which checks every access, or under compute-sanitizer";
  }
  return error;
}

Result<StreamHandle *> CudaDevice::createStream() {
  if (Status s = activate(); !s)
    return s.error();
  cuda::Stream stream = nullptr;
  if (Status s = driver.check(driver.streamCreate(&stream, /*flags=*/0),
                              "creating a stream");
      !s)
    return s.error();
  return reinterpret_cast<StreamHandle *>(stream);
}

Status CudaDevice::destroyStream(StreamHandle *stream) {
  if (Status s = activate(); !s)
    return s;
  return driver.check(driver.streamDestroy(unwrap(stream)),
                      "destroying a stream");
}

Status CudaDevice::synchronizeStream(StreamHandle *stream) {
  if (Status s = activate(); !s)
    return s;
  return checkWait(driver.streamSynchronize(unwrap(stream)),
                   "waiting for a stream");
}

Status CudaDevice::streamWaitEvent(StreamHandle *stream, EventHandle *event) {
  if (Status s = activate(); !s)
    return s;
  return driver.check(
      driver.streamWaitEvent(unwrap(stream), unwrap(event), /*flags=*/0),
      "making a stream wait for an event");
}

Result<EventHandle *> CudaDevice::createEvent() {
  if (Status s = activate(); !s)
    return s.error();
  cuda::Event event = nullptr;
  if (Status s = driver.check(driver.eventCreate(&event, /*flags=*/0),
                              "creating an event");
      !s)
    return s.error();
  return reinterpret_cast<EventHandle *>(event);
}

Status CudaDevice::destroyEvent(EventHandle *event) {
  if (Status s = activate(); !s)
    return s;
  return driver.check(driver.eventDestroy(unwrap(event)),
                      "destroying an event");
}

Status CudaDevice::recordEvent(EventHandle *event, StreamHandle *stream) {
  if (Status s = activate(); !s)
    return s;
  return driver.check(driver.eventRecord(unwrap(event), unwrap(stream)),
                      "recording an event");
}

Status CudaDevice::synchronizeEvent(EventHandle *event) {
  if (Status s = activate(); !s)
    return s;
  return checkWait(driver.eventSynchronize(unwrap(event)),
                   "waiting for an event");
}

Result<double> CudaDevice::elapsedMilliseconds(EventHandle *begin,
                                               EventHandle *end) {
  if (Status s = activate(); !s)
    return s.error();
  float milliseconds = 0;
  if (Status s = driver.check(
          driver.eventElapsedTime(&milliseconds, unwrap(begin), unwrap(end)),
          "measuring the time between two events",
          "both events must be recorded and reached");
      !s)
    return s.error();
  return static_cast<double>(milliseconds);
}

Status CudaDevice::synchronize() {
  if (Status s = activate(); !s)
    return s;
  return checkWait(driver.contextSynchronize(), "waiting for the GPU");
}
