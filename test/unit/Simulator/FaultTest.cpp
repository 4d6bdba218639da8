//===- FaultTest.cpp - Out-of-bounds and other faults of kernels ----------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every fault must become an error that names kernel, block and thread, and
// leave the process and the device usable.
//
//===----------------------------------------------------------------------===//

#include "KernelHarness.h"

using namespace mlir::magicube;
using namespace mlir::magicube::test;

namespace {

/// Threads store to %out at their index in i32s, or load from there.
const char *const storeKernel = R"(
define ptx_kernel void @k(ptr addrspace(1) %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %t
  store i32 %t, ptr addrspace(1) %p, align 4
  ret void
})";
const char *const loadKernel = R"(
define ptx_kernel void @k(ptr addrspace(1) %in, i64 %offset) {
  %p = getelementptr i8, ptr addrspace(1) %in, i64 %offset
  %v = load volatile i32, ptr addrspace(1) %p, align 4
  ret void
})";

TEST(Fault, StorePastTheEnd) {
  Simulation simulation(assemble(storeKernel));
  void *out = simulation.allocate(16 * 4);
  Status status = simulation.launch("k", {1, 1, 1}, {32, 1, 1}, 0, out);
  ASSERT_FALSE(bool(status));
  EXPECT_CONTAINS(status.error().message,
                  "kernel 'k', block (0, 0, 0), thread (16, 0, 0): out of "
                  "bounds: store at 0x");
  EXPECT_CONTAINS(status.error().message,
                  "0 bytes past the end of the 64-byte buffer at 0x");
  // What was stored before is there, and the device goes on working.
  EXPECT_EQ(simulation.download<uint32_t>(out, 16)[15], 15u);
  Simulation::check(simulation.launch("k", {1, 1, 1}, {16, 1, 1}, 0, out));
}

TEST(Fault, LoadBeforeTheStartAndFarAway) {
  auto error = [](int64_t offset) {
    Simulation simulation(assemble(loadKernel));
    Status status = simulation.launch("k", {1, 1, 1}, {1, 1, 1}, 0,
                                      simulation.allocate(4096), offset);
    EXPECT_FALSE(bool(status));
    return status ? "" : status.error().message;
  };
  EXPECT_CONTAINS(error(-4), "out of bounds: load at 0x");
  EXPECT_CONTAINS(error(-4), "4 bytes before the start of the 4096-byte");
  EXPECT_CONTAINS(error(100000), "95904 bytes past the end of the 4096-byte");
}

TEST(Fault, NullAndPoisonPointers) {
  std::string message = launchError(loadKernel, {1, 1, 1}, 0,
                                    static_cast<void *>(nullptr), int64_t(8));
  EXPECT_CONTAINS(message, "load at 0x8, not in or near any buffer");
  message = launchError(loadKernel, {1, 1, 1}, 0, static_cast<void *>(nullptr),
                        int64_t(0xA5A5A5A5A5A5A5A4));
  EXPECT_CONTAINS(message, "load at an address that no memory can have");
}

TEST(Fault, UseAfterFree) {
  Simulation simulation(assemble(storeKernel));
  void *out = simulation.allocate(128);
  Simulation::check(simulation.device().free(out, nullptr));
  Status status = simulation.launch("k", {1, 1, 1}, {32, 1, 1}, 0, out);
  ASSERT_FALSE(bool(status));
  EXPECT_CONTAINS(status.error().message,
                  "at byte 0 of the 128-byte buffer that was freed");
}

/// Between the end of 10 bytes and the next multiple of 16 nothing faults.
TEST(Fault, WriteBetweenEndAndGuard) {
  Simulation simulation(assemble(storeKernel));
  void *out = simulation.allocate(10);
  Status status = simulation.launch("k", {1, 1, 1}, {4, 1, 1}, 0, out);
  ASSERT_FALSE(bool(status));
  EXPECT_CONTAINS(status.error().message, "kernel 'k': out of bounds");
  EXPECT_CONTAINS(status.error().message,
                  "0 bytes past the end of the 10-byte buffer");
}

TEST(Fault, MisalignedVectorAccess) {
  const char *kernel = R"(
define ptx_kernel void @k(ptr addrspace(1) %in, i64 %offset) {
  %p = getelementptr i8, ptr addrspace(1) %in, i64 %offset
  %v = load volatile <4 x i32>, ptr addrspace(1) %p, align 16
  ret void
})";
  Simulation simulation(assemble(kernel));
  void *in = simulation.allocate(64);
  Simulation::check(
      simulation.launch("k", {1, 1, 1}, {1, 1, 1}, 0, in, int64_t(16)));
  Status status =
      simulation.launch("k", {1, 1, 1}, {1, 1, 1}, 0, in, int64_t(8));
  ASSERT_FALSE(bool(status));
  EXPECT_CONTAINS(status.error().message,
                  "misaligned: load of 16 bytes (in 'k') at 0x");
  EXPECT_CONTAINS(status.error().message, "not a multiple of 16");
}

/// Threads access shared memory at %offset + 4 * thread.
const char *const sharedKernel = R"(
define ptx_kernel void @k(i32 %offset) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = mul i32 %t, 4
  %o = add i32 %b, %offset
  %p = getelementptr i8, ptr addrspace(3) @smem, i32 %o
  store volatile i32 %t, ptr addrspace(3) %p, align 4
  ret void
})";

TEST(Fault, SharedMemoryBounds) {
  Simulation simulation(assemble(sharedKernel));
  auto launch = [&](int32_t offset, uint32_t bytes) {
    Status status =
        simulation.launch("k", {1, 1, 1}, {32, 1, 1}, bytes, offset);
    return status ? "" : status.error().message;
  };
  EXPECT_EQ(launch(0, 128), "");
  EXPECT_EQ(launch(872, 1000), "");
  // 1000 bytes end in the middle of a page and of an aligned unit.
  EXPECT_CONTAINS(launch(876, 1000),
                  "thread (31, 0, 0): out of bounds: store of 4 bytes (in 'k') "
                  "at 0x");
  EXPECT_CONTAINS(launch(876, 1000),
                  "0 bytes past the end of the 1000-byte shared memory");
  EXPECT_CONTAINS(launch(-4, 1000),
                  "4 bytes before the start of the 1000-byte shared memory");
  EXPECT_CONTAINS(launch(0, 0), "thread (0, 0, 0): out of bounds");
}

/// Through a generic pointer the bounds are those of pages and poison.
TEST(Fault, SharedMemoryThroughGenericPointers) {
  const char *kernel = R"(
define ptx_kernel void @k(i64 %offset) {
  %g = addrspacecast ptr addrspace(3) @smem to ptr
  %p = getelementptr i8, ptr %g, i64 %offset
  store volatile i8 1, ptr %p, align 1
  ret void
})";
  EXPECT_CONTAINS(launchError(kernel, {1, 1, 1}, 256, int64_t(256)),
                  "store at 0x");
  EXPECT_CONTAINS(launchError(kernel, {1, 1, 1}, 200, int64_t(200)),
                  "0 bytes past the end of the 200-byte shared memory");
}

TEST(Fault, DivisionByZeroAndTrap) {
  std::string message = launchError(R"(
define ptx_kernel void @k(i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %d = sdiv i32 %t, %n
  %p = inttoptr i32 %d to ptr
  store volatile i32 0, ptr %p
  ret void
})",
                                    {1, 1, 1}, 0, int32_t(0));
  EXPECT_CONTAINS(message, "thread (0, 0, 0): integer division by zero");
  message =
      launchError("define ptx_kernel void @k() {\n  call void @llvm.trap()\n"
                  "  unreachable\n}\n",
                  {1, 1, 1}, 0);
  EXPECT_CONTAINS(message, "trap");
}

TEST(Fault, StackOverflow) {
  std::string message = launchError(R"(
define i32 @f(i32 %n) noinline {
  %a = alloca [256 x i32]
  %p = getelementptr i32, ptr %a, i32 %n
  store volatile i32 %n, ptr %p
  %m = add i32 %n, 1
  %x = and i32 %m, 255
  %r = call i32 @f(i32 %x)
  %v = load volatile i32, ptr %p
  %s = add i32 %r, %v
  ret i32 %s
}
define ptx_kernel void @k() {
  %r = call i32 @f(i32 0)
  ret void
})",
                                    {1, 1, 1}, 0);
  EXPECT_CONTAINS(message, "below the thread's stack of 131072 bytes");
}

/// The first block that fails is reported, also if a later one fails before it
/// or after it. Blocks from 3 on fail; block %slow takes its time.
TEST(Fault, FirstBlockIsReported) {
  Simulation simulation(assemble(R"(
define ptx_kernel void @k(ptr addrspace(1) %in, i32 %slow) {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %c = icmp uge i32 %b, 3
  br i1 %c, label %late, label %end
late:
  %n = phi i32 [ 0, %0 ], [ %n1, %late ]
  %n1 = add i32 %n, 1
  store volatile i32 %n, ptr addrspace(3) @smem, align 4
  %isSlow = icmp eq i32 %b, %slow
  %limit = select i1 %isSlow, i32 5000000, i32 500000
  %again = icmp ult i32 %n1, %limit
  br i1 %again, label %late, label %bad
bad:
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %b
  %v = load volatile i32, ptr addrspace(1) %p, align 4
  br label %end
end:
  ret void
})"),
                        {{"threads", "4"}});
  void *in = simulation.allocate(0);
  for (uint32_t slow : {3u, 4u}) {
    Status status = simulation.launch("k", {100, 1, 1}, {1, 1, 1}, 4, in, slow);
    ASSERT_FALSE(bool(status));
    EXPECT_CONTAINS(status.error().message, "block (3, 0, 0)");
  }
}

TEST(Fault, CopiesAreChecked) {
  Simulation simulation(assemble(storeKernel));
  char host[64] = {};
  void *memory = simulation.allocate(60);
  auto error = [&](Status status) {
    EXPECT_FALSE(bool(status));
    return status ? "" : status.error().message;
  };
  Device &device = simulation.device();
  EXPECT_CONTAINS(
      error(device.copy(memory, host, 64, nullptr)),
      "copy destination of 64 bytes starts at byte 0 of the 60-byte "
      "buffer");
  EXPECT_CONTAINS(error(device.copy(host, memory, 61, nullptr)),
                  "copy source of 61 bytes");
  EXPECT_CONTAINS(error(device.fill(memory, 0, 4, 16, nullptr)),
                  "fill destination of 64 bytes");
  EXPECT_CONTAINS(error(device.free(static_cast<char *>(memory) + 16, nullptr)),
                  "cannot free");
  Simulation::check(device.free(memory, nullptr));
  EXPECT_CONTAINS(error(device.free(memory, nullptr)), "that was freed");
  EXPECT_CONTAINS(error(device.copy(memory, host, 4, nullptr)),
                  "that was freed");
  Simulation::check(device.free(nullptr, nullptr));
}

} // namespace
