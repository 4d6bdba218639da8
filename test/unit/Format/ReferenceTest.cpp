//===- ReferenceTest.cpp - The reference product --------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Against a triple loop over 64-bit integers, with wrapping, all operand types
// and initial values.
//
//===----------------------------------------------------------------------===//

#include "TestUtil.h"

#include "magicube/Format/Reference.h"

using namespace mlir::magicube;
using namespace mlir::magicube::test;

static std::vector<int32_t> tripleLoop(const CooMatrix &a, const DenseMatrix &b,
                                       const std::vector<int32_t> &init) {
  ScalarMap entries = toMap(a);
  std::vector<int32_t> c(a.rows * b.cols);
  for (int64_t i = 0; i < a.rows; ++i)
    for (int64_t j = 0; j < b.cols; ++j) {
      int64_t sum = init.empty() ? 0 : init[i * b.cols + j];
      for (int64_t k = 0; k < a.cols; ++k)
        if (auto found = entries.find({i, k}); found != entries.end())
          sum += found->second * b.at(k, j);
      c[i * b.cols + j] = static_cast<int32_t>(static_cast<uint32_t>(sum));
    }
  return c;
}

TEST(Reference, EveryPairOfTypes) {
  for (int left : {4, 8, 12, 16})
    for (int right : {4, 8, 12, 16, 32})
      for (bool leftSigned : {false, true})
        for (bool rightSigned : {false, true}) {
          ElementType leftType{left, leftSigned};
          CooMatrix a = randomCoo(6, 9, 0.4, leftType, 1, 2, left + right);
          auto b = DenseMatrix::random(9, 5, {right, rightSigned}, 17);
          ASSERT_TRUE(bool(b));
          std::vector<int32_t> init(30, 2147483000);
          for (const auto &start : {std::vector<int32_t>(), init}) {
            std::vector<int32_t> expected = tripleLoop(a, *b, start);
            auto fromCoo = referenceSpmm(a, b->view(), start);
            auto fromCsr = referenceSpmm(toCsr(a), b->view(), start);
            ASSERT_TRUE(fromCoo && fromCsr);
            EXPECT_EQ(*fromCoo, expected);
            EXPECT_EQ(*fromCsr, expected);
          }
        }
}

TEST(Reference, Wraps) {
  CooMatrix a{1, 3, {0, 0, 0}, {0, 1, 2}, {-32768, -32768, -32768}};
  DenseMatrix b{3, 1, {16, true}, std::vector<uint8_t>(6)};
  for (int64_t k = 0; k < 3; ++k)
    b.set(k, 0, -32768);
  auto c = referenceSpmm(a, b.view());
  ASSERT_TRUE(bool(c));
  EXPECT_EQ((*c)[0], -1073741824); // 3 * 2^30 modulo 2^32
}

TEST(Reference, Errors) {
  CooMatrix a{1, 3, {0}, {2}, {1}};
  auto b = DenseMatrix::zeros(4, 2, {8, true});
  ASSERT_TRUE(bool(b));
  expectError(referenceSpmm(a, b->view()),
              "as many dense rows as the 3 sparse columns, but got 4");
  a.cols = 4;
  expectError(referenceSpmm(a, b->view(), {1}),
              "expected 2 initial values, but got 1");
  a.col[0] = 4;
  expectError(referenceSpmm(a, b->view()), "a column in [0, 4), but got 4");
}
