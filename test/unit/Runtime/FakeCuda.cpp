//===- FakeCuda.cpp - A CUDA driver for tests without a GPU ---------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A shared library with the functions of lib/Runtime/CudaDriver.h. Device
// memory is host memory, kernels do nothing. Environment, read at every call:
//   FAKE_CUDA_FAIL   function=code,... : these functions fail
//   FAKE_CUDA_GPUS   number of GPUs (default 1)
//   FAKE_CUDA_CHIP   compute capability (default 90)
//   FAKE_CUDA_PARAMETERS   parameters of every kernel (default: it cannot tell)
// Everything is recorded: fakeCudaLog().
//
//===----------------------------------------------------------------------===//

#include "lib/Runtime/CudaDriver.h"

#include <cstdlib>
#include <cstring>
#include <map>
#include <vector>

using namespace mlir::magicube::cuda;

#define FAKE extern "C" __attribute__((visibility("default")))

namespace {

constexpr size_t totalBytes = 1 << 20;

struct State {
  std::string log;
  std::map<DevicePointer, std::vector<char>> memory;
  size_t usedBytes = 0;
};

State &state() {
  static State *instance = new State();
  return *instance;
}

int environmentNumber(const char *name, int otherwise) {
  const char *text = std::getenv(name);
  return text ? std::atoi(text) : otherwise;
}

/// Records a call and returns what FAKE_CUDA_FAIL says about the function.
ResultCode record(const std::string &function, const std::string &detail = "") {
  state().log += function + (detail.empty() ? "" : " " + detail) + "\n";
  const char *text = std::getenv("FAKE_CUDA_FAIL");
  std::string failures = std::string(",") + (text ? text : "");
  size_t found = failures.find("," + function + "=");
  return found == std::string::npos
             ? Success
             : ResultCode(
                   std::atoi(failures.c_str() + found + function.size() + 2));
}

/// A handle that is never looked into.
template <typename Handle>
void giveHandle(Handle *handle) {
  static int numHandles = 0;
  static char handles[1 << 10];
  *handle = reinterpret_cast<Handle>(&handles[++numHandles % (1 << 10)]);
}

ResultCode allocate(const char *function, DevicePointer *pointer,
                    size_t bytes) {
  if (ResultCode code = record(function, std::to_string(bytes)))
    return code;
  if (bytes > totalBytes - state().usedBytes)
    return OutOfMemory;
  std::vector<char> memory(bytes);
  *pointer = reinterpret_cast<DevicePointer>(memory.data());
  state().usedBytes += bytes;
  state().memory.emplace(*pointer, std::move(memory));
  return Success;
}

std::string str(unsigned a, unsigned b, unsigned c) {
  return std::to_string(a) + "x" + std::to_string(b) + "x" + std::to_string(c);
}

} // namespace

/// What was called since the last time.
FAKE const char *fakeCudaLog() {
  static std::string taken;
  taken = std::move(state().log);
  state().log.clear();
  return taken.c_str();
}

FAKE ResultCode cuInit(unsigned) { return record("cuInit"); }

FAKE ResultCode cuGetErrorName(ResultCode code, const char **text) {
  static std::string name;
  name = "CUDA_ERROR_" + std::to_string(code);
  *text = name.c_str();
  return Success;
}
FAKE ResultCode cuGetErrorString(ResultCode, const char **text) {
  *text = "what it means";
  return Success;
}

//===----------------------------------------------------------------------===//
// Device and context
//===----------------------------------------------------------------------===//

FAKE ResultCode cuDeviceGetCount(int *count) {
  *count = environmentNumber("FAKE_CUDA_GPUS", 1);
  return record("cuDeviceGetCount");
}
FAKE ResultCode cuDeviceGet(DeviceId *device, int ordinal) {
  *device = ordinal;
  return record("cuDeviceGet", std::to_string(ordinal));
}
FAKE ResultCode cuDeviceGetName(char *name, int length, DeviceId) {
  std::strncpy(name, "Fake GPU", static_cast<size_t>(length));
  return record("cuDeviceGetName");
}
FAKE ResultCode cuDeviceGetAttribute(int *value, DeviceAttribute attribute,
                                     DeviceId) {
  int chip = environmentNumber("FAKE_CUDA_CHIP", 90);
  constexpr int sharedBytes = 227 * 1024;
  *value = attribute == ComputeCapabilityMajor   ? chip / 10
           : attribute == ComputeCapabilityMinor ? chip % 10
                                                 : sharedBytes;
  return record("cuDeviceGetAttribute");
}
FAKE ResultCode cuDevicePrimaryCtxRetain(Context *context, DeviceId) {
  giveHandle(context);
  return record("cuDevicePrimaryCtxRetain");
}
FAKE ResultCode cuDevicePrimaryCtxRelease_v2(DeviceId) {
  return record("cuDevicePrimaryCtxRelease_v2");
}
FAKE ResultCode cuCtxSetCurrent(Context) { return record("cuCtxSetCurrent"); }
FAKE ResultCode cuCtxSynchronize() { return record("cuCtxSynchronize"); }

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

FAKE ResultCode cuMemGetInfo_v2(size_t *free, size_t *total) {
  *free = totalBytes - state().usedBytes;
  *total = totalBytes;
  return record("cuMemGetInfo_v2");
}
FAKE ResultCode cuMemAlloc_v2(DevicePointer *pointer, size_t bytes) {
  return allocate("cuMemAlloc_v2", pointer, bytes);
}
FAKE ResultCode cuMemAllocManaged(DevicePointer *pointer, size_t bytes,
                                  unsigned) {
  return allocate("cuMemAllocManaged", pointer, bytes);
}
FAKE ResultCode cuMemFree_v2(DevicePointer pointer) {
  auto found = state().memory.find(pointer);
  if (found == state().memory.end())
    return ResultCode(1);
  state().usedBytes -= found->second.size();
  state().memory.erase(found);
  return record("cuMemFree_v2");
}
FAKE ResultCode cuMemcpyAsync(DevicePointer destination, DevicePointer source,
                              size_t bytes, Stream) {
  std::memcpy(reinterpret_cast<void *>(destination),
              reinterpret_cast<const void *>(source), bytes);
  return record("cuMemcpyAsync", std::to_string(bytes));
}

template <typename T>
static ResultCode fill(const char *function, DevicePointer destination, T value,
                       size_t count) {
  auto *target = reinterpret_cast<T *>(destination);
  for (size_t i = 0; i < count; ++i)
    target[i] = value;
  return record(function, std::to_string(count));
}
FAKE ResultCode cuMemsetD8Async(DevicePointer destination, unsigned char value,
                                size_t count, Stream) {
  return fill("cuMemsetD8Async", destination, value, count);
}
FAKE ResultCode cuMemsetD16Async(DevicePointer destination,
                                 unsigned short value, size_t count, Stream) {
  return fill("cuMemsetD16Async", destination, value, count);
}
FAKE ResultCode cuMemsetD32Async(DevicePointer destination, unsigned value,
                                 size_t count, Stream) {
  return fill("cuMemsetD32Async", destination, value, count);
}
FAKE ResultCode cuMemHostRegister_v2(void *, size_t, unsigned) {
  return record("cuMemHostRegister_v2");
}
FAKE ResultCode cuMemHostUnregister(void *) {
  return record("cuMemHostUnregister");
}

//===----------------------------------------------------------------------===//
// Modules and launches
//===----------------------------------------------------------------------===//

FAKE ResultCode cuModuleLoadDataEx(Module *module, const void *image,
                                   unsigned numOptions, JitOption *options,
                                   void **values) {
  giveHandle(module);
  ResultCode code = record("cuModuleLoadDataEx");
  if (code != Success && numOptions == 2 && options[0] == ErrorLogBuffer)
    std::strcpy(static_cast<char *>(values[0]), "ptxas says no\n");
  return code;
}
FAKE ResultCode cuModuleUnload(Module) { return record("cuModuleUnload"); }
FAKE ResultCode cuModuleGetFunction(Function *function, Module,
                                    const char *name) {
  giveHandle(function);
  return record("cuModuleGetFunction", name);
}
FAKE ResultCode cuFuncSetAttribute(Function, FunctionAttribute, int value) {
  return record("cuFuncSetAttribute", std::to_string(value));
}
FAKE ResultCode cuFuncGetParamInfo(Function, size_t index, size_t *offset,
                                   size_t *bytes) {
  if (!std::getenv("FAKE_CUDA_PARAMETERS"))
    return NotSupported;
  if (index >= size_t(environmentNumber("FAKE_CUDA_PARAMETERS", 0)))
    return InvalidValue;
  *offset = index * sizeof(void *);
  *bytes = sizeof(void *);
  return Success;
}
FAKE ResultCode cuLaunchKernel(Function, unsigned gridX, unsigned gridY,
                               unsigned gridZ, unsigned blockX, unsigned blockY,
                               unsigned blockZ, unsigned sharedBytes, Stream,
                               void **, void **) {
  return record("cuLaunchKernel", str(gridX, gridY, gridZ) + " " +
                                      str(blockX, blockY, blockZ) + " " +
                                      std::to_string(sharedBytes));
}

//===----------------------------------------------------------------------===//
// Streams, events, graphs
//===----------------------------------------------------------------------===//

FAKE ResultCode cuStreamCreate(Stream *stream, unsigned) {
  giveHandle(stream);
  return record("cuStreamCreate");
}
FAKE ResultCode cuStreamDestroy_v2(Stream) {
  return record("cuStreamDestroy_v2");
}
FAKE ResultCode cuStreamSynchronize(Stream) {
  return record("cuStreamSynchronize");
}
FAKE ResultCode cuStreamWaitEvent(Stream, Event, unsigned) {
  return record("cuStreamWaitEvent");
}
FAKE ResultCode cuStreamBeginCapture_v2(Stream, CaptureMode) {
  return record("cuStreamBeginCapture_v2");
}
FAKE ResultCode cuStreamEndCapture(Stream, Graph *graph) {
  giveHandle(graph);
  return record("cuStreamEndCapture");
}
FAKE ResultCode cuEventCreate(Event *event, unsigned) {
  giveHandle(event);
  return record("cuEventCreate");
}
FAKE ResultCode cuEventDestroy_v2(Event) { return record("cuEventDestroy_v2"); }
FAKE ResultCode cuEventRecord(Event, Stream) { return record("cuEventRecord"); }
FAKE ResultCode cuEventSynchronize(Event) {
  return record("cuEventSynchronize");
}
/// Every span takes 1.5 ms.
FAKE ResultCode cuEventElapsedTime(float *milliseconds, Event, Event) {
  *milliseconds = 1.5f;
  return record("cuEventElapsedTime");
}
FAKE ResultCode cuGraphInstantiateWithFlags(GraphExec *exec, Graph,
                                            unsigned long long) {
  giveHandle(exec);
  return record("cuGraphInstantiateWithFlags");
}
FAKE ResultCode cuGraphLaunch(GraphExec, Stream) {
  return record("cuGraphLaunch");
}
FAKE ResultCode cuGraphExecDestroy(GraphExec) {
  return record("cuGraphExecDestroy");
}
FAKE ResultCode cuGraphDestroy(Graph) { return record("cuGraphDestroy"); }

// A function that the runtime wants must be here, with its type.
#define CHECK_TYPE(member, symbol, parameters)                                 \
  static_assert(std::is_same_v<decltype(&symbol), decltype(Driver::member)>);
MAGICUBE_CUDA_FUNCTIONS(CHECK_TYPE)
MAGICUBE_CUDA_OPTIONAL_FUNCTIONS(CHECK_TYPE)
