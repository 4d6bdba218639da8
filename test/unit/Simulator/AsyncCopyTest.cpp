//===- AsyncCopyTest.cpp - Simulated cp.async in both modes ---------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelHarness.h"

#include <numeric>

using namespace mlir::magicube;
using namespace mlir::magicube::test;

namespace {

constexpr uint8_t poison = 0xA5;

/// One thread: `steps` on %in and @smem, then the first `bytes` bytes of shared
/// memory are copied to %out.
std::string copyKernel(const std::string &steps, unsigned bytes) {
  return R"(
declare void @llvm.memcpy.p1.p3.i64(ptr addrspace(1), ptr addrspace(3), i64, i1)
define ptx_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out) {
)" + steps +
         "\n  call void @llvm.memcpy.p1.p3.i64(ptr addrspace(1) %out, ptr "
         "addrspace(3) @smem, i64 " +
         std::to_string(bytes) + ", i1 false)\n  ret void\n}\n";
}

/// cp.async of `size` bytes from byte `from` of %in to byte `to` of @smem.
std::string copy(unsigned size, unsigned from, unsigned to,
                 const std::string &sourceBytes = "") {
  std::string kind = size == 16 ? "cg" : "ca";
  std::string offset = std::to_string(from);
  return "  call void @llvm.nvvm.cp.async." + kind + ".shared.global." +
         std::to_string(size) + (sourceBytes.empty() ? "" : ".s") +
         "(ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @smem, i32 " +
         std::to_string(to) + "), ptr addrspace(1) %in" + offset +
         (sourceBytes.empty() ? "" : ", i32 " + sourceBytes) + ")\n";
}

std::string address(unsigned from) {
  return "  %in" + std::to_string(from) +
         " = getelementptr i8, ptr addrspace(1) %in, i32 " +
         std::to_string(from) + "\n";
}

const std::string commit = "  call void @llvm.nvvm.cp.async.commit.group()\n";
const std::string waitAll = "  call void @llvm.nvvm.cp.async.wait.all()\n";

std::string waitGroup(unsigned pending) {
  return "  call void @llvm.nvvm.cp.async.wait.group(i32 " +
         std::to_string(pending) + ")\n";
}

/// The bytes of shared memory after `steps`; the input is 0, 1, 2, ...
std::vector<uint8_t> runCopies(const std::string &steps, const char *mode,
                               unsigned bytes = 64) {
  Simulation simulation(assemble(copyKernel(steps, bytes)),
                        {{"async-copy", mode}});
  std::vector<uint8_t> input(128);
  std::iota(input.begin(), input.end(), uint8_t(0));
  void *out = simulation.allocate(bytes);
  Simulation::check(simulation.launch("k", {1, 1, 1}, {1, 1, 1}, bytes,
                                      simulation.upload(input), out));
  return simulation.download<uint8_t>(out, bytes);
}

bool holds(const std::vector<uint8_t> &bytes, unsigned at, unsigned count,
           unsigned firstValue) {
  for (unsigned i = 0; i < count; ++i)
    if (bytes[at + i] != firstValue + i)
      return false;
  return true;
}

bool isFilled(const std::vector<uint8_t> &bytes, unsigned at, unsigned count,
              uint8_t value) {
  for (unsigned i = 0; i < count; ++i)
    if (bytes[at + i] != value)
      return false;
  return true;
}

TEST(AsyncCopy, EverySizeLandsByTheWait) {
  for (const char *mode : {"issue", "wait"})
    for (unsigned size : {4u, 8u, 16u}) {
      std::vector<uint8_t> bytes = runCopies(
          address(48) + copy(size, 48, 16) + commit + waitGroup(0), mode);
      EXPECT_TRUE(holds(bytes, 16, size, 48)) << mode << size;
      EXPECT_TRUE(isFilled(bytes, 0, 16, poison));
      EXPECT_TRUE(isFilled(bytes, 16 + size, 64 - 16 - size, poison));
    }
}

TEST(AsyncCopy, BytesBeyondTheSourceSizeAreZero) {
  for (const char *mode : {"issue", "wait"})
    for (unsigned size : {4u, 8u, 16u})
      for (unsigned read : {0u, 1u, size - 1, size}) {
        std::vector<uint8_t> bytes = runCopies(
            address(16) + copy(size, 16, 0, std::to_string(read)) + waitAll,
            mode);
        EXPECT_TRUE(holds(bytes, 0, read, 16)) << mode << size << read;
        EXPECT_TRUE(isFilled(bytes, read, size - read, 0));
        EXPECT_TRUE(isFilled(bytes, size, 64 - size, poison));
      }
}

/// PTX ISA "cp.async.wait_group": waits until at most N of the most recent
/// groups are pending.
TEST(AsyncCopy, WaitLeavesTheMostRecentGroupsPending) {
  std::string steps = address(0) + address(16) + address(32) + copy(16, 0, 0) +
                      commit + copy(16, 16, 16) + commit + copy(16, 32, 32) +
                      commit;
  for (unsigned pending = 0; pending <= 3; ++pending) {
    std::vector<uint8_t> late = runCopies(steps + waitGroup(pending), "wait");
    for (unsigned group = 0; group < 3; ++group) {
      bool landed = group < 3 - pending;
      EXPECT_TRUE(landed ? holds(late, group * 16, 16, group * 16)
                         : isFilled(late, group * 16, 16, poison))
          << "group " << group << " pending " << pending;
    }
    std::vector<uint8_t> early = runCopies(steps + waitGroup(pending), "issue");
    EXPECT_TRUE(holds(early, 0, 48, 0));
  }
}

TEST(AsyncCopy, WaitGroupIgnoresWhatIsNotCommitted) {
  std::string steps = address(0) + copy(16, 0, 0);
  EXPECT_TRUE(isFilled(runCopies(steps + waitGroup(0), "wait"), 0, 16, poison));
  EXPECT_TRUE(holds(runCopies(steps + waitAll, "wait"), 0, 16, 0));
}

TEST(AsyncCopy, EmptyGroupsCount) {
  std::string steps =
      address(0) + copy(16, 0, 0) + commit + commit + waitGroup(1);
  EXPECT_TRUE(holds(runCopies(steps, "wait"), 0, 16, 0));
}

/// The source is read at the latest moment too.
TEST(AsyncCopy, OverwrittenSourceShows) {
  std::string steps = address(0) + copy(4, 0, 0) + commit +
                      "  store i32 -1, ptr addrspace(1) %in, align 4\n" +
                      waitGroup(0);
  EXPECT_TRUE(holds(runCopies(steps, "issue"), 0, 4, 0));
  EXPECT_TRUE(isFilled(runCopies(steps, "wait"), 0, 4, 0xFF));
}

/// A missing wait: the two modes differ, which is how such bugs are found.
TEST(AsyncCopy, RacyKernelDiffersBetweenTheModes) {
  std::string steps = address(0) + copy(16, 0, 0) + commit;
  EXPECT_NE(runCopies(steps, "issue"), runCopies(steps, "wait"));
}

/// A thread's wait covers its own copies only; the others' are seen after a
/// barrier behind their waits.
TEST(AsyncCopy, OtherThreadsNeedABarrier) {
  auto run = [](const std::string &barrier) {
    Simulation simulation(assemble(R"(
define ptx_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %g = getelementptr i32, ptr addrspace(1) %in, i32 %t
  %s = getelementptr i32, ptr addrspace(3) @smem, i32 %t
  call void @llvm.nvvm.cp.async.ca.shared.global.4(ptr addrspace(3) %s, ptr addrspace(1) %g)
  call void @llvm.nvvm.cp.async.wait.all()
  )" + barrier + R"(
  %o = xor i32 %t, 63
  %r = getelementptr i32, ptr addrspace(3) @smem, i32 %o
  %v = load i32, ptr addrspace(3) %r, align 4
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %t
  store i32 %v, ptr addrspace(1) %p, align 4
  ret void
})"),
                          {{"async-copy", "wait"}});
    std::vector<uint32_t> in(64);
    std::iota(in.begin(), in.end(), 0u);
    void *out = simulation.allocate(256);
    Simulation::check(simulation.launch("k", {1, 1, 1}, {64, 1, 1}, 256,
                                        simulation.upload(in), out));
    std::vector<uint32_t> words = simulation.download<uint32_t>(out, 64);
    for (unsigned i = 0; i < 64; ++i)
      if (words[i] != (i ^ 63))
        return false;
    return true;
  };
  EXPECT_TRUE(run("call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)"));
  EXPECT_FALSE(run(""));
}

//===----------------------------------------------------------------------===//
// Misuse
//===----------------------------------------------------------------------===//

std::string copyError(const std::string &steps, const char *mode) {
  Simulation simulation(assemble(copyKernel(steps, 16)),
                        {{"async-copy", mode}});
  std::vector<uint8_t> input(100);
  Status status =
      simulation.launch("k", {1, 1, 1}, {1, 1, 1}, 64, simulation.upload(input),
                        simulation.allocate(16));
  EXPECT_FALSE(bool(status));
  return status ? "" : status.error().message;
}

TEST(AsyncCopyMisuse, MisalignedAddresses) {
  for (const char *mode : {"issue", "wait"}) {
    std::string source = copyError(address(8) + copy(16, 8, 0), mode);
    EXPECT_CONTAINS(source, "thread (0, 0, 0): cp.async.cg.shared.global.16 "
                            "(call 1 of 'k'): misaligned: source address");
    EXPECT_CONTAINS(source, "is not a multiple of 16");
    EXPECT_CONTAINS(copyError(address(0) + copy(8, 0, 4), mode),
                    "misaligned: destination address");
  }
}

TEST(AsyncCopyMisuse, OutOfBounds) {
  for (const char *mode : {"issue", "wait"}) {
    std::string destination = copyError(address(0) + copy(16, 0, 64), mode);
    EXPECT_CONTAINS(destination, "out of bounds: destination address");
    EXPECT_CONTAINS(destination,
                    "0 bytes past the end of the 64-byte shared memory");
    std::string source = copyError(
        address(112) + copy(16, 112, 0) + commit + waitGroup(0), mode);
    EXPECT_CONTAINS(source, "out of bounds: cp.async.cg.shared.global.16 "
                            "(call 1 of 'k') at ");
    EXPECT_CONTAINS(source, "12 bytes past the end of the 100-byte buffer");
  }
}

TEST(AsyncCopyMisuse, NothingIsReadWithSourceSizeZero) {
  for (const char *mode : {"issue", "wait"}) {
    std::vector<uint8_t> bytes =
        runCopies("  %in0 = inttoptr i64 16 to ptr addrspace(1)\n" +
                      copy(16, 0, 0, "0") + commit + waitGroup(0),
                  mode);
    EXPECT_TRUE(isFilled(bytes, 0, 16, 0));
  }
}

TEST(AsyncCopyMisuse, SourceSizeBeyondTheCopy) {
  EXPECT_CONTAINS(copyError(address(0) + copy(8, 0, 0, "9"), "issue"),
                  "source size 9 is larger than the copy's 8 bytes");
}

} // namespace
