//===- ScalarIntrinsicsTest.cpp - Simulated operations of one thread ------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelHarness.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace mlir::magicube;
using namespace mlir::magicube::test;

namespace {

constexpr unsigned threads = 512;

/// Runs an intrinsic of `operands` words on random data; calls
/// `expected(words)` for what each thread must get.
template <typename Expected>
void checkWords(const std::string &name, std::vector<std::string> operands,
                Expected expected, const std::string &result = "i32") {
  CallKernel kernel{"llvm.nvvm." + name, std::move(operands), {result}};
  size_t words = kernel.wordsIn();
  std::vector<uint32_t> in = randomWords(words * threads, 7);
  std::vector<uint32_t> out = runCall(kernel, in, threads);
  for (unsigned thread = 0; thread < threads; ++thread)
    ASSERT_EQ(out[thread], expected(&in[thread * words]))
        << name << " of " << std::hex << in[thread * words];
}

/// The bytes of a and b, b's above a's, as an array.
std::vector<uint8_t> bytesOf(uint32_t a, uint32_t b) {
  std::vector<uint8_t> bytes(8);
  std::memcpy(bytes.data(), &a, 4);
  std::memcpy(bytes.data() + 4, &b, 4);
  return bytes;
}

uint32_t fromBytes(const std::vector<int> &bytes) {
  uint32_t word = 0;
  for (int i = 3; i >= 0; --i)
    word = word << 8 | static_cast<uint8_t>(bytes[static_cast<size_t>(i)]);
  return word;
}

uint32_t expectedPermute(uint32_t a, uint32_t b, uint32_t selector) {
  std::vector<uint8_t> bytes = bytesOf(a, b);
  std::vector<int> result;
  for (unsigned i = 0; i < 4; ++i) {
    unsigned nibble = selector >> 4 * i & 15;
    int8_t byte = static_cast<int8_t>(bytes[nibble % 8]);
    result.push_back(nibble >= 8 ? byte >> 7 : byte);
  }
  return fromBytes(result);
}

TEST(Permute, RunTimeSelector) {
  checkWords("prmt", {"i32", "i32", "i32"}, [](const uint32_t *words) {
    return expectedPermute(words[0], words[1], words[2]);
  });
}

float toFloat(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

uint32_t toBits(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

/// What cvt.rni.s32.f32 gives for the bits of an f32.
uint32_t expectedInteger(uint32_t bits) {
  float value = toFloat(bits);
  if (std::isnan(value))
    return 0;
  double rounded = std::nearbyint(double(value));
  rounded = std::min(std::max(rounded, -2147483648.0), 2147483647.0);
  return static_cast<uint32_t>(static_cast<int32_t>(rounded));
}

TEST(Conversion, FloatToInteger) {
  checkWords("f2i.rn", {"float"},
             [](const uint32_t *words) { return expectedInteger(words[0]); });
}

TEST(Conversion, FloatToIntegerTiesAndEnds) {
  std::vector<uint32_t> in;
  const float infinity = std::numeric_limits<float>::infinity();
  for (float value :
       {0.5f, 1.5f, 2.5f, -0.5f, -1.5f, -2.5f, 127.5f, 3e9f, -3e9f, infinity,
        -infinity, 0.49999997f, std::numeric_limits<float>::quiet_NaN(), -0.0f,
        1e-40f, 2147483520.0f, -2147483648.0f})
    in.push_back(toBits(value));
  auto count = static_cast<unsigned>(in.size());
  std::vector<uint32_t> out =
      runCall(CallKernel{"llvm.nvvm.f2i.rn", {"float"}, {"i32"}}, in, count);
  for (unsigned i = 0; i < count; ++i)
    EXPECT_EQ(out[i], expectedInteger(in[i])) << std::hex << in[i];
}

/// What cvt.rni.u32.f32 gives for the bits of an f32.
uint32_t expectedUnsigned(uint32_t bits) {
  float value = toFloat(bits);
  if (std::isnan(value))
    return 0;
  double rounded = std::nearbyint(double(value));
  return static_cast<uint32_t>(std::min(std::max(rounded, 0.0), 4294967295.0));
}

TEST(Conversion, FloatToUnsigned) {
  checkWords("f2ui.rn", {"float"},
             [](const uint32_t *words) { return expectedUnsigned(words[0]); });
}

TEST(Conversion, FloatToUnsignedTiesAndEnds) {
  std::vector<uint32_t> in;
  for (float value : {0.5f, 1.5f, 2.5f, -0.5f, -1.0f, 2147483648.0f, 3e9f, 5e9f,
                      std::numeric_limits<float>::infinity(),
                      -std::numeric_limits<float>::infinity(),
                      std::numeric_limits<float>::quiet_NaN(), 1e-40f})
    in.push_back(toBits(value));
  auto count = static_cast<unsigned>(in.size());
  std::vector<uint32_t> out =
      runCall(CallKernel{"llvm.nvvm.f2ui.rn", {"float"}, {"i32"}}, in, count);
  for (unsigned i = 0; i < count; ++i)
    EXPECT_EQ(out[i], expectedUnsigned(in[i])) << std::hex << in[i];
}

/// fma.rn.sat of the bits of three f32.
uint32_t expectedSaturated(const uint32_t *words) {
  float sum = std::fma(toFloat(words[0]), toFloat(words[1]), toFloat(words[2]));
  if (!(sum > 0))
    return toBits(0.0f);
  return toBits(sum < 1 ? sum : 1.0f);
}

TEST(Arithmetic, SaturatedFma) {
  checkWords("fma.rn.sat.f", {"float", "float", "float"}, expectedSaturated,
             "float");
}

TEST(Arithmetic, SaturatedFmaInside) {
  const float infinity = std::numeric_limits<float>::infinity();
  const float values[][3] = {
      {-3.0f, 0.1f, 0.8f},    {1.0f, 1.0f, 0.0f},     {-1.0f, 0.5f, 0.5f},
      {0.0f, -infinity, 1.f}, {-infinity, 0.1f, 1.f}, {infinity, 1.0f, 0.0f},
      {0.3f, 0.3f, 1e-9f},    {-0.0f, 1.0f, -0.0f},   {1.0f, 1e-8f, 1.0f}};
  std::vector<uint32_t> in;
  for (const float(&triple)[3] : values)
    for (float value : triple)
      in.push_back(toBits(value));
  std::vector<uint32_t> out = runCall(CallKernel{"llvm.nvvm.fma.rn.sat.f",
                                                 {"float", "float", "float"},
                                                 {"float"}},
                                      in, std::size(values));
  for (size_t i = 0; i < std::size(values); ++i)
    EXPECT_EQ(out[i], expectedSaturated(&in[3 * i])) << i;
}

TEST(Permute, ConstantSelector) {
  for (uint32_t selector :
       {0x6420u, 0x7531u, 0x6240u, 0x7351u, 0x3210u, 0x7654u, 0x0000u, 0x5140u,
        0xBA98u, 0x8888u, 0x4140u, 0x12346420u})
    checkWords("prmt", {"i32", "i32", "i32 " + std::to_string(selector)},
               [&](const uint32_t *words) {
                 return expectedPermute(words[0], words[1], selector);
               });
}

TEST(Permute, SpecialModes) {
  checkWords("prmt.f4e", {"i32", "i32", "i32"}, [](const uint32_t *words) {
    uint64_t both = uint64_t(words[1]) << 32 | words[0];
    return static_cast<uint32_t>(both >> words[2] % 4 * 8);
  });
  checkWords("prmt.b4e", {"i32", "i32", "i32"}, [](const uint32_t *words) {
    std::vector<uint8_t> bytes = bytesOf(words[0], words[1]);
    std::vector<int> result;
    for (unsigned i = 0; i < 4; ++i)
      result.push_back(bytes[(words[2] % 4 + 8 - i) % 8]);
    return fromBytes(result);
  });
  auto fromA = [](auto index) {
    return [=](const uint32_t *words) {
      std::vector<int> result;
      for (unsigned i = 0; i < 4; ++i)
        result.push_back(words[0] >> 8 * index(i, words[1] % 4) & 255);
      return fromBytes(result);
    };
  };
  checkWords("prmt.rc8", {"i32", "i32"},
             fromA([](unsigned, unsigned c) { return c; }));
  checkWords("prmt.ecl", {"i32", "i32"},
             fromA([](unsigned i, unsigned c) { return std::max(i, c); }));
  checkWords("prmt.ecr", {"i32", "i32"},
             fromA([](unsigned i, unsigned c) { return std::min(i, c); }));
  checkWords("prmt.rc16", {"i32", "i32"},
             fromA([](unsigned i, unsigned c) { return c % 2 * 2 + i % 2; }));
}

/// Element `index` of a word as a number.
template <typename T>
int64_t element(uint32_t word, unsigned index) {
  T value;
  std::memcpy(&value, reinterpret_cast<char *>(&word) + index * sizeof(T),
              sizeof(T));
  return value;
}

template <typename A, typename B>
void checkDot4(const char *name) {
  checkWords(name, {"i32", "i32", "i32"}, [](const uint32_t *words) {
    int64_t sum = words[2];
    for (unsigned i = 0; i < 4; ++i)
      sum += element<A>(words[0], i) * element<B>(words[1], i);
    return static_cast<uint32_t>(sum);
  });
}

TEST(DotProduct, FourBytes) {
  checkDot4<int8_t, int8_t>("idp4a.s.s");
  checkDot4<int8_t, uint8_t>("idp4a.s.u");
  checkDot4<uint8_t, int8_t>("idp4a.u.s");
  checkDot4<uint8_t, uint8_t>("idp4a.u.u");
}

template <typename A, typename B>
void checkDot2(const char *name) {
  for (bool high : {false, true})
    checkWords(name, {"i32", "i32", high ? "i1 true" : "i1 false", "i32"},
               [&](const uint32_t *words) {
                 int64_t sum = words[2];
                 for (unsigned i = 0; i < 2; ++i)
                   sum += element<A>(words[0], i) *
                          element<B>(words[1], i + (high ? 2 : 0));
                 return static_cast<uint32_t>(sum);
               });
}

TEST(DotProduct, TwoHalvesAndBytes) {
  checkDot2<int16_t, int8_t>("idp2a.s.s");
  checkDot2<int16_t, uint8_t>("idp2a.s.u");
  checkDot2<uint16_t, int8_t>("idp2a.u.s");
  checkDot2<uint16_t, uint8_t>("idp2a.u.u");
}

TEST(Multiply, HighWords) {
  checkWords("mulhi.ui", {"i32", "i32"}, [](const uint32_t *words) {
    return static_cast<uint32_t>((unsigned __int128)(words[0]) * words[1] >>
                                 32);
  });
  checkWords("mulhi.i", {"i32", "i32"}, [](const uint32_t *words) {
    return static_cast<uint32_t>(
        (__int128)(int32_t(words[0])) * int32_t(words[1]) >> 32);
  });
}

TEST(InlineAssembly, SelectBits) {
  Simulation simulation(assemble(R"(
define ptx_kernel void @k(ptr addrspace(1) %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = mul i32 %t, 16843009
  %s = call i32 asm "lop3.b32 $0, $1, $2, $3, 0xca;", "=r,r,r,r"(i32 252645135, i32 %b, i32 -1431655766)
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %t
  store i32 %s, ptr addrspace(1) %p
  ret void
})"));
  void *out = simulation.allocate(128);
  Simulation::check(simulation.launch("k", {1, 1, 1}, {32, 1, 1}, 0, out));
  std::vector<uint32_t> words = simulation.download<uint32_t>(out, 32);
  for (uint32_t i = 0; i < 32; ++i)
    EXPECT_EQ(words[i], 0xA0A0A0A0 | (i & 0xF) * 0x01010101);
}

TEST(InlineAssembly, CopyOfRegister) {
  Simulation simulation(assemble(R"(
define ptx_kernel void @k(ptr addrspace(1) %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = call i32 asm sideeffect "mov.b32 $0, $1;", "=r,r"(i32 %t)
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %t
  store i32 %c, ptr addrspace(1) %p
  ret void
})"));
  void *out = simulation.allocate(128);
  Simulation::check(simulation.launch("k", {1, 1, 1}, {32, 1, 1}, 0, out));
  std::vector<uint32_t> words = simulation.download<uint32_t>(out, 32);
  for (uint32_t i = 0; i < 32; ++i)
    EXPECT_EQ(words[i], i);
}

TEST(InlineAssembly, StreamingStore) {
  Simulation simulation(assemble(R"(
define ptx_kernel void @k(ptr addrspace(1) %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = mul i32 %t, 2
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %i
  call void asm sideeffect "st.global.cs.v2.b32  [$0], {$1, $2};", "l,r,r"(ptr addrspace(1) %p, i32 %t, i32 7)
  call void asm sideeffect "", "~{memory}"()
  ret void
})"));
  void *out = simulation.allocate(256);
  Simulation::check(simulation.launch("k", {1, 1, 1}, {32, 1, 1}, 0, out));
  std::vector<uint32_t> words = simulation.download<uint32_t>(out, 64);
  for (unsigned i = 0; i < 64; ++i)
    EXPECT_EQ(words[i], i % 2 ? 7 : i / 2);
}

TEST(InlineAssembly, MaskAndFlip) {
  Simulation simulation(assemble(R"(
define ptx_kernel void @k(ptr addrspace(1) %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %t
  %x = mul i32 %t, 305419897
  %d = call i32 asm "lop3.b32 $0, $1, $2, $3, 0x6a;", "=r,r,r,r"(i32 %x, i32 252645135, i32 134744072)
  store i32 %d, ptr addrspace(1) %p
  ret void
})"));
  void *out = simulation.allocate(128);
  Simulation::check(simulation.launch("k", {1, 1, 1}, {32, 1, 1}, 0, out));
  std::vector<uint32_t> words = simulation.download<uint32_t>(out, 32);
  for (uint32_t i = 0; i < 32; ++i)
    EXPECT_EQ(words[i], (i * 305419897 & 0x0F0F0F0F) ^ 0x08080808);
}

} // namespace
