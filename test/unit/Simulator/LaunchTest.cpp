//===- LaunchTest.cpp - Launches: geometry, order, limits, options --------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelHarness.h"

using namespace mlir::magicube;
using namespace mlir::magicube::test;

namespace {

TEST(Launch, SpecialRegistersOfThreeDimensions) {
  const char *const registers[] = {"tid.x",       "tid.y",
                                   "tid.z",       "ntid.x",
                                   "ntid.y",      "ntid.z",
                                   "ctaid.x",     "ctaid.y",
                                   "ctaid.z",     "nctaid.x",
                                   "nctaid.y",    "nctaid.z",
                                   "laneid",      "warpid",
                                   "nwarpid",     "warpsize",
                                   "lanemask.eq", "lanemask.lt",
                                   "lanemask.le", "lanemask.gt",
                                   "lanemask.ge", "dynamic_smem_size"};
  constexpr unsigned count = sizeof(registers) / sizeof(registers[0]);
  // The thread's linear number over the grid gives its place in %out.
  std::string text = R"(
define ptx_kernel void @k(ptr addrspace(1) %out, i32 %perThread) {
)";
  for (unsigned i = 0; i < count; ++i)
    text += "  %r" + std::to_string(i) +
            " = call i32 @llvm.nvvm.read.ptx.sreg." + registers[i] + "()\n";
  text += R"(
  %b1 = mul i32 %r8, %r10
  %b2 = add i32 %b1, %r7
  %b3 = mul i32 %b2, %r9
  %b4 = add i32 %b3, %r6
  %t0 = mul i32 %b4, %r5
  %t1 = add i32 %t0, %r2
  %t2 = mul i32 %t1, %r4
  %t3 = add i32 %t2, %r1
  %t4 = mul i32 %t3, %r3
  %t5 = add i32 %t4, %r0
  %base = mul i32 %t5, %perThread
)";
  for (unsigned i = 0; i < count; ++i) {
    std::string n = std::to_string(i);
    text += "  %i" + n + " = add i32 %base, " + n + "\n  %p" + n +
            " = getelementptr i32, ptr addrspace(1) %out, i32 %i" + n +
            "\n  store i32 %r" + n + ", ptr addrspace(1) %p" + n +
            ", align 4\n";
  }
  Simulation simulation(assemble(text + "  ret void\n}\n"));
  Dim3 grid{3, 2, 2}, block{5, 4, 3};
  unsigned threads = 60, blocks = 12;
  void *out = simulation.allocate(threads * blocks * count * 4);
  Simulation::check(
      simulation.launch("k", grid, block, 48, out, uint32_t(count)));
  std::vector<uint32_t> words =
      simulation.download<uint32_t>(out, threads * blocks * count);
  for (unsigned b = 0; b < blocks; ++b)
    for (unsigned t = 0; t < threads; ++t) {
      unsigned lane = t % 32;
      uint64_t below = (uint64_t(1) << lane) - 1, bit = uint64_t(1) << lane;
      std::vector<uint32_t> expected = {t % 5,
                                        t / 5 % 4,
                                        t / 20,
                                        5,
                                        4,
                                        3,
                                        b % 3,
                                        b / 3 % 2,
                                        b / 6,
                                        3,
                                        2,
                                        2,
                                        lane,
                                        t / 32,
                                        2,
                                        32,
                                        uint32_t(bit),
                                        uint32_t(below),
                                        uint32_t(below | bit),
                                        uint32_t(~(below | bit)),
                                        uint32_t(~below),
                                        48};
      std::vector<uint32_t> got(words.begin() + (b * threads + t) * count,
                                words.begin() + (b * threads + t + 1) * count);
      ASSERT_EQ(got, expected) << "block " << b << " thread " << t;
    }
}

/// Warps append their numbers to a list in the order in which they run.
std::vector<uint32_t> warpSequence(const DeviceOptions &options) {
  Simulation simulation(assemble(R"(
define ptx_kernel void @k(ptr addrspace(1) %list) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %lane = and i32 %t, 31
  %w = lshr i32 %t, 5
  br label %loop
loop:
  %n = phi i32 [ 0, %0 ], [ %n1, %next ]
  %isFirst = icmp eq i32 %lane, 0
  br i1 %isFirst, label %append, label %next
append:
  %i = atomicrmw add ptr addrspace(1) %list, i32 1 seq_cst
  %j = add i32 %i, 1
  %p = getelementptr i32, ptr addrspace(1) %list, i32 %j
  store i32 %w, ptr addrspace(1) %p, align 4
  br label %next
next:
  call void @llvm.nvvm.bar.warp.sync(i32 -1)
  %n1 = add i32 %n, 1
  %again = icmp ult i32 %n1, 4
  br i1 %again, label %loop, label %end
end:
  ret void
})"),
                        options);
  void *list = simulation.upload(std::vector<uint32_t>(17, 0));
  Simulation::check(simulation.launch("k", {1, 1, 1}, {128, 1, 1}, 0, list));
  std::vector<uint32_t> words = simulation.download<uint32_t>(list, 17);
  return {words.begin() + 1, words.end()};
}

TEST(WarpOrder, ForwardReverseAndSeeds) {
  EXPECT_EQ(
      warpSequence({{"warp-order", "forward"}}),
      (std::vector<uint32_t>{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3}));
  EXPECT_EQ(
      warpSequence({{"warp-order", "reverse"}}),
      (std::vector<uint32_t>{3, 3, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0}));
  auto random = [](const char *seed) {
    return warpSequence({{"warp-order", "random"}, {"seed", seed}});
  };
  EXPECT_EQ(random("1"), random("1"));
  EXPECT_NE(random("1"), random("2"));
  EXPECT_NE(random("1"), warpSequence({}));
}

/// Without a barrier the last writer wins, and which it is depends on the
/// order: the orders find the race.
TEST(WarpOrder, RacesShow) {
  auto lastWriter = [](const char *order) {
    Simulation simulation(assemble(R"(
define ptx_kernel void @k(ptr addrspace(1) %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  store i32 %t, ptr addrspace(1) %out, align 4
  ret void
})"),
                          {{"warp-order", order}});
    void *out = simulation.allocate(4);
    Simulation::check(simulation.launch("k", {1, 1, 1}, {64, 1, 1}, 0, out));
    return simulation.download<uint32_t>(out, 1)[0];
  };
  EXPECT_EQ(lastWriter("forward"), 63u);
  EXPECT_EQ(lastWriter("reverse"), 0u);
}

TEST(Launch, BlocksRunOnSeveralHostThreads) {
  Simulation simulation(assemble(R"(
define ptx_kernel void @k(ptr addrspace(1) %sum, ptr addrspace(1) %out) {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %old = atomicrmw add ptr addrspace(1) %sum, i32 %t seq_cst
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %b
  store i32 %b, ptr addrspace(1) %p, align 4
  ret void
})"),
                        {{"threads", "3"}});
  void *sum = simulation.upload(std::vector<uint32_t>(1, 0));
  void *out = simulation.allocate(1000 * 4);
  Simulation::check(
      simulation.launch("k", {1000, 1, 1}, {33, 1, 1}, 0, sum, out));
  EXPECT_EQ(simulation.download<uint32_t>(sum, 1)[0], 1000u * (33 * 32 / 2));
  std::vector<uint32_t> blocks = simulation.download<uint32_t>(out, 1000);
  for (unsigned i = 0; i < 1000; ++i)
    ASSERT_EQ(blocks[i], i);
}

/// Fresh device and shared memory is poison, also in a later block.
TEST(Launch, MemoryStartsOutAsPoison) {
  Simulation simulation(assemble(R"(
define ptx_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %s = load i32, ptr addrspace(3) @smem, align 4
  store i32 0, ptr addrspace(3) @smem, align 4
  %g = load i32, ptr addrspace(1) %in, align 4
  %x = xor i32 %s, %g
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %b
  store i32 %s, ptr addrspace(1) %p, align 4
  ret void
})"),
                        {{"threads", "1"}});
  void *in = simulation.allocate(4);
  void *out = simulation.allocate(8);
  EXPECT_EQ(simulation.download<uint32_t>(in, 1)[0], 0xA5A5A5A5);
  Simulation::check(simulation.launch("k", {2, 1, 1}, {1, 1, 1}, 4, in, out));
  EXPECT_EQ(simulation.download<uint32_t>(out, 2),
            std::vector<uint32_t>(2, 0xA5A5A5A5));
}

/// A thread that exits in the middle of a block does not disturb the others.
TEST(Launch, ThreadsMayExitEarly) {
  Simulation simulation(assemble(R"(
define ptx_kernel void @k(ptr addrspace(1) %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %odd = and i32 %t, 1
  %c = icmp eq i32 %odd, 1
  br i1 %c, label %quit, label %stay
quit:
  call void @llvm.nvvm.exit()
  br label %stay
stay:
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %t
  store i32 %t, ptr addrspace(1) %p, align 4
  ret void
})"));
  void *out = simulation.upload(std::vector<uint32_t>(32, 99));
  Simulation::check(simulation.launch("k", {1, 1, 1}, {32, 1, 1}, 0, out));
  std::vector<uint32_t> words = simulation.download<uint32_t>(out, 32);
  for (unsigned i = 0; i < 32; ++i)
    EXPECT_EQ(words[i], i % 2 ? 99u : i);
}

//===----------------------------------------------------------------------===//
// Limits and options
//===----------------------------------------------------------------------===//

class Limits : public testing::Test {
protected:
  std::string error(Dim3 grid, Dim3 block, uint32_t sharedBytes = 0) {
    Status status = simulation.launch("k", grid, block, sharedBytes);
    return status ? "" : status.error().message;
  }
  Simulation simulation{
      assemble("define ptx_kernel void @k() {\n  ret void\n}\n")};
};

TEST_F(Limits, AreNamed) {
  EXPECT_EQ(error({1, 1, 1}, {1024, 1, 1}, 232448), "");
  EXPECT_EQ(error({0, 1, 1}, {1, 1, 1}),
            "launch of kernel 'k': grid (0, 1, 1) is empty");
  EXPECT_EQ(error({1, 1, 1}, {32, 0, 1}),
            "launch of kernel 'k': block (32, 0, 1) is empty");
  EXPECT_EQ(error({1, 65536, 1}, {1, 1, 1}),
            "launch of kernel 'k': grid (1, 65536, 1) exceeds the limit "
            "(2147483647, 65535, 65535)");
  EXPECT_EQ(error({1, 1, 1}, {1025, 1, 1}),
            "launch of kernel 'k': block (1025, 1, 1) exceeds the limit (1024, "
            "1024, 64)");
  EXPECT_EQ(error({1, 1, 1}, {1024, 2, 1}),
            "launch of kernel 'k': block (1024, 2, 1) has 2048 threads, but "
            "the limit is 1024");
  EXPECT_EQ(error({1, 1, 1}, {1, 1, 1}, 232449),
            "launch of kernel 'k': 232449 bytes of shared memory exceed the "
            "limit of 232448");
}

TEST_F(Limits, UnknownKernel) {
  Status status = simulation.launch("q", {1, 1, 1}, {1, 1, 1}, 0);
  ASSERT_FALSE(bool(status));
  EXPECT_EQ(status.error().message, "the module has no kernel 'q'");
  EXPECT_EQ(status.error().note, "it has 'k'");
}

TEST(LimitOption, SharedMemoryLimitIsAnOption) {
  Simulation simulation(
      assemble("define ptx_kernel void @k() {\n  ret void\n}\n"),
      {{"shared-memory-limit", "101376"}});
  EXPECT_EQ(simulation.device().sharedMemoryLimit(), 101376u);
  Simulation::check(simulation.launch("k", {1, 1, 1}, {1, 1, 1}, 101376));
  EXPECT_FALSE(bool(simulation.launch("k", {1, 1, 1}, {1, 1, 1}, 101377)));
}

TEST(Options, BadOnesAreNamed) {
  auto error = [](const char *key, const char *value) {
    Result<std::unique_ptr<Device>> device =
        createDevice("sim", {{key, value}});
    EXPECT_FALSE(bool(device));
    return device ? "" : device.error().message;
  };
  EXPECT_EQ(error("warp-order", "sideways"),
            "option 'warp-order' of device 'sim' expects one of forward, "
            "reverse, random, but got 'sideways'");
  EXPECT_EQ(error("async-copy", ""),
            "option 'async-copy' of device 'sim' expects one of issue, wait, "
            "but got ''");
  EXPECT_CONTAINS(error("seed", "-1"), "expects a number from 0 to");
  EXPECT_CONTAINS(error("threads", "2x"), "but got '2x'");
  EXPECT_EQ(error("colour", "red"), "unknown option 'colour' of device 'sim'");
}

//===----------------------------------------------------------------------===//
// Streams and events
//===----------------------------------------------------------------------===//

TEST(Streams, HandlesAreChecked) {
  Simulation simulation(
      assemble("define ptx_kernel void @k() {\n  ret void\n}\n"));
  Device &device = simulation.device();
  Result<StreamHandle *> stream = device.createStream();
  Result<EventHandle *> begin = device.createEvent();
  Result<EventHandle *> end = device.createEvent();
  ASSERT_TRUE(stream && begin && end);
  EXPECT_FALSE(bool(device.elapsedMilliseconds(*begin, *end)));
  Simulation::check(device.recordEvent(*begin, *stream));
  Simulation::check(device.recordEvent(*end, *stream));
  Result<double> elapsed = device.elapsedMilliseconds(*begin, *end);
  ASSERT_TRUE(bool(elapsed));
  EXPECT_GE(*elapsed, 0.0);
  Simulation::check(device.streamWaitEvent(*stream, *end));
  Simulation::check(device.synchronizeStream(*stream));
  Simulation::check(device.synchronizeEvent(*end));
  Simulation::check(device.synchronize());
  Simulation::check(device.destroyEvent(*begin));
  EXPECT_FALSE(bool(device.destroyEvent(*begin)));
  Simulation::check(device.destroyStream(*stream));
  EXPECT_FALSE(bool(device.destroyStream(*stream)));
  EXPECT_FALSE(bool(device.synchronizeStream(*stream)));
  EXPECT_FALSE(bool(device.unloadModule(nullptr)));
}

} // namespace
