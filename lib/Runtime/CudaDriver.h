//===- CudaDriver.h - The CUDA driver's functions ---------------*- C++ -*-===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of libcuda.so.1 that the runtime calls, found at run time, with
// the few types they need: neither CUDA's headers nor its libraries take part
// in the build. Source of names and numbers: CUDA Driver API, version 13.0.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_RUNTIME_CUDADRIVER_H
#define MAGICUBE_LIB_RUNTIME_CUDADRIVER_H

#include "magicube/Support/Result.h"

#include <cstddef>

namespace mlir::magicube::cuda {

/// CUresult. Only the codes that the runtime tells apart have names here.
enum ResultCode : int {
  Success = 0,
  InvalidValue = 1,
  OutOfMemory = 2,
  Deinitialized = 4,
  StubLibrary = 34,
  NoDevice = 100,
  InvalidImage = 200,
  NoBinaryForGpu = 209,
  InvalidPtx = 218,
  JitCompilerNotFound = 221,
  UnsupportedPtxVersion = 222,
  InvalidSource = 300,
  NotFound = 500,
  LaunchOutOfResources = 701,
  NotSupported = 801,
  SystemDriverMismatch = 803,
};

enum DeviceAttribute : int {
  ComputeCapabilityMajor = 75,
  ComputeCapabilityMinor = 76,
  MaxSharedMemoryPerBlockOptIn = 97,
};

enum FunctionAttribute : int { MaxDynamicSharedSizeBytes = 8 };

enum JitOption : int { ErrorLogBuffer = 5, ErrorLogBufferSizeBytes = 6 };

enum CaptureMode : int { CaptureThreadLocal = 1 };

/// Flags of cuMemAllocManaged and cuStreamCreate.
inline constexpr unsigned attachGlobal = 1, streamNonBlocking = 1;

using DeviceId = int;
using DevicePointer = unsigned long long;
using Context = struct ContextObject *;
using Module = struct ModuleObject *;
using Function = struct FunctionObject *;
using Stream = struct StreamObject *;
using Event = struct EventObject *;
using Graph = struct GraphObject *;
using GraphExec = struct GraphExecObject *;

/// The one list of functions: name of the member below, exported symbol (cuda.h
/// maps some names to later versions of the function), parameters.
#define MAGICUBE_CUDA_FUNCTIONS(X)                                             \
  X(init, cuInit, (unsigned flags))                                            \
  X(getErrorName, cuGetErrorName, (ResultCode code, const char **text))        \
  X(getErrorString, cuGetErrorString, (ResultCode code, const char **text))    \
  X(deviceGetCount, cuDeviceGetCount, (int *count))                            \
  X(deviceGet, cuDeviceGet, (DeviceId * device, int ordinal))                  \
  X(deviceGetName, cuDeviceGetName, (char *name, int length, DeviceId device)) \
  X(deviceGetAttribute, cuDeviceGetAttribute,                                  \
    (int *value, DeviceAttribute attribute, DeviceId device))                  \
  X(primaryContextRetain, cuDevicePrimaryCtxRetain,                            \
    (Context * context, DeviceId device))                                      \
  X(primaryContextRelease, cuDevicePrimaryCtxRelease_v2, (DeviceId device))    \
  X(contextSetCurrent, cuCtxSetCurrent, (Context context))                     \
  X(contextSynchronize, cuCtxSynchronize, ())                                  \
  X(memGetInfo, cuMemGetInfo_v2, (size_t *free, size_t *total))                \
  X(memAlloc, cuMemAlloc_v2, (DevicePointer * pointer, size_t bytes))          \
  X(memAllocManaged, cuMemAllocManaged,                                        \
    (DevicePointer * pointer, size_t bytes, unsigned flags))                   \
  X(memFree, cuMemFree_v2, (DevicePointer pointer))                            \
  X(memcpyAsync, cuMemcpyAsync,                                                \
    (DevicePointer destination, DevicePointer source, size_t bytes,            \
     Stream stream))                                                           \
  X(memsetD8Async, cuMemsetD8Async,                                            \
    (DevicePointer destination, unsigned char value, size_t count,             \
     Stream stream))                                                           \
  X(memsetD16Async, cuMemsetD16Async,                                          \
    (DevicePointer destination, unsigned short value, size_t count,            \
     Stream stream))                                                           \
  X(memsetD32Async, cuMemsetD32Async,                                          \
    (DevicePointer destination, unsigned value, size_t count, Stream stream))  \
  X(memHostRegister, cuMemHostRegister_v2,                                     \
    (void *pointer, size_t bytes, unsigned flags))                             \
  X(memHostUnregister, cuMemHostUnregister, (void *pointer))                   \
  X(moduleLoadDataEx, cuModuleLoadDataEx,                                      \
    (Module * module, const void *image, unsigned numOptions,                  \
     JitOption *options, void **values))                                       \
  X(moduleUnload, cuModuleUnload, (Module module))                             \
  X(moduleGetFunction, cuModuleGetFunction,                                    \
    (Function * function, Module module, const char *name))                    \
  X(funcSetAttribute, cuFuncSetAttribute,                                      \
    (Function function, FunctionAttribute attribute, int value))               \
  X(launchKernel, cuLaunchKernel,                                              \
    (Function function, unsigned gridX, unsigned gridY, unsigned gridZ,        \
     unsigned blockX, unsigned blockY, unsigned blockZ, unsigned sharedBytes,  \
     Stream stream, void **parameters, void **extra))                          \
  X(streamCreate, cuStreamCreate, (Stream * stream, unsigned flags))           \
  X(streamDestroy, cuStreamDestroy_v2, (Stream stream))                        \
  X(streamSynchronize, cuStreamSynchronize, (Stream stream))                   \
  X(streamWaitEvent, cuStreamWaitEvent,                                        \
    (Stream stream, Event event, unsigned flags))                              \
  X(streamBeginCapture, cuStreamBeginCapture_v2,                               \
    (Stream stream, CaptureMode mode))                                         \
  X(streamEndCapture, cuStreamEndCapture, (Stream stream, Graph * graph))      \
  X(eventCreate, cuEventCreate, (Event * event, unsigned flags))               \
  X(eventDestroy, cuEventDestroy_v2, (Event event))                            \
  X(eventRecord, cuEventRecord, (Event event, Stream stream))                  \
  X(eventSynchronize, cuEventSynchronize, (Event event))                       \
  X(eventElapsedTime, cuEventElapsedTime,                                      \
    (float *milliseconds, Event begin, Event end))                             \
  X(graphInstantiate, cuGraphInstantiateWithFlags,                             \
    (GraphExec * exec, Graph graph, unsigned long long flags))                 \
  X(graphLaunch, cuGraphLaunch, (GraphExec exec, Stream stream))               \
  X(graphExecDestroy, cuGraphExecDestroy, (GraphExec exec))                    \
  X(graphDestroy, cuGraphDestroy, (Graph graph))

/// Functions that older drivers lack; their members are null then.
#define MAGICUBE_CUDA_OPTIONAL_FUNCTIONS(X)                                    \
  /* From CUDA 12.4 on. */                                                     \
  X(funcGetParamInfo, cuFuncGetParamInfo,                                      \
    (Function function, size_t index, size_t * offset, size_t * bytes))

/// The environment variable that names another driver library.
inline constexpr const char *driverVariable = "MAGICUBE_CUDA_DRIVER";

/// Pointers to the functions above.
struct Driver {
#define MAGICUBE_CUDA_MEMBER(member, symbol, parameters)                       \
  ResultCode(*member) parameters = nullptr;
  MAGICUBE_CUDA_FUNCTIONS(MAGICUBE_CUDA_MEMBER)
  MAGICUBE_CUDA_OPTIONAL_FUNCTIONS(MAGICUBE_CUDA_MEMBER)
#undef MAGICUBE_CUDA_MEMBER

  /// Loads MAGICUBE_CUDA_DRIVER if set, else libcuda.so.1, and starts it
  /// (cuInit). Errors: no such library, a driver too old to have one of the
  /// functions, no GPU, a driver that does not start.
  static Result<Driver> load();

  /// "CUDA_ERROR_OUT_OF_MEMORY (out of memory)".
  std::string describe(ResultCode code) const;
  /// `what` failed with `code`; success is a success.
  Status check(ResultCode code, const std::string &what,
               const std::string &note = {}) const;
};

} // namespace mlir::magicube::cuda

#endif // MAGICUBE_LIB_RUNTIME_CUDADRIVER_H
