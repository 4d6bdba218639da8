/*===- Runtime.h - C interface of the runtime ----------------------*- C
-*-===*\
|*                                                                            *|
|* Part of the Magicube Project, under the Apache License v2.0 with LLVM      *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|* Runs compiled kernels: devices, memory, modules, launches. Every function  *|
|* that can fail returns a MagicubeStatus; the text of the last failure on    *|
|* this thread is magicubeGetLastErrorMessage(). No C++ types, no exceptions. *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef MAGICUBE_C_RUNTIME_H
#define MAGICUBE_C_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MAGICUBE_CAPI_EXPORTED __attribute__((visibility("default")))

typedef enum MagicubeStatus {
  MAGICUBE_SUCCESS = 0,
  /** A null handle or pointer where one is needed. */
  MAGICUBE_INVALID_ARGUMENT = 1,
  /** The device name is unknown or its library or driver is missing. */
  MAGICUBE_DEVICE_UNAVAILABLE = 2,
  /** The module is not an image that this device runs, or is damaged. */
  MAGICUBE_INVALID_MODULE = 3,
  /** No kernel of this name in the module. */
  MAGICUBE_NOT_FOUND = 4,
  /** Out of memory, or not an address that the device gave. */
  MAGICUBE_MEMORY_ERROR = 5,
  /** The launch was refused or the kernel failed. */
  MAGICUBE_LAUNCH_FAILED = 6,
  /** Any other failure of the device. */
  MAGICUBE_FAILURE = 7
} MagicubeStatus;

/** Opaque handles. A handle lives until its destroy or unload function. */
typedef struct MagicubeDevice_ *MagicubeDevice;
typedef struct MagicubeModule_ *MagicubeModule;
typedef struct MagicubeFunction_ *MagicubeFunction;
typedef struct MagicubeStream_ *MagicubeStream;

/** What went wrong in this thread's last failed call ("" before any). Valid
 *  until the next failing call on this thread. */
MAGICUBE_CAPI_EXPORTED const char *magicubeGetLastErrorMessage(void);
/** How to fix it; may be empty. */
MAGICUBE_CAPI_EXPORTED const char *magicubeGetLastErrorNote(void);

/** Creates a device by name ("sim"). `keys` and `values` are arrays of
 *  `numOptions` strings. Options of "sim": warp-order = forward | reverse |
 *  random, seed = n, async-copy = issue | wait, shared-memory-limit = bytes,
 *  threads = n. */
MAGICUBE_CAPI_EXPORTED MagicubeStatus magicubeDeviceCreate(
    const char *name, const char *const *keys, const char *const *values,
    size_t numOptions, MagicubeDevice *device);
/** Destroys the device and all it owns; null is fine. */
MAGICUBE_CAPI_EXPORTED void magicubeDeviceDestroy(MagicubeDevice device);
/** The name it was created by; lives as long as the device. */
MAGICUBE_CAPI_EXPORTED const char *magicubeDeviceGetName(MagicubeDevice device);
/** Most bytes of dynamic shared memory of one block; 0 for a null device. */
MAGICUBE_CAPI_EXPORTED uint32_t
magicubeDeviceGetSharedMemoryLimit(MagicubeDevice device);
/** Makes it the device that the mgpu* symbols act on; null resets to the
 *  default (environment variable MAGICUBE_DEVICE, else "sim"). */
MAGICUBE_CAPI_EXPORTED void magicubeSetCurrentDevice(MagicubeDevice device);

/** Device memory, aligned to 16 bytes at least. */
MAGICUBE_CAPI_EXPORTED MagicubeStatus magicubeMemAlloc(MagicubeDevice device,
                                                       uint64_t bytes,
                                                       void **pointer);
MAGICUBE_CAPI_EXPORTED MagicubeStatus magicubeMemFree(MagicubeDevice device,
                                                      void *pointer);
/** Copies in any direction between host and device; complete on return. */
MAGICUBE_CAPI_EXPORTED MagicubeStatus magicubeMemcpy(MagicubeDevice device,
                                                     void *destination,
                                                     const void *source,
                                                     uint64_t bytes);
MAGICUBE_CAPI_EXPORTED MagicubeStatus magicubeMemset8(MagicubeDevice device,
                                                      void *destination,
                                                      uint8_t value,
                                                      uint64_t count);
MAGICUBE_CAPI_EXPORTED MagicubeStatus magicubeMemset32(MagicubeDevice device,
                                                       void *destination,
                                                       uint32_t value,
                                                       uint64_t count);

/** Loads a device image (for "sim": LLVM bitcode; the image is copied). */
MAGICUBE_CAPI_EXPORTED MagicubeStatus
magicubeModuleLoad(MagicubeDevice device, const void *image, uint64_t bytes,
                   MagicubeModule *module);
MAGICUBE_CAPI_EXPORTED MagicubeStatus
magicubeModuleUnload(MagicubeDevice device, MagicubeModule module);
/** The kernel `name`; the handle lives as long as the module. */
MAGICUBE_CAPI_EXPORTED MagicubeStatus
magicubeModuleGetFunction(MagicubeDevice device, MagicubeModule module,
                          const char *name, MagicubeFunction *function);

MAGICUBE_CAPI_EXPORTED MagicubeStatus
magicubeStreamCreate(MagicubeDevice device, MagicubeStream *stream);
MAGICUBE_CAPI_EXPORTED MagicubeStatus
magicubeStreamDestroy(MagicubeDevice device, MagicubeStream stream);
MAGICUBE_CAPI_EXPORTED MagicubeStatus
magicubeStreamSynchronize(MagicubeDevice device, MagicubeStream stream);
/** Waits for all work of the device. */
MAGICUBE_CAPI_EXPORTED MagicubeStatus
magicubeDeviceSynchronize(MagicubeDevice device);

/** Runs a kernel on `stream` (null: the default stream). `grid` and `block`
 *  are x, y, z; parameters[i] points at the value of parameter i. */
MAGICUBE_CAPI_EXPORTED MagicubeStatus magicubeLaunch(
    MagicubeDevice device, MagicubeFunction function, const uint32_t grid[3],
    const uint32_t block[3], uint32_t dynamicSharedBytes, MagicubeStream stream,
    void **parameters);

#ifdef __cplusplus
}
#endif

#endif /* MAGICUBE_C_RUNTIME_H */
