//===- WarpIntrinsicsTest.cpp - Simulated exchange between lanes ----------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelHarness.h"

#include <algorithm>
#include <functional>
#include <optional>

using namespace mlir::magicube;
using namespace mlir::magicube::test;

namespace {

constexpr uint32_t full = 0xFFFFFFFF;

//===----------------------------------------------------------------------===//
// shfl.sync
//===----------------------------------------------------------------------===//

/// The source lane in the words of the CUDA C++ Programming Guide, "Warp
/// Shuffle Functions", for segments of `width` lanes; none if out of the
/// segment.
std::optional<unsigned> source(const std::string &mode, unsigned lane,
                               unsigned b, unsigned width) {
  unsigned first = lane / width * width, position = lane % width;
  if (mode == "idx")
    return first + b % width;
  if (mode == "up")
    return position >= b ? std::optional<unsigned>(lane - b) : std::nullopt;
  if (mode == "down")
    return position + b < width ? std::optional<unsigned>(lane + b)
                                : std::nullopt;
  // Butterflies may read segments before the lane's own, not behind it.
  unsigned other = lane ^ b;
  return other < first + width ? std::optional<unsigned>(other) : std::nullopt;
}

/// The guide's encoding of width in operand c.
uint32_t control(const std::string &mode, unsigned width) {
  return (32 - width) << 8 | (mode == "up" ? 0 : 31);
}

void checkShuffle(const std::string &mode, bool predicate, unsigned width) {
  CallKernel kernel{"llvm.nvvm.shfl.sync." + mode + ".i32" +
                        (predicate ? "p" : ""),
                    {"i32 -1", "i32", "i32", "i32"},
                    {"i32"}};
  if (predicate)
    kernel.results.push_back("i1");
  std::mt19937 generator(width);
  std::vector<uint32_t> in;
  for (unsigned lane = 0; lane < 32; ++lane) {
    in.push_back(1000 + lane);
    in.push_back(mode == "idx" ? generator() % 32 : generator() % width);
    in.push_back(control(mode, width));
  }
  std::vector<uint32_t> out = runCall(kernel, in);
  size_t perLane = kernel.results.size();
  for (unsigned lane = 0; lane < 32; ++lane) {
    std::optional<unsigned> from = source(mode, lane, in[lane * 3 + 1], width);
    EXPECT_EQ(out[lane * perLane], 1000 + from.value_or(lane))
        << mode << " lane " << lane << " width " << width;
    if (predicate) {
      EXPECT_EQ(out[lane * perLane + 1], from.has_value());
    }
  }
}

TEST(Shuffle, EveryModeAndWidth) {
  for (const char *mode : {"idx", "up", "down", "bfly"})
    for (bool predicate : {false, true})
      for (unsigned width : {1, 2, 4, 8, 16, 32})
        checkShuffle(mode, predicate, width);
}

TEST(Shuffle, MovesFloats) {
  CallKernel kernel{"llvm.nvvm.shfl.sync.bfly.f32",
                    {"i32 -1", "float", "i32 1", "i32 31"},
                    {"float"}};
  std::vector<uint32_t> in = randomWords(32, 3);
  std::vector<uint32_t> out = runCall(kernel, in);
  for (unsigned lane = 0; lane < 32; ++lane)
    EXPECT_EQ(out[lane], in[lane ^ 1]);
}

TEST(Shuffle, ReadingALaneThatTakesNoPartIsAnError) {
  // Lanes 0-15 shuffle among themselves, but lane 3 reads lane 20.
  std::string message = launchError(R"(
define ptx_kernel void @k() {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %low = icmp ult i32 %t, 16
  br i1 %low, label %then, label %end
then:
  %is3 = icmp eq i32 %t, 3
  %b = select i1 %is3, i32 20, i32 %t
  %v = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 65535, i32 %t, i32 %b, i32 31)
  br label %end
end:
  ret void
})",
                                    {32, 1, 1}, 0);
  EXPECT_CONTAINS(message, "thread (3, 0, 0)");
  EXPECT_CONTAINS(message, "reads lane 20, which does not take part");
}

//===----------------------------------------------------------------------===//
// vote, match, redux, elect
//===----------------------------------------------------------------------===//

/// Runs `kernel` on one word per lane.
std::vector<uint32_t> perLane(const CallKernel &kernel,
                              const std::function<uint32_t(unsigned)> &word) {
  std::vector<uint32_t> in(32);
  for (unsigned lane = 0; lane < 32; ++lane)
    in[lane] = word(lane);
  return runCall(kernel, in);
}

CallKernel vote(const std::string &mode) {
  return {"llvm.nvvm.vote." + mode + ".sync",
          {"i32 -1", "i1"},
          {mode == "ballot" ? "i32" : "i1"}};
}

TEST(Vote, EveryMode) {
  auto none = [](unsigned) { return 0u; };
  auto all = [](unsigned) { return 1u; };
  auto some = [](unsigned lane) { return lane % 3 == 1 ? 1u : 0u; };
  uint32_t someMask = 0;
  for (unsigned lane = 0; lane < 32; ++lane)
    someMask |= some(lane) << lane;
  auto expect = [&](const std::string &mode, auto word, uint32_t result) {
    EXPECT_EQ(perLane(vote(mode), word), std::vector<uint32_t>(32, result))
        << mode;
  };
  expect("all", none, 0);
  expect("all", some, 0);
  expect("all", all, 1);
  expect("any", none, 0);
  expect("any", some, 1);
  expect("any", all, 1);
  expect("uni", none, 1);
  expect("uni", some, 0);
  expect("uni", all, 1);
  expect("ballot", none, 0);
  expect("ballot", some, someMask);
  expect("ballot", all, full);
}

TEST(Match, AnyGivesTheLanesWithTheSameValue) {
  auto word = [](unsigned lane) { return lane % 5; };
  std::vector<uint32_t> out = perLane(
      {"llvm.nvvm.match.any.sync.i32", {"i32 -1", "i32"}, {"i32"}}, word);
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned other = 0; other < 32; ++other)
      EXPECT_EQ(out[lane] >> other & 1, word(lane) == word(other));
}

TEST(Match, AnyCompares64Bits) {
  CallKernel kernel{"llvm.nvvm.match.any.sync.i64", {"i32 -1", "i64"}, {"i32"}};
  std::vector<uint32_t> in;
  for (unsigned lane = 0; lane < 32; ++lane) {
    in.push_back(7);
    in.push_back(lane / 16);
  }
  std::vector<uint32_t> out = runCall(kernel, in);
  for (unsigned lane = 0; lane < 32; ++lane)
    EXPECT_EQ(out[lane], lane < 16 ? 0x0000FFFFu : 0xFFFF0000u);
}

TEST(Match, AllGivesMaskAndPredicate) {
  CallKernel kernel{
      "llvm.nvvm.match.all.sync.i32p", {"i32 -1", "i32"}, {"i32", "i1"}};
  std::vector<uint32_t> same = perLane(kernel, [](unsigned) { return 9u; });
  std::vector<uint32_t> differ =
      perLane(kernel, [](unsigned lane) { return lane == 31 ? 8u : 9u; });
  for (unsigned lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(same[lane * 2], full);
    EXPECT_EQ(same[lane * 2 + 1], 1u);
    EXPECT_EQ(differ[lane * 2], 0u);
    EXPECT_EQ(differ[lane * 2 + 1], 0u);
  }
}

TEST(Redux, EveryOperation) {
  std::vector<uint32_t> in = randomWords(32, 5);
  auto check = [&](const std::string &operation, uint32_t expected) {
    CallKernel kernel{
        "llvm.nvvm.redux.sync." + operation, {"i32", "i32 -1"}, {"i32"}};
    EXPECT_EQ(runCall(kernel, in), std::vector<uint32_t>(32, expected))
        << operation;
  };
  auto asSigned = [](uint32_t a, uint32_t b) {
    return int32_t(a) < int32_t(b);
  };
  uint32_t sum = 0, bitAnd = full, bitOr = 0, bitXor = 0;
  for (uint32_t word : in) {
    sum += word;
    bitAnd &= word;
    bitOr |= word;
    bitXor ^= word;
  }
  check("add", sum);
  check("and", bitAnd);
  check("or", bitOr);
  check("xor", bitXor);
  check("umin", *std::min_element(in.begin(), in.end()));
  check("umax", *std::max_element(in.begin(), in.end()));
  check("min", *std::min_element(in.begin(), in.end(), asSigned));
  check("max", *std::max_element(in.begin(), in.end(), asSigned));
}

TEST(Elect, ChoosesOneLane) {
  CallKernel kernel{"llvm.nvvm.elect.sync", {"i32 -1"}, {"i32", "i1"}};
  std::vector<uint32_t> out = runCall(kernel, {});
  unsigned leaders = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(out[lane * 2], out[0]);
    EXPECT_EQ(out[lane * 2 + 1], out[0] == lane);
    leaders += out[lane * 2 + 1];
  }
  EXPECT_EQ(leaders, 1u);
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

/// Both halves of a warp vote in branches of their own, at different calls.
TEST(Masks, DisjointGroupsMeetOnTheirOwn) {
  Simulation simulation(assemble(R"(
define ptx_kernel void @k(ptr addrspace(1) %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %odd = and i32 %t, 1
  %isOdd = icmp eq i32 %odd, 1
  br i1 %isOdd, label %then, label %else
then:
  %a = call i32 @llvm.nvvm.vote.ballot.sync(i32 -1431655766, i1 true)
  br label %end
else:
  %b = call i32 @llvm.nvvm.vote.ballot.sync(i32 1431655765, i1 true)
  br label %end
end:
  %v = phi i32 [ %a, %then ], [ %b, %else ]
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %t
  store i32 %v, ptr addrspace(1) %p, align 4
  ret void
})"));
  void *out = simulation.allocate(128);
  Simulation::check(simulation.launch("k", {1, 1, 1}, {32, 1, 1}, 0, out));
  std::vector<uint32_t> words = simulation.download<uint32_t>(out, 32);
  for (unsigned lane = 0; lane < 32; ++lane)
    EXPECT_EQ(words[lane], lane % 2 ? 0xAAAAAAAAu : 0x55555555u);
}

/// PTX ISA: what must agree is operation and mask, not the place in the code.
TEST(Masks, EqualOperationsMeetFromDifferentBranches) {
  Simulation simulation(assemble(R"(
define ptx_kernel void @k(ptr addrspace(1) %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %low = icmp ult i32 %t, 16
  br i1 %low, label %then, label %else
then:
  %a = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %t, i32 16, i32 31)
  br label %end
else:
  %b = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %t, i32 16, i32 31)
  br label %end
end:
  %v = phi i32 [ %a, %then ], [ %b, %else ]
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %t
  store i32 %v, ptr addrspace(1) %p, align 4
  ret void
})"));
  void *out = simulation.allocate(128);
  Simulation::check(simulation.launch("k", {1, 1, 1}, {32, 1, 1}, 0, out));
  std::vector<uint32_t> words = simulation.download<uint32_t>(out, 32);
  for (unsigned lane = 0; lane < 32; ++lane)
    EXPECT_EQ(words[lane], lane ^ 16);
}

TEST(Masks, ALaneOutsideItsMaskIsAnError) {
  std::string message = launchError(R"(
define ptx_kernel void @k() {
  call void @llvm.nvvm.bar.warp.sync(i32 -2)
  ret void
})",
                                    {32, 1, 1}, 0);
  EXPECT_CONTAINS(message, "thread (0, 0, 0)");
  EXPECT_CONTAINS(message, "lane 0 is not in its own member mask 0xfffffffe");
}

} // namespace
