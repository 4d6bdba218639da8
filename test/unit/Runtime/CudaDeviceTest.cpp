//===- CudaDeviceTest.cpp - Device 'cuda' on a fake driver ----------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every error path, and what is asked of the driver. FakeCuda.cpp is the
// driver; its path is in the definition MAGICUBE_FAKE_CUDA.
//
//===----------------------------------------------------------------------===//

#include "magicube/Runtime/Device.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>

using namespace mlir::magicube;

namespace {

constexpr const char *ptx = ".version 7.8\n.target sm_90\n";

/// What the runtime called since the last time.
std::string takeLog() {
  void *library = dlopen(MAGICUBE_FAKE_CUDA, RTLD_NOW | RTLD_LOCAL);
  auto *log =
      reinterpret_cast<const char *(*)()>(dlsym(library, "fakeCudaLog"));
  return log ? log() : "";
}

size_t count(const std::string &log, const std::string &line) {
  size_t number = 0;
  for (size_t at = log.find(line); at != std::string::npos;
       at = log.find(line, at + 1))
    ++number;
  return number;
}

class CudaDeviceTest : public testing::Test {
protected:
  void SetUp() override {
    setenv("MAGICUBE_CUDA_DRIVER", MAGICUBE_FAKE_CUDA, /*replace=*/1);
    for (const char *name : {"FAKE_CUDA_FAIL", "FAKE_CUDA_GPUS",
                             "FAKE_CUDA_CHIP", "FAKE_CUDA_PARAMETERS"})
      unsetenv(name);
  }
  void TearDown() override { unsetenv("MAGICUBE_CUDA_DRIVER"); }

  static void failAt(const char *failures) {
    setenv("FAKE_CUDA_FAIL", failures, /*replace=*/1);
  }

  /// A device that must come to be.
  static std::unique_ptr<Device> create() {
    Result<std::unique_ptr<Device>> device = createDevice("cuda");
    if (!device) {
      ADD_FAILURE() << device.error().message;
      std::exit(1);
    }
    return std::move(*device);
  }
  /// The error of a device that must not.
  static Error createError(const DeviceOptions &options = {}) {
    Result<std::unique_ptr<Device>> device = createDevice("cuda", options);
    EXPECT_FALSE(bool(device));
    return device ? Error{} : device.error();
  }
  static ModuleHandle *load(Device &device) {
    Result<ModuleHandle *> module = device.loadModule(ptx, std::strlen(ptx));
    EXPECT_TRUE(bool(module));
    return module ? *module : nullptr;
  }
  static FunctionHandle *getKernel(Device &device) {
    Result<FunctionHandle *> function = device.getFunction(load(device), "k");
    EXPECT_TRUE(bool(function));
    return function ? *function : nullptr;
  }
};

void expectContains(const std::string &text, const std::string &part) {
  EXPECT_NE(text.find(part), std::string::npos) << text << "\nlacks " << part;
}

//===----------------------------------------------------------------------===//
// Creation
//===----------------------------------------------------------------------===//

TEST_F(CudaDeviceTest, SaysWhatItIs) {
  setenv("FAKE_CUDA_CHIP", "120", 1);
  std::unique_ptr<Device> device = create();
  EXPECT_EQ(device->name(), "cuda");
  EXPECT_EQ(device->chip(), "sm_120");
  EXPECT_EQ(device->description(), "Fake GPU");
  EXPECT_EQ(device->sharedMemoryLimit(), 227u * 1024);
}

TEST_F(CudaDeviceTest, NoDriver) {
  setenv("MAGICUBE_CUDA_DRIVER", "/nowhere/libcuda.so.1", 1);
  Error error = createError();
  expectContains(error.message, "device 'cuda' needs the NVIDIA driver");
  expectContains(error.message, "/nowhere/libcuda.so.1");
  expectContains(error.note, "MAGICUBE_CUDA_DRIVER");
  expectContains(error.note, "device 'sim'");
}

TEST_F(CudaDeviceTest, ALibraryThatIsNoDriver) {
  setenv("MAGICUBE_CUDA_DRIVER", "libm.so.6", 1);
  Error error = createError();
  EXPECT_EQ(error.message,
            "the driver library 'libm.so.6' lacks the function cuInit");
  expectContains(error.note, "install a driver");
}

TEST_F(CudaDeviceTest, DriverThatDoesNotStart) {
  failAt("cuInit=100");
  expectContains(createError().message, "finds no GPU");
  expectContains(createError().note, "nvidia-smi");
  failAt("cuInit=803");
  expectContains(createError().message, "does not start: CUDA_ERROR_803");
  expectContains(createError().note, "different versions");
  failAt("cuInit=34");
  expectContains(createError().note, "stub");
}

TEST_F(CudaDeviceTest, NoGpu) {
  setenv("FAKE_CUDA_GPUS", "0", 1);
  Error error = createError();
  EXPECT_EQ(error.message, "device 'cuda' finds no GPU");
  expectContains(error.note, "CUDA_VISIBLE_DEVICES");
}

TEST_F(CudaDeviceTest, Options) {
  setenv("FAKE_CUDA_GPUS", "2", 1);
  EXPECT_EQ(createError({{"ordinal", "2"}}).message,
            "there are 2 GPUs, but option 'ordinal' is 2");
  for (const char *value : {"", "x", "-1", "1 ", "99999"})
    expectContains(createError({{"ordinal", value}}).message,
                   "option 'ordinal' expects the number of a GPU");
  EXPECT_EQ(createError({{"seed", "1"}}).message,
            "device 'cuda' has no option 'seed'");
  takeLog();
  EXPECT_TRUE(bool(createDevice("cuda", {{"ordinal", "1"}})));
  EXPECT_EQ(count(takeLog(), "cuDeviceGet 1\n"), 1u);
}

TEST_F(CudaDeviceTest, EveryStepOfCreationCanFail) {
  for (const char *function : {"cuDeviceGetCount", "cuDeviceGet",
                               "cuDeviceGetName", "cuDeviceGetAttribute",
                               "cuDevicePrimaryCtxRetain", "cuCtxSetCurrent"}) {
    failAt((std::string(function) + "=999").c_str());
    expectContains(createError().message, "failed: CUDA_ERROR_999");
  }
}

TEST_F(CudaDeviceTest, ReleasesEverythingAtItsEnd) {
  takeLog();
  {
    std::unique_ptr<Device> device = create();
    load(*device);
    ASSERT_TRUE(bool(device->allocate(64, MemoryKind::Device, nullptr)));
  }
  std::string log = takeLog();
  EXPECT_EQ(count(log, "cuModuleUnload\n"), 1u);
  EXPECT_EQ(count(log, "cuMemFree_v2\n"), 1u);
  EXPECT_EQ(count(log, "cuDevicePrimaryCtxRelease_v2\n"), 1u);
}

TEST_F(CudaDeviceTest, UnloadingAfterTheDriverHasEndedIsNoError) {
  std::unique_ptr<Device> device = create();
  ModuleHandle *module = load(*device);
  failAt("cuCtxSetCurrent=4"); // CUDA_ERROR_DEINITIALIZED
  EXPECT_TRUE(bool(device->unloadModule(module)));
  failAt("cuCtxSetCurrent=999");
  EXPECT_FALSE(bool(device->unloadModule(module)));
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

TEST_F(CudaDeviceTest, CopiesAndFills) {
  std::unique_ptr<Device> device = create();
  Result<void *> memory = device->allocate(16, MemoryKind::Device, nullptr);
  ASSERT_TRUE(bool(memory));
  uint32_t words[4] = {1, 2, 3, 4}, back[4] = {};
  EXPECT_TRUE(bool(device->copy(*memory, words, sizeof(words), nullptr)));
  EXPECT_TRUE(bool(device->fill(*memory, 0xABCD, 2, 2, nullptr)));
  EXPECT_TRUE(bool(device->copy(back, *memory, sizeof(back), nullptr)));
  EXPECT_EQ(back[0], 0xABCDABCDu);
  EXPECT_EQ(back[1], 2u);
  EXPECT_EQ(device->fill(*memory, 0, 3, 1, nullptr).error().message,
            "fill expects elements of 1, 2 or 4 bytes, but got 3");
  EXPECT_TRUE(bool(device->free(*memory, nullptr)));
  EXPECT_TRUE(bool(device->free(nullptr, nullptr)));
  expectContains(device->free(*memory, nullptr).error().message,
                 "did not allocate");
}

TEST_F(CudaDeviceTest, NoBytesAreAnAddress) {
  std::unique_ptr<Device> device = create();
  Result<void *> memory = device->allocate(0, MemoryKind::Device, nullptr);
  ASSERT_TRUE(bool(memory));
  EXPECT_NE(*memory, nullptr);
  EXPECT_TRUE(bool(device->copy(*memory, nullptr, 0, nullptr)));
}

TEST_F(CudaDeviceTest, OutOfMemorySaysHowMuch) {
  std::unique_ptr<Device> device = create();
  for (MemoryKind kind : {MemoryKind::Device, MemoryKind::HostShared}) {
    Result<void *> memory = device->allocate(1 << 21, kind, nullptr);
    ASSERT_FALSE(bool(memory));
    expectContains(memory.error().message,
                   "allocating 2097152 bytes on GPU 'Fake GPU' failed: "
                   "CUDA_ERROR_2");
    expectContains(memory.error().message, "1048576 of 1048576 bytes are free");
    expectContains(memory.error().note, "smaller operands");
  }
  // Managed memory is not even asked for.
  EXPECT_EQ(count(takeLog(), "cuMemAllocManaged 2097152"), 0u);
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

TEST_F(CudaDeviceTest, BitcodeIsForTheSimulator) {
  std::unique_ptr<Device> device = create();
  Result<ModuleHandle *> module = device->loadModule("BC\xc0\xde....", 8);
  ASSERT_FALSE(bool(module));
  EXPECT_EQ(module.error().message, "device 'cuda' takes PTX, a cubin or a "
                                    "fatbin, but the module is LLVM bitcode");
  expectContains(module.error().note, "--emit=cubin, ptx or fatbin");
  expectContains(device->loadModule("hello", 5).error().message,
                 "an image of unknown format");
}

TEST_F(CudaDeviceTest, WrongChipNamesBoth) {
  setenv("FAKE_CUDA_CHIP", "80", 1);
  std::unique_ptr<Device> device = create();
  failAt("cuModuleLoadDataEx=209");
  // The head of a cubin that ptxas 13.0 wrote for sm_90.
  std::string cubin("\x7f"
                    "ELF\2\1\1\x41\x08",
                    9);
  cubin.resize(64);
  cubin[49] = 0x5a;
  Error error = device->loadModule(cubin.data(), cubin.size()).error();
  expectContains(error.message, "GPU 'Fake GPU' (sm_80) cannot load an ELF "
                                "object (cubin) for sm_90: CUDA_ERROR_209");
  EXPECT_EQ(error.note, "compile with --chip=sm_80");
}

TEST_F(CudaDeviceTest, PtxErrorsCarryTheLog) {
  std::unique_ptr<Device> device = create();
  auto error = [&](const char *failure) {
    failAt(failure);
    Result<ModuleHandle *> module = device->loadModule(ptx, std::strlen(ptx));
    EXPECT_FALSE(bool(module));
    return module ? Error{} : module.error();
  };
  Error invalid = error("cuModuleLoadDataEx=218");
  expectContains(invalid.message, "PTX text for sm_90 (PTX)");
  expectContains(invalid.message, "\nptxas says no");
  expectContains(error("cuModuleLoadDataEx=222").note, "newer driver");
  expectContains(error("cuModuleLoadDataEx=221").note, "PTX compiler");
  expectContains(error("cuModuleLoadDataEx=2").message, "bytes are free");
}

TEST_F(CudaDeviceTest, HandlesThatAreGone) {
  std::unique_ptr<Device> device = create();
  ModuleHandle *module = load(*device);
  FunctionHandle *function = *device->getFunction(module, "k");
  EXPECT_EQ(*device->getFunction(module, "k"), function);
  EXPECT_TRUE(bool(device->unloadModule(module)));
  EXPECT_EQ(device->unloadModule(module).error().message,
            "unknown module handle");
  EXPECT_EQ(device->getFunction(module, "k").error().message,
            "unknown module handle");
  EXPECT_EQ(
      device->launch(function, {}, {}, 0, nullptr, nullptr).error().message,
      "unknown function handle");
}

TEST_F(CudaDeviceTest, UnknownKernel) {
  std::unique_ptr<Device> device = create();
  ModuleHandle *module = load(*device);
  failAt("cuModuleGetFunction=500");
  EXPECT_EQ(device->getFunction(module, "k").error().message,
            "the module has no kernel 'k'");
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

TEST_F(CudaDeviceTest, RaisesTheSharedMemoryLimitOnce) {
  std::unique_ptr<Device> device = create();
  FunctionHandle *function = getKernel(*device);
  takeLog();
  for (uint32_t bytes : {49152u, 65536u, 65536u, 49153u})
    EXPECT_TRUE(bool(device->launch(function, {2, 3, 4}, {64, 1, 1}, bytes,
                                    nullptr, nullptr)));
  std::string log = takeLog();
  EXPECT_EQ(count(log, "cuFuncSetAttribute"), 1u);
  EXPECT_EQ(count(log, "cuFuncSetAttribute 65536\n"), 1u);
  EXPECT_EQ(count(log, "cuLaunchKernel 2x3x4 64x1x1 49153\n"), 1u);
}

TEST_F(CudaDeviceTest, ChecksTheNumberOfParameters) {
  setenv("FAKE_CUDA_PARAMETERS", "9", 1);
  std::unique_ptr<Device> device = create();
  FunctionHandle *function = getKernel(*device);
  EXPECT_TRUE(bool(device->checkParameters(function, 9)));
  EXPECT_EQ(device->checkParameters(function, 8).error().message,
            "expected 9 parameters, but got 8");
  EXPECT_EQ(device->checkParameters(function, 10).error().message,
            "expected 9 parameters, but got 10");
  EXPECT_EQ(device->checkParameters(nullptr, 9).error().message,
            "unknown function handle");
  setenv("FAKE_CUDA_PARAMETERS", "0", 1);
  function = getKernel(*device);
  EXPECT_TRUE(bool(device->checkParameters(function, 0)));
  EXPECT_FALSE(bool(device->checkParameters(function, 1)));
}

/// A driver that cannot tell stops nothing.
TEST_F(CudaDeviceTest, UnknownNumberOfParameters) {
  std::unique_ptr<Device> device = create();
  EXPECT_TRUE(bool(device->checkParameters(getKernel(*device), 3)));
}

TEST_F(CudaDeviceTest, TooMuchSharedMemory) {
  std::unique_ptr<Device> device = create();
  Status status =
      device->launch(getKernel(*device), {}, {}, 232449, nullptr, nullptr);
  ASSERT_FALSE(bool(status));
  EXPECT_EQ(status.error().message,
            "kernel 'k' needs 232449 bytes of shared memory, but a block has "
            "at most 232448 on GPU 'Fake GPU' (sm_90)");
}

TEST_F(CudaDeviceTest, FailedLaunchSaysWhatWasLaunched) {
  std::unique_ptr<Device> device = create();
  FunctionHandle *function = getKernel(*device);
  failAt("cuLaunchKernel=701");
  Error error =
      device->launch(function, {5, 1, 1}, {256, 1, 1}, 1024, nullptr, nullptr)
          .error();
  expectContains(error.message,
                 "launching kernel 'k' with a grid of 5 x 1 x 1 blocks of 256 "
                 "x 1 x 1 threads and 1024 bytes of shared memory failed: "
                 "CUDA_ERROR_701");
  expectContains(error.note, "registers");
  failAt("cuLaunchKernel=1");
  expectContains(
      device->launch(function, {5, 1, 1}, {2048, 1, 1}, 0, nullptr, nullptr)
          .error()
          .note,
      "at most 1024 threads");
}

TEST_F(CudaDeviceTest, AFaultThatShowsLaterNamesTheLastKernel) {
  std::unique_ptr<Device> device = create();
  failAt("cuCtxSynchronize=700");
  EXPECT_EQ(device->synchronize().error().message,
            "waiting for the GPU failed: CUDA_ERROR_700 (what it means)");
  failAt("");
  ASSERT_TRUE(bool(device->launch(getKernel(*device), {7, 1, 1}, {32, 1, 1}, 0,
                                  nullptr, nullptr)));
  failAt("cuCtxSynchronize=700,cuMemcpyAsync=700");
  Error error = device->synchronize().error();
  expectContains(error.message,
                 "the last launch was kernel 'k' with a grid of 7 x 1 x 1");
  expectContains(error.note, "device 'sim'");
  char byte = 0;
  expectContains(device->copy(&byte, &byte, 1, nullptr).error().message,
                 "copying 1 bytes failed: CUDA_ERROR_700");
}

//===----------------------------------------------------------------------===//
// Streams, events, timing
//===----------------------------------------------------------------------===//

TEST_F(CudaDeviceTest, StreamsAndEvents) {
  std::unique_ptr<Device> device = create();
  Result<StreamHandle *> stream = device->createStream();
  Result<EventHandle *> event = device->createEvent();
  ASSERT_TRUE(stream && event);
  EXPECT_TRUE(bool(device->recordEvent(*event, *stream)));
  EXPECT_TRUE(bool(device->streamWaitEvent(*stream, *event)));
  EXPECT_TRUE(bool(device->synchronizeEvent(*event)));
  EXPECT_TRUE(bool(device->synchronizeStream(*stream)));
  EXPECT_EQ(*device->elapsedMilliseconds(*event, *event), 1.5);
  EXPECT_TRUE(bool(device->destroyEvent(*event)));
  EXPECT_TRUE(bool(device->destroyStream(*stream)));
  failAt("cuStreamCreate=2,cuEventCreate=2,cuEventElapsedTime=600");
  expectContains(device->createStream().error().message, "creating a stream");
  expectContains(device->createEvent().error().message, "creating an event");
  expectContains(device->elapsedMilliseconds(*event, *event).error().note,
                 "recorded");
}

/// One launch of each function.
std::vector<KernelLaunch>
makeSequence(const std::vector<FunctionHandle *> &functions) {
  std::vector<KernelLaunch> sequence;
  for (FunctionHandle *function : functions)
    sequence.push_back({function, {1, 1, 1}, {32, 1, 1}});
  return sequence;
}

TEST_F(CudaDeviceTest, TimesAGraphOfManyLaunches) {
  std::unique_ptr<Device> device = create();
  FunctionHandle *function = getKernel(*device);
  takeLog();
  Result<LaunchTiming> timing =
      device->timeLaunches({makeSequence({function})}, 5);
  ASSERT_TRUE(bool(timing)) << timing.error().message;
  // The fake's spans take 1500 us: 3 launches of 500 us, so 2 in a graph of
  // at least 1000 us, which then takes 1500 us.
  EXPECT_DOUBLE_EQ(timing->medianMicroseconds, 750);
  EXPECT_DOUBLE_EQ(timing->minMicroseconds, 750);
  std::string log = takeLog();
  size_t capture = log.find("cuStreamBeginCapture_v2\n");
  ASSERT_NE(capture, std::string::npos);
  std::string captured =
      log.substr(capture, log.find("cuStreamEndCapture") - capture);
  EXPECT_EQ(count(captured, "cuLaunchKernel"), 2u);
  EXPECT_EQ(count(log, "cuGraphLaunch\n"), 6u);
  for (const char *released :
       {"cuGraphExecDestroy\n", "cuGraphDestroy\n", "cuStreamDestroy_v2\n"})
    EXPECT_EQ(count(log, released), 1u);
  EXPECT_EQ(count(log, "cuEventDestroy_v2\n"), 2u);
}

TEST_F(CudaDeviceTest, TimesSetsOfParametersInTurn) {
  std::unique_ptr<Device> device = create();
  FunctionHandle *function = getKernel(*device);
  takeLog();
  // Two launches would do, but three sets make it three.
  std::vector<KernelLaunch> one = makeSequence({function});
  Result<LaunchTiming> timing = device->timeLaunches({one, one, one}, 1);
  ASSERT_TRUE(bool(timing)) << timing.error().message;
  EXPECT_DOUBLE_EQ(timing->medianMicroseconds, 500);
  std::string log = takeLog();
  size_t capture = log.find("cuStreamBeginCapture_v2\n");
  ASSERT_NE(capture, std::string::npos);
  EXPECT_EQ(count(log.substr(capture), "cuLaunchKernel"), 3u);
  for (const std::vector<std::vector<KernelLaunch>> &none :
       {std::vector<std::vector<KernelLaunch>>(), {{}}})
    expectContains(device->timeLaunches(none, 1).error().message,
                   "expected one launch at least");
}

TEST_F(CudaDeviceTest, TimesASequenceAsAWhole) {
  std::unique_ptr<Device> device = create();
  FunctionHandle *function = getKernel(*device);
  std::vector<KernelLaunch> sequence = makeSequence({function, function});
  sequence[1].grid = {7, 1, 1};
  takeLog();
  Result<LaunchTiming> timing = device->timeLaunches({sequence}, 1);
  ASSERT_TRUE(bool(timing)) << timing.error().message;
  // Two sequences in a span of 1500 us.
  EXPECT_DOUBLE_EQ(timing->medianMicroseconds, 750);
  std::string log = takeLog();
  std::string captured = log.substr(log.find("cuStreamBeginCapture_v2\n"));
  EXPECT_EQ(count(captured, "cuLaunchKernel 1x1x1"), 2u);
  EXPECT_EQ(count(captured, "cuLaunchKernel 7x1x1"), 2u);
  size_t second = captured.find("cuLaunchKernel 7x1x1");
  EXPECT_LT(captured.find("cuLaunchKernel 1x1x1"), second);
  EXPECT_LT(second, captured.find("cuLaunchKernel 1x1x1", second));
}

TEST_F(CudaDeviceTest, EveryStepOfTimingCanFail) {
  std::unique_ptr<Device> device = create();
  FunctionHandle *function = getKernel(*device);
  for (const char *step :
       {"cuCtxSynchronize", "cuStreamCreate", "cuEventCreate", "cuEventRecord",
        "cuLaunchKernel", "cuEventSynchronize", "cuEventElapsedTime",
        "cuStreamBeginCapture_v2", "cuStreamEndCapture",
        "cuGraphInstantiateWithFlags", "cuGraphLaunch"}) {
    failAt((std::string(step) + "=999").c_str());
    Result<LaunchTiming> timing =
        device->timeLaunches({makeSequence({function})}, 1);
    EXPECT_FALSE(bool(timing)) << step;
  }
}

} // namespace
