//===- MgpuABITest.cpp - The symbols that gpu-to-llvm host code calls -----===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Does what such host code does, with the signatures that mlir-opt 22 declares
// for them.
//
//===----------------------------------------------------------------------===//

#include "KernelHarness.h"

#include <numeric>

using namespace mlir::magicube;
using namespace mlir::magicube::test;

extern "C" {
void *mgpuModuleLoad(void *data, size_t bytes);
void *mgpuModuleLoadJIT(void *data, int level);
void mgpuModuleUnload(void *module);
void *mgpuModuleGetFunction(void *module, const char *name);
void mgpuLaunchKernel(void *function, intptr_t gridX, intptr_t gridY,
                      intptr_t gridZ, intptr_t blockX, intptr_t blockY,
                      intptr_t blockZ, int32_t sharedBytes, void *stream,
                      void **parameters, void **extra, size_t count);
void mgpuLaunchClusterKernel(void *function, intptr_t clusterX,
                             intptr_t clusterY, intptr_t clusterZ,
                             intptr_t gridX, intptr_t gridY, intptr_t gridZ,
                             intptr_t blockX, intptr_t blockY, intptr_t blockZ,
                             int32_t sharedBytes, void *stream,
                             void **parameters, void **extra, size_t count);
void *mgpuStreamCreate();
void mgpuStreamDestroy(void *stream);
void mgpuStreamSynchronize(void *stream);
void mgpuStreamWaitEvent(void *stream, void *event);
void *mgpuEventCreate();
void mgpuEventDestroy(void *event);
void mgpuEventSynchronize(void *event);
void mgpuEventRecord(void *event, void *stream);
void *mgpuMemAlloc(uint64_t bytes, void *stream, bool isHostShared);
void mgpuMemFree(void *pointer, void *stream);
void mgpuMemcpy(void *destination, void *source, size_t bytes, void *stream);
void mgpuMemset32(void *destination, unsigned value, size_t count,
                  void *stream);
void mgpuMemset16(void *destination, unsigned short value, size_t count,
                  void *stream);
void mgpuMemHostRegisterMemRef(int64_t rank, void *descriptor,
                               int64_t elementBytes);
void mgpuMemHostUnregisterMemRef(int64_t rank, void *descriptor,
                                 int64_t elementBytes);
void mgpuSetDefaultDevice(int32_t index);
}

namespace {

const char *const addKernel = R"(
define ptx_kernel void @add(ptr addrspace(1) %data, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i32, ptr addrspace(1) %data, i32 %t
  %v = load i32, ptr addrspace(1) %p, align 4
  %s = add i32 %v, %n
  store i32 %s, ptr addrspace(1) %p, align 4
  ret void
})";

class Mgpu : public testing::Test {
protected:
  void SetUp() override {
    device = std::move(*createDevice("sim"));
    setCurrentDevice(device.get());
    bitcode = assemble(addKernel);
  }
  void TearDown() override { setCurrentDevice(nullptr); }

  std::unique_ptr<Device> device;
  std::string bitcode;
};

TEST_F(Mgpu, HostProgram) {
  void *module = mgpuModuleLoad(bitcode.data(), bitcode.size());
  void *stream = mgpuStreamCreate();
  std::vector<int32_t> host(64);
  std::iota(host.begin(), host.end(), 0);
  struct {
    int32_t *allocated, *aligned;
    int64_t offset, sizes[2], strides[2];
  } memref = {host.data(), host.data(), 0, {8, 8}, {8, 1}};
  mgpuMemHostRegisterMemRef(2, &memref, 4);
  void *data = mgpuMemAlloc(64 * 4, stream, false);
  mgpuMemset16(data, 0x0101, 128, stream);
  mgpuMemset32(data, 7, 64, stream);
  void *function = mgpuModuleGetFunction(module, "add");
  int32_t n = 5;
  void *parameters[] = {&data, &n};
  mgpuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, stream, parameters, nullptr,
                   2);
  void *event = mgpuEventCreate();
  mgpuEventRecord(event, stream);
  void *other = mgpuStreamCreate();
  mgpuStreamWaitEvent(other, event);
  mgpuEventSynchronize(event);
  mgpuEventDestroy(event);
  mgpuLaunchClusterKernel(function, 1, 1, 1, 1, 1, 1, 32, 1, 1, 0, other,
                          parameters, nullptr, 2);
  mgpuMemcpy(host.data(), data, 64 * 4, other);
  mgpuStreamSynchronize(other);
  mgpuStreamDestroy(other);
  mgpuStreamDestroy(stream);
  mgpuMemFree(data, nullptr);
  mgpuMemHostUnregisterMemRef(2, &memref, 4);
  mgpuModuleUnload(module);
  mgpuSetDefaultDevice(0);
  for (int i = 0; i < 64; ++i)
    EXPECT_EQ(host[static_cast<size_t>(i)], i < 32 ? 17 : 12);
}

using MgpuDeath = Mgpu;

TEST_F(MgpuDeath, ErrorsArePrintedAndExit) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  char ptx[] = ".version 8.0\n";
  EXPECT_EXIT(mgpuModuleLoad(ptx, sizeof(ptx)), testing::ExitedWithCode(1),
              "error: device 'sim' expects LLVM bitcode, but the module is PTX "
              "text\nnote: compile the kernels for this device with "
              "gpu-module-to-binary");
  EXPECT_EXIT(mgpuModuleLoadJIT(ptx, 2), testing::ExitedWithCode(1),
              "PTX text");
  EXPECT_EXIT(
      {
        void *module = mgpuModuleLoad(bitcode.data(), bitcode.size());
        mgpuLaunchKernel(mgpuModuleGetFunction(module, "add"), 0, 1, 1, 1, 1, 1,
                         0, nullptr, nullptr, nullptr, 0);
      },
      testing::ExitedWithCode(1), "grid \\(0, 1, 1\\) is empty");
  EXPECT_EXIT(mgpuLaunchClusterKernel(nullptr, 2, 1, 1, 1, 1, 1, 1, 1, 1, 0,
                                      nullptr, nullptr, nullptr, 0),
              testing::ExitedWithCode(1), "clusters of more than one block");
  EXPECT_EXIT(mgpuSetDefaultDevice(1), testing::ExitedWithCode(1),
              "there is one device");
}

} // namespace
