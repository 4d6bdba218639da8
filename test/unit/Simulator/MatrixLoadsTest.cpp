//===- MatrixLoadsTest.cpp - Simulated ldmatrix and stmatrix --------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelHarness.h"

#include <algorithm>
#include <numeric>

using namespace mlir::magicube;
using namespace mlir::magicube::test;

namespace {

constexpr unsigned numRows = 32;

/// Copies 512 bytes from %in to shared memory (16 per thread), gives the lane's
/// row address from %rows and the registers' place in %out.
std::string loadKernel(unsigned count, bool transposed) {
  std::string type = "i32";
  if (count > 1) {
    type = "{ i32";
    for (unsigned i = 1; i < count; ++i)
      type += ", i32";
    type += " }";
  }
  std::string text = R"(
define ptx_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %rows, ptr addrspace(1) %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %o = mul i32 %t, 16
  %g = getelementptr i8, ptr addrspace(1) %in, i32 %o
  %s = getelementptr i8, ptr addrspace(3) @smem, i32 %o
  %v = load <4 x i32>, ptr addrspace(1) %g, align 16
  store <4 x i32> %v, ptr addrspace(3) %s, align 16
  call void @llvm.nvvm.bar.warp.sync(i32 -1)
  %rp = getelementptr i32, ptr addrspace(1) %rows, i32 %t
  %r = load i32, ptr addrspace(1) %rp, align 4
  %a = getelementptr i8, ptr addrspace(3) @smem, i32 %r
)";
  text += "  %m = call " + type + " @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x" +
          std::to_string(count) + (transposed ? ".trans" : "") +
          ".b16.p3(ptr addrspace(3) %a)\n";
  for (unsigned i = 0; i < count; ++i) {
    std::string n = std::to_string(i);
    std::string value = "%m";
    if (count > 1) {
      text += "  %e" + n + " = extractvalue " + type + " %m, " + n + "\n";
      value = "%e" + n;
    }
    text += "  %b" + n + " = mul i32 %t, " + std::to_string(count) + "\n  %i" +
            n + " = add i32 %b" + n + ", " + n + "\n  %p" + n +
            " = getelementptr i32, ptr addrspace(1) %out, i32 %i" + n +
            "\n  store i32 " + value + ", ptr addrspace(1) %p" + n +
            ", align 4\n";
  }
  return text + "  ret void\n}\n";
}

/// PTX ISA "ldmatrix": element (row, column) of matrix i is in the register i
/// of lane 4 row + column / 2, its half column % 2; transposed, row and column
/// change places.
void checkLoad(unsigned count, bool transposed) {
  std::vector<uint16_t> elements(numRows * 8);
  std::iota(elements.begin(), elements.end(), uint16_t(0x1234));
  std::vector<uint32_t> rows(numRows);
  for (unsigned i = 0; i < numRows; ++i)
    rows[i] = i * 16;
  std::shuffle(rows.begin(), rows.end(), std::mt19937(count));
  // Lanes that give no row may hold any address.
  for (unsigned i = count * 8; i < numRows; ++i)
    rows[i] = 0x7FFFFFF1;

  Simulation simulation(assemble(loadKernel(count, transposed)));
  void *out = simulation.allocate(32 * count * 4);
  Simulation::check(simulation.launch("k", {1, 1, 1}, {32, 1, 1}, 512,
                                      simulation.upload(elements),
                                      simulation.upload(rows), out));
  std::vector<uint16_t> halves =
      simulation.download<uint16_t>(out, 32 * count * 2);
  for (unsigned i = 0; i < count; ++i)
    for (unsigned row = 0; row < 8; ++row)
      for (unsigned column = 0; column < 8; ++column) {
        uint16_t expected = elements[rows[i * 8 + row] / 2 + column];
        unsigned r = transposed ? column : row, c = transposed ? row : column;
        unsigned lane = 4 * r + c / 2;
        EXPECT_EQ(halves[(lane * count + i) * 2 + c % 2], expected)
            << "x" << count << " trans " << transposed << " matrix " << i;
      }
}

TEST(MatrixLoads, LdmatrixFollowsTheIsa) {
  for (unsigned count : {1, 2, 4})
    for (bool transposed : {false, true})
      checkLoad(count, transposed);
}

std::string storeKernel(unsigned count, bool transposed) {
  std::string values;
  std::string text = R"(
define ptx_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %o = mul i32 %t, 16
  %s = getelementptr i8, ptr addrspace(3) @smem, i32 %o
)";
  for (unsigned i = 0; i < count; ++i) {
    std::string n = std::to_string(i);
    text += "  %b" + n + " = mul i32 %t, " + std::to_string(count) + "\n  %i" +
            n + " = add i32 %b" + n + ", " + n + "\n  %p" + n +
            " = getelementptr i32, ptr addrspace(1) %in, i32 %i" + n +
            "\n  %v" + n + " = load i32, ptr addrspace(1) %p" + n +
            ", align 4\n";
    values += ", i32 %v" + n;
  }
  return text + "  call void @llvm.nvvm.stmatrix.sync.aligned.m8n8.x" +
         std::to_string(count) + (transposed ? ".trans" : "") +
         ".b16.p3(ptr addrspace(3) %s" + values + R"()
  call void @llvm.nvvm.bar.warp.sync(i32 -1)
  %g = getelementptr i8, ptr addrspace(1) %out, i32 %o
  %v = load <4 x i32>, ptr addrspace(3) %s, align 16
  store <4 x i32> %v, ptr addrspace(1) %g, align 16
  ret void
})";
}

TEST(MatrixLoads, StmatrixIsTheInverse) {
  for (unsigned count : {1, 2, 4})
    for (bool transposed : {false, true}) {
      std::vector<uint32_t> words = randomWords(32 * count, count);
      Simulation simulation(assemble(storeKernel(count, transposed)));
      void *out = simulation.allocate(512);
      Simulation::check(simulation.launch("k", {1, 1, 1}, {32, 1, 1}, 512,
                                          simulation.upload(words), out));
      auto stored = simulation.download<uint16_t>(out, 256);
      for (unsigned lane = 0; lane < 32; ++lane)
        for (unsigned i = 0; i < count; ++i)
          for (unsigned half = 0; half < 2; ++half) {
            unsigned row = lane / 4, column = lane % 4 * 2 + half;
            if (transposed)
              std::swap(row, column);
            EXPECT_EQ(stored[(i * 8 + row) * 8 + column],
                      uint16_t(words[lane * count + i] >> 16 * half));
          }
    }
}

TEST(MatrixLoads, BadRowsAreNamed) {
  auto error = [](std::vector<uint32_t> rows) {
    Simulation simulation(assemble(loadKernel(4, true)));
    std::vector<uint32_t> in(128);
    Status status = simulation.launch(
        "k", {1, 1, 1}, {32, 1, 1}, 512, simulation.upload(in),
        simulation.upload(rows), simulation.allocate(512));
    EXPECT_FALSE(bool(status));
    return status ? "" : status.error().message;
  };
  std::vector<uint32_t> rows(32, 0);
  rows[5] = 8;
  std::string message = error(rows);
  EXPECT_CONTAINS(message, "thread (5, 0, 0)");
  EXPECT_CONTAINS(message, "ldmatrix.sync.aligned.m8n8.x4.trans.b16");
  EXPECT_CONTAINS(message, "misaligned");
  rows[5] = 512 - 16;
  rows[9] = 512;
  message = error(rows);
  EXPECT_CONTAINS(message, "thread (9, 0, 0)");
  EXPECT_CONTAINS(message, "0 bytes past the end of the 512-byte shared");
  rows[9] = static_cast<uint32_t>(-16);
  EXPECT_CONTAINS(error(rows), "16 bytes before the start");
}

} // namespace
