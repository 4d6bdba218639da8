//===- BarrierTest.cpp - Simulated barriers -------------------------------===//
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

/// Every thread writes its number to shared memory, passes `barrier`, and reads
/// what the thread at the other end of the block wrote.
std::string exchangeKernel(const std::string &barrier) {
  return R"(
define ptx_kernel void @k(ptr addrspace(1) %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %n = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %w = getelementptr i32, ptr addrspace(3) @smem, i32 %t
  store i32 %t, ptr addrspace(3) %w, align 4
  call void @llvm.nvvm.)" +
         barrier + R"(
  %last = sub i32 %n, 1
  %o = sub i32 %last, %t
  %r = getelementptr i32, ptr addrspace(3) @smem, i32 %o
  %v = load i32, ptr addrspace(3) %r, align 4
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %t
  store i32 %v, ptr addrspace(1) %p, align 4
  ret void
})";
}

void checkExchange(const std::string &barrier, unsigned threads,
                   const char *order) {
  Simulation simulation(assemble(exchangeKernel(barrier)),
                        {{"warp-order", order}, {"seed", "5"}});
  void *out = simulation.allocate(threads * 4);
  Simulation::check(
      simulation.launch("k", {1, 1, 1}, {threads, 1, 1}, threads * 4, out));
  std::vector<uint32_t> words = simulation.download<uint32_t>(out, threads);
  for (unsigned i = 0; i < threads; ++i)
    ASSERT_EQ(words[i], threads - 1 - i) << barrier << " " << order;
}

TEST(Barrier, OrdersWritesAndReads) {
  for (const char *order : {"forward", "reverse", "random"}) {
    // 80 threads: the last warp is half full.
    for (unsigned threads : {32u, 80u, 128u, 1024u}) {
      checkExchange("barrier.cta.sync.aligned.all(i32 0)", threads, order);
      checkExchange("barrier.cta.sync.all(i32 15)", threads, order);
    }
    checkExchange("barrier.cta.sync.aligned.count(i32 3, i32 128)", 128, order);
    checkExchange("barrier.cta.sync.count(i32 3, i32 128)", 128, order);
    checkExchange("barrier.cta.sync.aligned.count(i32 3, i32 96)", 80, order);
  }
}

/// The names that older front ends write are upgraded to the above.
TEST(Barrier, OldNamesWork) {
  checkExchange("barrier0()", 64, "forward");
  checkExchange("bar.sync(i32 1)", 64, "reverse");
}

/// Warp 0 produces and only arrives; warp 1 waits. Then the other way round.
TEST(Barrier, ArriveDoesNotWait) {
  for (const char *order : {"forward", "reverse", "random"}) {
    Simulation simulation(assemble(R"(
define ptx_kernel void @k(ptr addrspace(1) %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %low = icmp ult i32 %t, 32
  br i1 %low, label %produce, label %consume
produce:
  %w = getelementptr i32, ptr addrspace(3) @smem, i32 %t
  store i32 %t, ptr addrspace(3) %w, align 4
  call void @llvm.nvvm.barrier.cta.arrive.aligned.count(i32 1, i32 64)
  call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 2, i32 64)
  br label %end
consume:
  call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 1, i32 64)
  %i = sub i32 %t, 32
  %r = getelementptr i32, ptr addrspace(3) @smem, i32 %i
  %v = load i32, ptr addrspace(3) %r, align 4
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %i
  store i32 %v, ptr addrspace(1) %p, align 4
  call void @llvm.nvvm.barrier.cta.arrive.count(i32 2, i32 64)
  br label %end
end:
  ret void
})"),
                          {{"warp-order", order}});
    void *out = simulation.allocate(128);
    Simulation::check(simulation.launch("k", {1, 1, 1}, {64, 1, 1}, 128, out));
    std::vector<uint32_t> words = simulation.download<uint32_t>(out, 32);
    for (unsigned i = 0; i < 32; ++i)
      ASSERT_EQ(words[i], i);
  }
}

TEST(Barrier, Reductions) {
  auto run = [](const std::string &operation, const std::string &type,
                unsigned trueThreads) {
    CallKernel kernel{
        "llvm.nvvm.barrier.cta.red." + operation, {"i32 0", "i1"}, {type}};
    if (operation.find("count") != std::string::npos)
      kernel.operands.insert(kernel.operands.begin() + 1, "i32 96");
    std::vector<uint32_t> in(96, 0);
    std::fill(in.begin(), in.begin() + trueThreads, 1);
    std::vector<uint32_t> out = runCall(kernel, in, 96);
    for (uint32_t word : out)
      EXPECT_EQ(word, out[0]);
    return out[0];
  };
  for (const char *form : {"aligned.all", "all", "aligned.count", "count"}) {
    std::string suffix = std::string(".") + form;
    for (unsigned count : {0u, 1u, 50u, 96u}) {
      EXPECT_EQ(run("popc" + suffix, "i32", count), count);
      EXPECT_EQ(run("and" + suffix, "i1", count), count == 96);
      EXPECT_EQ(run("or" + suffix, "i1", count), count > 0);
    }
  }
}

//===----------------------------------------------------------------------===//
// Misuse
//===----------------------------------------------------------------------===//

/// A kernel in which threads with `condition` (on %t) run `then`, the others
/// `otherwise`.
std::string branchKernel(const std::string &condition, const std::string &then,
                         const std::string &otherwise) {
  return "define ptx_kernel void @k() {\n"
         "  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
         "  %c = icmp " +
         condition + "\n  br i1 %c, label %then, label %else\nthen:\n" + then +
         "\n  br label %end\nelse:\n" + otherwise +
         "\n  br label %end\nend:\n  ret void\n}\n";
}

const char *const barrierAll =
    "call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)";
const char *const barrierOne =
    "call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 1)";

TEST(BarrierMisuse, WarpsAtDifferentBarriersDeadlock) {
  std::string message = launchError(
      branchKernel("ult i32 %t, 32", barrierAll, barrierOne), {64, 1, 1}, 0);
  EXPECT_CONTAINS(message, "kernel 'k', block (0, 0, 0): deadlock: barrier 0 "
                           "expects 64 threads and has 32");
}

TEST(BarrierMisuse, ExitedThreads) {
  std::string message = launchError(
      branchKernel("ult i32 %t, 32", barrierAll, ""), {96, 1, 1}, 0);
  EXPECT_CONTAINS(message, "deadlock: barrier 0 expects 96 threads and has 32");
  EXPECT_CONTAINS(message, "64 threads have exited");
}

TEST(BarrierMisuse, LanesOfOneWarpApart) {
  std::string message = launchError(
      branchKernel("ult i32 %t, 8", barrierAll, barrierOne), {32, 1, 1}, 0);
  EXPECT_CONTAINS(message, "divergence: lanes 0-7 of warp 0 wait at "
                           "barrier.cta.sync.aligned.all (call 1 of 'k') "
                           "while lanes 8-31 of warp 0 wait at "
                           "barrier.cta.sync.aligned.all (call 2 of 'k')");
}

TEST(BarrierMisuse, ExitedLanes) {
  std::string message =
      launchError(branchKernel("ult i32 %t, 8", barrierAll, ""), {32, 1, 1}, 0);
  EXPECT_CONTAINS(message, "divergence: lanes 0-7 of warp 0 wait at "
                           "barrier.cta.sync.aligned.all (call 1 of 'k') for "
                           "lanes 8-31 of warp 0, which have exited");
}

TEST(BarrierMisuse, OperandsOutOfRange) {
  auto error = [](const std::string &call) {
    return launchError("define ptx_kernel void @k() {\n  call void "
                       "@llvm.nvvm.barrier.cta." +
                           call + "\n  ret void\n}\n",
                       {64, 1, 1}, 0);
  };
  EXPECT_CONTAINS(error("sync.aligned.all(i32 16)"),
                  "barrier 16 does not exist");
  EXPECT_CONTAINS(error("sync.aligned.count(i32 0, i32 48)"),
                  "thread count 48 is not a positive multiple of 32");
  EXPECT_CONTAINS(error("sync.aligned.count(i32 0, i32 0)"),
                  "thread count 0 is not a positive multiple of 32");
  EXPECT_CONTAINS(error("sync.aligned.count(i32 0, i32 96)"),
                  "barrier 0 expects 96 threads and has 64");
}

TEST(BarrierMisuse, WarpsThatDisagree) {
  std::string counts = launchError(
      branchKernel(
          "ult i32 %t, 32",
          "call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 0, i32 64)",
          "call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 0, i32 96)"),
      {64, 1, 1}, 0);
  EXPECT_CONTAINS(counts, "expects 96 threads at barrier 0, but the threads "
                          "that wait there expect 64");
  std::string kinds = launchError(
      branchKernel("ult i32 %t, 32", barrierAll,
                   "%r = call i32 @llvm.nvvm.barrier.cta.red.popc.aligned.all("
                   "i32 0, i1 true)"),
      {64, 1, 1}, 0);
  EXPECT_CONTAINS(kinds, "in use by another kind of barrier operation");
}

TEST(Divergence, MaskNamesALaneElsewhere) {
  std::string message = launchError(
      branchKernel("ult i32 %t, 31",
                   "call void @llvm.nvvm.bar.warp.sync(i32 -1)",
                   "%v = call i1 @llvm.nvvm.vote.any.sync(i32 -1, i1 true)"),
      {32, 1, 1}, 0);
  EXPECT_CONTAINS(message,
                  "divergence: lanes 0-30 of warp 0 wait at bar.warp.sync "
                  "(call 1 of 'k') with mask 0xffffffff while lane 31 of warp "
                  "0 waits at vote.any.sync (call 2 of 'k') with mask "
                  "0xffffffff");
}

TEST(Divergence, MaskNamesAnExitedLane) {
  std::string message = launchError(
      branchKernel("ult i32 %t, 31",
                   "call void @llvm.nvvm.bar.warp.sync(i32 -1)", ""),
      {32, 1, 1}, 0);
  EXPECT_CONTAINS(message, "for lane 31 of warp 0, which has exited");
}

TEST(Divergence, MaskNamesALaneThatTheBlockLacks) {
  std::string message = launchError(
      "define ptx_kernel void @k() {\n"
      "  call void @llvm.nvvm.bar.warp.sync(i32 -1)\n  ret void\n}\n",
      {40, 1, 1}, 0);
  EXPECT_CONTAINS(message, "lanes 0-7 of warp 1 wait at bar.warp.sync");
  EXPECT_CONTAINS(message, "for lanes 8-31 of warp 1, which the block of 40 "
                           "threads does not have");
}

TEST(Divergence, TheOtherWarpsAreListed) {
  Simulation simulation(
      assemble(branchKernel("ult i32 %t, 32", barrierAll, barrierOne)));
  Status status = simulation.launch("k", {1, 1, 1}, {64, 1, 1}, 0);
  ASSERT_FALSE(bool(status));
  EXPECT_EQ(status.error().note,
            "warp 0: lanes 0-31 at barrier.cta.sync.aligned.all (call 1 of "
            "'k'); warp 1: lanes 0-31 at barrier.cta.sync.aligned.all (call 2 "
            "of 'k')");
}

} // namespace
