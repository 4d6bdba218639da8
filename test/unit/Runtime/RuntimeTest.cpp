//===- RuntimeTest.cpp - Devices by name, image formats, the current device
//===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "magicube/Runtime/Device.h"
#include "magicube/Runtime/Image.h"

#include <gtest/gtest.h>

#include <cstdlib>

using namespace mlir::magicube;

namespace {

ImageFormat identify(const std::string &image) {
  return identifyImage(image.data(), image.size());
}

TEST(Image, FormatsAreToldFromTheBytes) {
  EXPECT_EQ(identify("\x7f"
                     "ELF\x02\x01"),
            ImageFormat::Elf);
  EXPECT_EQ(identify("\x50\xed\x55\xba rest"), ImageFormat::Fatbin);
  EXPECT_EQ(identify("BC\xc0\xde rest"), ImageFormat::Bitcode);
  EXPECT_EQ(identify("\xde\xc0\x17\x0b rest"), ImageFormat::Bitcode);
  EXPECT_EQ(identify(".version 8.4"), ImageFormat::Ptx);
  EXPECT_EQ(identify("//\n// Generated\n//\n\n.version 8.4"), ImageFormat::Ptx);
  EXPECT_EQ(identify("/* a\n* b */ .version 8.4"), ImageFormat::Ptx);
  EXPECT_EQ(identify(""), ImageFormat::Unknown);
  EXPECT_EQ(identify("//"), ImageFormat::Unknown);
  EXPECT_EQ(identify("/*"), ImageFormat::Unknown);
  EXPECT_EQ(identify("// .version"), ImageFormat::Unknown);
  EXPECT_EQ(identify("BC"), ImageFormat::Unknown);
  EXPECT_EQ(identify(".visible"), ImageFormat::Unknown);
}

TEST(Image, AMismatchNamesTheRemedy) {
  Error error = wrongImage("cuda", ImageFormat::Fatbin, ImageFormat::Bitcode);
  EXPECT_EQ(error.message,
            "device 'cuda' expects a fatbin, but the module is LLVM bitcode");
  EXPECT_EQ(error.note, "compile the kernels for this device with "
                        "gpu-module-to-binary{format=fatbin}");
}

TEST(Device, NamesThatAreNotThere) {
  Result<std::unique_ptr<Device>> device = createDevice("gpu");
  ASSERT_FALSE(bool(device));
  EXPECT_EQ(device.error().message, "unknown device 'gpu'");
  EXPECT_EQ(device.error().note.find("use one of: 'sim'"), 0u);
}

TEST(Device, SimulatorSaysWhatItIs) {
  Result<std::unique_ptr<Device>> device = createDevice("sim");
  ASSERT_TRUE(bool(device)) << device.error().message;
  EXPECT_EQ((*device)->name(), "sim");
  EXPECT_EQ((*device)->chip(), "any");
  EXPECT_EQ((*device)->sharedMemoryLimit(), 232448u);
}

TEST(Device, MissingSimulatorLibrary) {
  setenv("MAGICUBE_SIMULATOR_LIBRARY", "/nonexistent/libsim.so", 1);
  Result<std::unique_ptr<Device>> device = createDevice("sim");
  unsetenv("MAGICUBE_SIMULATOR_LIBRARY");
  ASSERT_FALSE(bool(device));
  EXPECT_NE(device.error().message.find("'/nonexistent/libsim.so'"),
            std::string::npos)
      << device.error().message;
  EXPECT_NE(device.error().note.find("MAGICUBE_SIMULATOR_LIBRARY"),
            std::string::npos);
}

TEST(CurrentDevice, ComesFromTheEnvironmentOnFirstUse) {
  setenv("MAGICUBE_DEVICE", "gpu", 1);
  Result<Device *> unknown = getCurrentDevice();
  ASSERT_FALSE(bool(unknown));
  EXPECT_EQ(unknown.error().message, "unknown device 'gpu'");
  setenv("MAGICUBE_DEVICE", "", 1);
  setenv("MAGICUBE_DEVICE_OPTIONS", "warp-order", 1);
  Result<Device *> badOptions = getCurrentDevice();
  ASSERT_FALSE(bool(badOptions));
  EXPECT_EQ(badOptions.error().message, "MAGICUBE_DEVICE_OPTIONS: expected "
                                        "key=value, but got 'warp-order'");
  setenv("MAGICUBE_DEVICE_OPTIONS",
         "warp-order=reverse,shared-memory-limit=1000", 1);
  Result<Device *> device = getCurrentDevice();
  ASSERT_TRUE(bool(device)) << device.error().message;
  EXPECT_EQ((*device)->sharedMemoryLimit(), 1000u);
  Result<std::unique_ptr<Device>> own = createDevice("sim");
  ASSERT_TRUE(bool(own));
  setCurrentDevice(own->get());
  EXPECT_EQ(*getCurrentDevice(), own->get());
  setCurrentDevice(nullptr);
  EXPECT_EQ(*getCurrentDevice(), *device);
}

} // namespace
