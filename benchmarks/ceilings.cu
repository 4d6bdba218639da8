//===- ceilings.cu - What the chip can do ---------------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures the resources that bound a kernel, each by a kernel that does
// nothing else, and prints a JSON object for each: bandwidth of DRAM, L2 and
// shared memory, rates of MMAs, and what a launch in a graph costs. benchmarks/
// roofline.py computes bounds from them.
//
//===----------------------------------------------------------------------===//

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <functional>
#include <vector>

#define CHECK(call)                                                            \
  do {                                                                         \
    cudaError_t code = (call);                                                 \
    if (code != cudaSuccess) {                                                 \
      std::fprintf(stderr, "ceilings: %s: %s\n", #call,                        \
                   cudaGetErrorString(code));                                  \
      std::exit(1);                                                            \
    }                                                                          \
  } while (0)

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

__global__ void doNothing() {}

/// Reads `total` vectors, going round through the first `count` of `data`,
/// which are more than there are threads. L1 is passed by.
__global__ void readAll(const uint4 *data, size_t count, size_t total,
                        uint4 *sink) {
  constexpr int unroll = 8;
  uint4 sum = {0, 0, 0, 0};
  size_t stride = size_t(gridDim.x) * blockDim.x;
  size_t at = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  for (size_t done = 0; done < total; done += stride * unroll) {
    uint4 part[unroll];
#pragma unroll
    for (int j = 0; j < unroll; ++j) {
      part[j] = __ldcg(data + at);
      at += stride;
      at -= at >= count ? count : 0;
    }
#pragma unroll
    for (int j = 0; j < unroll; ++j) {
      sum.x ^= part[j].x;
      sum.y += part[j].y;
      sum.z ^= part[j].z;
      sum.w += part[j].w;
    }
  }
  if (sum.x == 0x12345678 && sum.y == 0x9abcdef0)
    *sink = sum;
}

__global__ void writeAll(uint4 *data, size_t count) {
  size_t stride = size_t(gridDim.x) * blockDim.x;
  for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += stride)
    __stcs(data + i, uint4{unsigned(i), 1, 2, 3});
}

constexpr int sharedRounds = 4096, sharedThreads = 1024;

/// ldmatrix.x4 without bank conflicts: 512 bytes a warp and instruction.
__global__ void readShared(unsigned *sink) {
  extern __shared__ uint4 tile[];
  for (int i = threadIdx.x; i < 2 * sharedThreads; i += blockDim.x)
    tile[i] = uint4{unsigned(i), 1, 2, 3};
  __syncthreads();
  unsigned sum = 0;
  auto base = unsigned(__cvta_generic_to_shared(tile + threadIdx.x));
#pragma unroll 1
  for (int round = 0; round < sharedRounds / 8; ++round) {
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      unsigned a, b, c, d;
      unsigned address = base + ((i & 1) ? sharedThreads * 16 : 0);
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, "
                   "[%4];"
                   : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                   : "r"(address));
      sum += a ^ b ^ c ^ d;
    }
  }
  if (sum == 0x12345678)
    *sink = sum;
}

constexpr int mmaRounds = 4096, mmaChains = 8, mmaThreads = 1024;

__device__ void multiplyInt8(int (&c)[4], const unsigned (&a)[4], unsigned b0,
                             unsigned b1) {
  asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 "
               "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__device__ void multiplyHalf(float (&c)[4], const unsigned (&a)[4], unsigned b0,
                             unsigned b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
               "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

/// `mmaChains` independent accumulators a warp. Operands are not zero: zeros
/// take less power and can run faster.
template <typename T,
          void (*multiply)(T (&)[4], const unsigned (&)[4], unsigned, unsigned)>
__global__ void multiplyAll(T *sink) {
  T c[mmaChains][4] = {};
  unsigned a[4], b[2];
  for (int i = 0; i < 4; ++i)
    a[i] = (threadIdx.x * 0x01010101u + i * 0x11223344u) & 0x3f3f3f3fu;
  for (int i = 0; i < 2; ++i)
    b[i] = (threadIdx.x * 0x03050709u + i * 0x55667788u) & 0x3f3f3f3fu;
#pragma unroll 1
  for (int round = 0; round < mmaRounds / mmaChains; ++round)
#pragma unroll
    for (int chain = 0; chain < mmaChains; ++chain)
      multiply(c[chain], a, b[0], b[1]);
  T sum = 0;
  for (auto &chain : c)
    for (T value : chain)
      sum += value;
  if (sum == T(123456789))
    *sink = sum;
}

/// Cycles of one multiprocessor over a while.
__global__ void spin(long long *cycles) {
  constexpr long long wanted = 20000000;
  long long start = clock64(), now = start;
  while (now - start < wanted)
    now = clock64();
  *cycles = now - start;
}

//===----------------------------------------------------------------------===//
// Measuring
//===----------------------------------------------------------------------===//

namespace {

constexpr int warmups = 2, repeats = 9;

/// Median microseconds of `work` on the GPU.
double medianMicroseconds(cudaStream_t stream,
                          const std::function<void()> &work) {
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  std::vector<float> times;
  for (int i = 0; i < warmups + repeats; ++i) {
    CHECK(cudaEventRecord(begin, stream));
    work();
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(end, stream));
    CHECK(cudaEventSynchronize(end));
    float milliseconds;
    CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
    if (i >= warmups)
      times.push_back(milliseconds);
  }
  CHECK(cudaEventDestroy(begin));
  CHECK(cudaEventDestroy(end));
  std::sort(times.begin(), times.end());
  return times[times.size() / 2] * 1000.0;
}

void print(const char *name, double value, const char *unit,
           const char *method) {
  std::printf("{\"ceiling\":\"%s\",\"value\":%.6g,\"unit\":\"%s\",\"method\":"
              "\"%s\"}\n",
              name, value, unit, method);
  std::fflush(stdout);
}

constexpr double perSecond = 1e6; // of something per microsecond

} // namespace

int main() {
  cudaDeviceProp chip;
  CHECK(cudaGetDeviceProperties(&chip, 0));
  cudaStream_t stream;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  const int sms = chip.multiProcessorCount;
  std::printf("{\"chip\":\"%s\",\"capability\":%d,\"multiprocessors\":%d,"
              "\"l2_bytes\":%d,\"shared_bytes_per_block\":%zu}\n",
              chip.name, chip.major * 10 + chip.minor, sms, chip.l2CacheSize,
              chip.sharedMemPerBlockOptin);

  // The clock.
  long long *cycles;
  CHECK(cudaMalloc(&cycles, sizeof(*cycles)));
  auto measureClock = [&](const char *name) {
    double time =
        medianMicroseconds(stream, [&] { spin<<<1, 1, 0, stream>>>(cycles); });
    long long count;
    CHECK(cudaMemcpy(&count, cycles, sizeof(count), cudaMemcpyDeviceToHost));
    print(name, double(count) / time * perSecond, "Hz",
          "clock64 of one thread over the time of its kernel");
    return double(count) / time * perSecond;
  };

  double clock = measureClock("sm_clock");

  // DRAM.
  const size_t large = size_t(4) << 30;
  uint4 *source, *target;
  CHECK(cudaMalloc(&source, large));
  CHECK(cudaMalloc(&target, large));
  CHECK(cudaMemset(source, 0x5a, large));
  const int blocks = sms * 2, threads = 1024;
  // A multiple of what all threads read in one step.
  const size_t step = size_t(blocks) * threads * 8;
  auto measureReads = [&](const char *name, size_t bytes, size_t minTotal,
                          const char *method) {
    size_t vectors = minTotal / sizeof(uint4) / step * step;
    double time = medianMicroseconds(stream, [&] {
      readAll<<<blocks, threads, 0, stream>>>(source, bytes / sizeof(uint4),
                                              vectors, target);
    });
    print(name, double(vectors * sizeof(uint4)) / time * perSecond, "B/s",
          method);
  };
  measureReads("dram_read", large, large, "16-byte loads of 4 GiB");
  double time = medianMicroseconds(stream, [&] {
    writeAll<<<blocks, threads, 0, stream>>>(target, large / sizeof(uint4));
  });
  print("dram_write", double(large) / time * perSecond, "B/s",
        "16-byte streaming stores of 4 GiB");
  time = medianMicroseconds(stream, [&] {
    CHECK(cudaMemcpyAsync(target, source, large, cudaMemcpyDeviceToDevice,
                          stream));
  });
  print("dram_copy", 2.0 * double(large) / time * perSecond, "B/s",
        "copy of 4 GiB, bytes read and written");

  // L2.
  measureReads("l2_read_8_mib", size_t(8) << 20, large,
               "4 GiB of loads from 8 MiB, L1 passed by");
  measureReads("l2_read", size_t(20) << 20, large,
               "4 GiB of loads from 20 MiB, L1 passed by");

  // Shared memory: two blocks a multiprocessor.
  auto *sink = reinterpret_cast<unsigned *>(target);
  const size_t tileBytes = 2 * sharedThreads * sizeof(uint4);
  time = medianMicroseconds(stream, [&] {
    readShared<<<blocks, sharedThreads, tileBytes, stream>>>(sink);
  });
  double sharedBytes =
      double(blocks) * (sharedThreads / 32) * sharedRounds * 512;
  print("shared_read", sharedBytes / time * perSecond, "B/s",
        "ldmatrix.x4 without conflicts");

  // MMAs.
  const double mmas = double(blocks) * (mmaThreads / 32) * double(mmaRounds);
  time = medianMicroseconds(stream, [&] {
    multiplyAll<int, multiplyInt8>
        <<<blocks, mmaThreads, 0, stream>>>(reinterpret_cast<int *>(target));
  });
  print("mma_int8", mmas * 2 * 16 * 8 * 32 / time * perSecond, "op/s",
        "mma.sync m16n8k32 s8");
  time = medianMicroseconds(stream, [&] {
    multiplyAll<float, multiplyHalf>
        <<<blocks, mmaThreads, 0, stream>>>(reinterpret_cast<float *>(target));
  });
  print("mma_fp16", mmas * 2 * 16 * 8 * 16 / time * perSecond, "op/s",
        "mma.sync m16n8k16 f16, f32 accumulators");
  print("shared_nominal", 128.0 * sms * clock, "B/s",
        "128 bytes a clock and multiprocessor");

  // A launch.
  const int launches = 200;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  for (int i = 0; i < launches; ++i)
    doNothing<<<sms, 128, 0, stream>>>();
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  time =
      medianMicroseconds(stream, [&] { CHECK(cudaGraphLaunch(exec, stream)); });
  print("launch", time / launches, "us", "empty kernels in a replayed graph");
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  return 0;
}
