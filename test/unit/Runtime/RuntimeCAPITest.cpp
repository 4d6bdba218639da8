//===- RuntimeCAPITest.cpp - The C interface of the runtime ---------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "magicube-c/Runtime.h"

#include "KernelHarness.h"

#include <numeric>

using namespace mlir::magicube::test;

namespace {

std::string lastError() { return magicubeGetLastErrorMessage(); }

class CAPI : public testing::Test {
protected:
  void SetUp() override {
    const char *keys[] = {"warp-order", "async-copy"};
    const char *values[] = {"reverse", "wait"};
    ASSERT_EQ(magicubeDeviceCreate("sim", keys, values, 2, &device),
              MAGICUBE_SUCCESS)
        << lastError();
  }
  void TearDown() override { magicubeDeviceDestroy(device); }

  MagicubeDevice device = nullptr;
};

TEST_F(CAPI, LoadLaunchAndCopy) {
  EXPECT_STREQ(magicubeDeviceGetName(device), "sim");
  EXPECT_EQ(magicubeDeviceGetSharedMemoryLimit(device), 232448u);
  std::string bitcode = assemble(R"(
define ptx_kernel void @scale(ptr addrspace(1) %data, i32 %factor) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i32, ptr addrspace(1) %data, i32 %t
  %v = load i32, ptr addrspace(1) %p, align 4
  %s = mul i32 %v, %factor
  store i32 %s, ptr addrspace(1) %p, align 4
  ret void
})");
  MagicubeModule module;
  MagicubeFunction function;
  MagicubeStream stream;
  void *data;
  ASSERT_EQ(magicubeModuleLoad(device, bitcode.data(), bitcode.size(), &module),
            MAGICUBE_SUCCESS);
  ASSERT_EQ(magicubeModuleGetFunction(device, module, "scale", &function),
            MAGICUBE_SUCCESS);
  ASSERT_EQ(magicubeStreamCreate(device, &stream), MAGICUBE_SUCCESS);
  ASSERT_EQ(magicubeMemAlloc(device, 128, &data), MAGICUBE_SUCCESS);
  std::vector<int32_t> host(32);
  std::iota(host.begin(), host.end(), 0);
  ASSERT_EQ(magicubeMemcpy(device, data, host.data(), 128), MAGICUBE_SUCCESS);
  const uint32_t grid[3] = {1, 1, 1}, block[3] = {32, 1, 1};
  int32_t factor = -3;
  void *parameters[] = {&data, &factor};
  ASSERT_EQ(
      magicubeLaunch(device, function, grid, block, 0, stream, parameters),
      MAGICUBE_SUCCESS)
      << lastError();
  EXPECT_EQ(magicubeStreamSynchronize(device, stream), MAGICUBE_SUCCESS);
  EXPECT_EQ(magicubeDeviceSynchronize(device), MAGICUBE_SUCCESS);
  ASSERT_EQ(magicubeMemcpy(device, host.data(), data, 128), MAGICUBE_SUCCESS);
  for (int i = 0; i < 32; ++i)
    EXPECT_EQ(host[static_cast<size_t>(i)], -3 * i);
  EXPECT_EQ(magicubeMemset8(device, data, 1, 128), MAGICUBE_SUCCESS);
  EXPECT_EQ(magicubeMemset32(device, data, 9, 16), MAGICUBE_SUCCESS);
  ASSERT_EQ(magicubeMemcpy(device, host.data(), data, 128), MAGICUBE_SUCCESS);
  EXPECT_EQ(host[15], 9);
  EXPECT_EQ(host[16], 0x01010101);
  EXPECT_EQ(magicubeMemFree(device, data), MAGICUBE_SUCCESS);
  EXPECT_EQ(magicubeStreamDestroy(device, stream), MAGICUBE_SUCCESS);
  EXPECT_EQ(magicubeModuleUnload(device, module), MAGICUBE_SUCCESS);
}

TEST_F(CAPI, FailuresHaveAStatusAndAMessage) {
  MagicubeDevice none;
  EXPECT_EQ(magicubeDeviceCreate("gpu", nullptr, nullptr, 0, &none),
            MAGICUBE_DEVICE_UNAVAILABLE);
  EXPECT_EQ(lastError(), "unknown device 'gpu'");
  EXPECT_CONTAINS(std::string(magicubeGetLastErrorNote()), "use one of: 'sim'");
  EXPECT_EQ(magicubeDeviceCreate(nullptr, nullptr, nullptr, 0, &none),
            MAGICUBE_INVALID_ARGUMENT);
  EXPECT_EQ(lastError(), "magicubeDeviceCreate: argument 'name' is null");

  MagicubeModule module;
  EXPECT_EQ(magicubeModuleLoad(device, "junk", 4, &module),
            MAGICUBE_INVALID_MODULE);
  EXPECT_EQ(magicubeModuleLoad(device, nullptr, 4, &module),
            MAGICUBE_INVALID_ARGUMENT);
  std::string bitcode =
      assemble("define ptx_kernel void @k() {\n  ret void\n}\n");
  ASSERT_EQ(magicubeModuleLoad(device, bitcode.data(), bitcode.size(), &module),
            MAGICUBE_SUCCESS);
  MagicubeFunction function;
  EXPECT_EQ(magicubeModuleGetFunction(device, module, "missing", &function),
            MAGICUBE_NOT_FOUND);
  ASSERT_EQ(magicubeModuleGetFunction(device, module, "k", &function),
            MAGICUBE_SUCCESS);
  const uint32_t one[3] = {1, 1, 1}, large[3] = {2048, 1, 1};
  EXPECT_EQ(magicubeLaunch(device, function, one, large, 0, nullptr, nullptr),
            MAGICUBE_LAUNCH_FAILED);
  EXPECT_EQ(magicubeLaunch(device, function, one, nullptr, 0, nullptr, nullptr),
            MAGICUBE_INVALID_ARGUMENT);
  int local = 0;
  EXPECT_EQ(magicubeMemFree(device, &local), MAGICUBE_MEMORY_ERROR);
  void *pointer;
  EXPECT_EQ(magicubeMemAlloc(device, UINT64_MAX, &pointer),
            MAGICUBE_MEMORY_ERROR);
  EXPECT_EQ(magicubeModuleUnload(device, module), MAGICUBE_SUCCESS);
  EXPECT_EQ(magicubeModuleUnload(device, module), MAGICUBE_INVALID_ARGUMENT);
  // A kernel's handle does not outlive its module.
  EXPECT_EQ(magicubeLaunch(device, function, one, one, 0, nullptr, nullptr),
            MAGICUBE_LAUNCH_FAILED);
}

} // namespace
