//===- DigitPlanesTest.cpp - Tests of the digit decomposition -------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The identity for every value of every width, and its use in products.
//
//===----------------------------------------------------------------------===//

#include "magicube/Layout/DigitPlanes.h"
#include "gtest/gtest.h"

#include <random>

using namespace mlir::magicube;

namespace {

/// Sum of digit << shift, modulo 2^32.
int32_t recombine(int32_t value, const std::vector<DigitPlane> &planes) {
  uint32_t sum = 0;
  for (const DigitPlane &plane : planes)
    sum += uint32_t(digitOf(value, plane)) << plane.shift;
  return int32_t(sum);
}

TEST(DigitPlanes, Tables) {
  using Planes = std::vector<DigitPlane>;
  EXPECT_EQ(digitPlanes(4, true, 8), (Planes{{0, 4, true}}));
  EXPECT_EQ(digitPlanes(8, true, 8), (Planes{{0, 8, true}}));
  EXPECT_EQ(digitPlanes(8, false, 8), (Planes{{0, 8, false}}));
  EXPECT_EQ(digitPlanes(12, true, 8), (Planes{{0, 8, false}, {8, 4, true}}));
  EXPECT_EQ(digitPlanes(16, true, 8), (Planes{{0, 8, false}, {8, 8, true}}));
  EXPECT_EQ(digitPlanes(12, true, 4),
            (Planes{{0, 4, false}, {4, 4, false}, {8, 4, true}}));
  EXPECT_EQ(
      digitPlanes(16, false, 4),
      (Planes{{0, 4, false}, {4, 4, false}, {8, 4, false}, {12, 4, false}}));
}

TEST(DigitPlanes, EveryValueIsTheSumOfItsDigits) {
  for (int32_t bits : {4, 8, 12, 16}) {
    for (bool isSigned : {false, true}) {
      for (int32_t radixBits : {4, 8}) {
        std::vector<DigitPlane> planes = digitPlanes(bits, isSigned, radixBits);
        int32_t low = isSigned ? -(1 << (bits - 1)) : 0;
        int32_t high = low + (1 << bits);
        for (int32_t value = low; value < high; ++value) {
          ASSERT_EQ(recombine(value, planes), value)
              << bits << " " << radixBits;
          for (const DigitPlane &plane : planes) {
            int32_t digit = digitOf(value, plane);
            int32_t least = plane.isSigned ? -(1 << (plane.bits - 1)) : 0;
            ASSERT_GE(digit, least);
            ASSERT_LT(digit, least + (1 << plane.bits));
          }
        }
      }
    }
  }
}

/// The container's upper bits do not matter to a plane.
TEST(DigitPlanes, BitsAboveThePlaneAreIgnored) {
  for (const DigitPlane &plane : digitPlanes(12, true, 8))
    for (int32_t value = -2048; value < 2048; ++value)
      ASSERT_EQ(digitOf(value & 0xFFF, plane), digitOf(value, plane));
}

TEST(DigitPlanes, FullWidth) {
  for (int32_t radixBits : {1, 4, 8, 32})
    for (int32_t value : {0, 1, -1, INT32_MIN, INT32_MAX, 0x12345678})
      EXPECT_EQ(recombine(value, digitPlanes(32, true, radixBits)), value);
}

/// Products of digits recombine to the product modulo 2^32: the arithmetic
/// contract of wide operands.
TEST(DigitPlanes, ProductsRecombine) {
  std::mt19937 rng(1);
  for (int32_t lhsBits : {4, 8, 12, 16}) {
    for (int32_t rhsBits : {4, 8, 16}) {
      std::vector<DigitPlane> lhs = digitPlanes(lhsBits, true, 8);
      std::vector<DigitPlane> rhs = digitPlanes(rhsBits, true, 8);
      for (int round = 0; round < 500; ++round) {
        int32_t a = int32_t(rng()) >> (32 - lhsBits);
        int32_t b = int32_t(rng()) >> (32 - rhsBits);
        uint32_t sum = 0;
        for (const DigitPlane &p : lhs)
          for (const DigitPlane &q : rhs)
            sum += uint32_t(digitOf(a, p) * digitOf(b, q))
                   << (p.shift + q.shift);
        ASSERT_EQ(int32_t(sum), a * b);
      }
    }
  }
}

} // namespace
