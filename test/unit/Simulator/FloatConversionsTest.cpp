//===- FloatConversionsTest.cpp - Rounding to 16-bit floats ---------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Against the definition of round to nearest even, in binary64.
//
//===----------------------------------------------------------------------===//

#include "KernelHarness.h"

#include <cmath>
#include <limits>

using namespace mlir::magicube;
using namespace mlir::magicube::test;

namespace {

constexpr unsigned threads = 512;

/// A format of a sign, `exponentBits` and `fractionBits`.
struct Format {
  const char *type;
  int exponentBits;
  int fractionBits;

  int bias() const { return (1 << (exponentBits - 1)) - 1; }
  double decode(uint32_t bits) const {
    double sign = bits >> 15 & 1 ? -1 : 1;
    int exponent = int(bits >> fractionBits) & ((1 << exponentBits) - 1);
    double fraction = bits & ((1 << fractionBits) - 1);
    if (exponent == (1 << exponentBits) - 1)
      return sign * std::numeric_limits<double>::infinity();
    if (exponent != 0)
      fraction += 1 << fractionBits;
    return sign *
           std::ldexp(fraction, std::max(exponent, 1) - bias() - fractionBits);
  }
  /// The nearest multiple of the unit in the last place, even if there are two.
  double round(double value) const {
    if (value == 0 || std::isinf(value))
      return value;
    int exponent = std::max(std::ilogb(value), 1 - bias());
    int unit = exponent - fractionBits;
    double rounded = std::ldexp(std::nearbyint(std::ldexp(value, -unit)), unit);
    if (std::abs(rounded) < std::ldexp(1, bias() + 1))
      return rounded;
    return std::copysign(std::numeric_limits<double>::infinity(), value);
  }
};

constexpr Format half{"half", 5, 10};
constexpr Format bfloat{"bfloat", 8, 7};

float asFloat(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

/// What a kernel makes of floats; `body` rounds %x to the half or bfloat %y.
std::vector<uint32_t> convert(const Format &format,
                              const std::vector<uint32_t> &in,
                              const std::string &body) {
  std::string text = CallKernel{"round", {"float"}, {"i32"}}.text() +
                     "define i32 @round(float %x) {\n" + body +
                     "%b = bitcast " + format.type +
                     " %y to i16\n%w = zext i16 %b to i32\nret i32 %w\n}\n";
  return Simulation(assemble(text))
      .call(in, 1, static_cast<unsigned>(in.size()));
}

std::string truncate(const Format &format) {
  return std::string("%y = fptrunc float %x to ") + format.type + "\n";
}

/// Random floats of the range where `format` has subnormals, numbers and
/// infinities; half of them with few bits set, for ties.
std::vector<uint32_t> interestingFloats(const Format &format) {
  std::vector<uint32_t> words = randomWords(threads, 3);
  int lowest = std::max(0, 127 - format.bias() - format.fractionBits - 2);
  int highest = std::min(254, 127 + format.bias() + 2);
  for (size_t i = 0; i < words.size(); ++i) {
    uint32_t exponent =
        lowest + (words[i] >> 23 & 0xFF) % uint32_t(highest - lowest + 1);
    // One subnormal result in four.
    if (i % 4 == 0)
      exponent = lowest + exponent % uint32_t(format.fractionBits + 2);
    words[i] = (words[i] & 0x807FFFFF) | exponent << 23;
    if (i % 2)
      words[i] &= ~uint32_t(0) << (23 - format.fractionBits - 1);
  }
  return words;
}

void checkRounding(const Format &format, const std::string &body) {
  std::vector<uint32_t> in = interestingFloats(format);
  std::vector<uint32_t> out = convert(format, in, body);
  for (size_t i = 0; i < in.size(); ++i) {
    double want = format.round(asFloat(in[i])), got = format.decode(out[i]);
    ASSERT_EQ(want, got) << asFloat(in[i]);
    ASSERT_EQ(std::signbit(want), std::signbit(got)) << asFloat(in[i]);
  }
}

TEST(FloatConversions, RoundToNearestEven) {
  for (const Format &format : {half, bfloat})
    checkRounding(format, truncate(format));
}

TEST(FloatConversions, FromDouble) {
  for (const Format &format : {half, bfloat})
    checkRounding(format, std::string("%d = fpext float %x to double\n"
                                      "%y = fptrunc double %d to ") +
                              format.type + "\n");
}

TEST(FloatConversions, Vectors) {
  for (const Format &format : {half, bfloat}) {
    std::string type = format.type;
    checkRounding(
        format,
        "%v = insertelement <2 x float> zeroinitializer, float %x, i32 1\n"
        "%t = fptrunc <2 x float> %v to <2 x " +
            type +
            ">\n"
            "%y = extractelement <2 x " +
            type + "> %t, i32 1\n");
  }
}

TEST(FloatConversions, KnownBits) {
  struct Case {
    uint32_t in, half, bfloat;
  } cases[] = {
      {0x00000000, 0x0000, 0x0000},
      {0x80000000, 0x8000, 0x8000}, // -0
      {0x3F800000, 0x3C00, 0x3F80}, // 1
      {0x477FEFFF, 0x7BFF, 0x4780}, // the last that is no infinity in half
      {0x477FF000, 0x7C00, 0x4780}, // 65520, a tie
      {0x7F7F7FFF, 0x7C00, 0x7F7F}, // the last that is none in bfloat
      {0x7F7F8000, 0x7C00, 0x7F80}, // a tie
      {0xFF800000, 0xFC00, 0xFF80}, // -infinity
      {0x33000000, 0x0000, 0x3300}, // 2^-25, a tie with 0
      {0x33000001, 0x0001, 0x3300},
      {0xB3C00000, 0x8002, 0xB3C0}, // -1.5 * 2^-24, a tie
      {0x00008000, 0x0000, 0x0000}, // 2^-134, a tie with 0
      {0x00008001, 0x0000, 0x0001},
      {0x007FFFFF, 0x0000, 0x0080}, // to the least normal number
      {0x7F800001, 0x7FFF, 0x7FFF}, // NaN
      {0xFFC00000, 0x7FFF, 0x7FFF}, // -NaN
  };
  std::vector<uint32_t> in;
  for (const Case &test : cases)
    in.push_back(test.in);
  std::vector<uint32_t> halves = convert(half, in, truncate(half));
  std::vector<uint32_t> bfloats = convert(bfloat, in, truncate(bfloat));
  for (size_t i = 0; i < in.size(); ++i) {
    EXPECT_EQ(halves[i], cases[i].half) << std::hex << in[i];
    EXPECT_EQ(bfloats[i], cases[i].bfloat) << std::hex << in[i];
  }
}

} // namespace
