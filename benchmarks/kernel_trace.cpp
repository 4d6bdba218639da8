//===- kernel_trace.cpp - Durations of kernels as CUPTI sees them ---------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A library that the driver loads into any program:
//
//   CUDA_INJECTION64_PATH=kernel_trace.so KERNEL_TRACE_OUT=FILE program...
//
// At the end it appends a JSON object for each kernel to FILE: name, number of
// launches, median and least duration without the gaps between launches.
// KERNEL_TRACE_CUPTI (default libcupti.so.13) names CUPTI.
//
//===----------------------------------------------------------------------===//

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cupti.h>
#include <dlfcn.h>
#include <map>
#include <string>
#include <vector>

namespace {

/// The functions of CUPTI that are used.
struct Cupti {
  decltype(&cuptiActivityEnable) enable;
  decltype(&cuptiActivityRegisterCallbacks) registerCallbacks;
  decltype(&cuptiActivityGetNextRecord) next;
  decltype(&cuptiActivityFlushAll) flush;

  bool load() {
    const char *name = std::getenv("KERNEL_TRACE_CUPTI");
    void *library = dlopen(name ? name : "libcupti.so.13", RTLD_NOW);
    if (!library) {
      std::fprintf(stderr, "kernel_trace: %s\n", dlerror());
      return false;
    }
    auto find = [&](auto &function, const char *symbol) {
      function = reinterpret_cast<std::decay_t<decltype(function)>>(
          dlsym(library, symbol));
      return function != nullptr;
    };
    return find(enable, "cuptiActivityEnable") &&
           find(registerCallbacks, "cuptiActivityRegisterCallbacks") &&
           find(next, "cuptiActivityGetNextRecord") &&
           find(flush, "cuptiActivityFlushAll");
  }
};

Cupti cupti;
// Never destroyed: records may arrive while the program ends.
auto &durations = *new std::map<std::string, std::vector<uint64_t>>;

constexpr size_t bufferBytes = 8 << 20, bufferAlignment = 8;

void CUPTIAPI giveBuffer(uint8_t **buffer, size_t *bytes, size_t *maxRecords) {
  *buffer =
      static_cast<uint8_t *>(std::aligned_alloc(bufferAlignment, bufferBytes));
  *bytes = *buffer ? bufferBytes : 0;
  *maxRecords = 0;
}

void CUPTIAPI takeBuffer(CUcontext, uint32_t, uint8_t *buffer, size_t,
                         size_t validBytes) {
  CUpti_Activity *record = nullptr;
  while (cupti.next(buffer, validBytes, &record) == CUPTI_SUCCESS) {
    if (record->kind != CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)
      continue;
    // Start, end and name lie where they did in all later versions.
    auto *kernel = reinterpret_cast<CUpti_ActivityKernel9 *>(record);
    durations[kernel->name].push_back(kernel->end - kernel->start);
  }
  std::free(buffer);
}

void writeReport() {
  cupti.flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  const char *path = std::getenv("KERNEL_TRACE_OUT");
  std::FILE *file = path ? std::fopen(path, "a") : stderr;
  if (!file) {
    std::fprintf(stderr, "kernel_trace: cannot write %s\n", path);
    return;
  }
  constexpr double nanosecondsPerMicrosecond = 1000;
  for (auto &[name, times] : durations) {
    std::sort(times.begin(), times.end());
    std::fprintf(file,
                 "{\"kernel\":\"%s\",\"launches\":%zu,\"median_us\":%.3f,"
                 "\"min_us\":%.3f}\n",
                 name.c_str(), times.size(),
                 double(times[times.size() / 2]) / nanosecondsPerMicrosecond,
                 double(times.front()) / nanosecondsPerMicrosecond);
  }
  if (path)
    std::fclose(file);
}

} // namespace

/// The driver calls it when it starts.
extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  if (!cupti.load() ||
      cupti.registerCallbacks(giveBuffer, takeBuffer) != CUPTI_SUCCESS ||
      cupti.enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) != CUPTI_SUCCESS) {
    std::fprintf(stderr, "kernel_trace: CUPTI does not trace kernels here\n");
    return 1;
  }
  std::atexit(writeReport);
  return 1;
}
