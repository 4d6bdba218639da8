//===- EpilogueTest.cpp - The reference of epilogues ----------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "magicube/Format/EvaluateEpilogue.h"
#include "magicube/Format/Packer.h"
#include "gtest/gtest.h"

#include <cmath>
#include <limits>

using namespace mlir::magicube;

namespace {

/// A 2 x 1 sparse matrix of `values`, as one vector.
SRBCRSMatrix makeLhs(std::vector<int32_t> values, ElementType type) {
  CooMatrix matrix;
  matrix.rows = static_cast<int64_t>(values.size());
  matrix.cols = 1;
  for (int32_t row = 0; row < matrix.rows; ++row) {
    matrix.row.push_back(row);
    matrix.col.push_back(0);
  }
  matrix.value = std::move(values);
  SRBCRSEncoding encoding;
  encoding.vector = 2;
  return *packCoo(matrix, type, encoding);
}

DenseMatrix makeRow(const std::vector<int64_t> &values, ElementType type) {
  auto cols = static_cast<int64_t>(values.size());
  DenseMatrix matrix = *DenseMatrix::zeros(1, cols, type);
  for (int64_t col = 0; col < cols; ++col)
    matrix.set(0, col, values[col]);
  return matrix;
}

FloatMatrix makeFloats(int64_t rows, int64_t cols, std::vector<float> data) {
  return {rows, cols, FloatFormat::F32, std::move(data)};
}

constexpr ElementType i8 = {8, true}, i16 = {16, true}, i32 = {32, true};

/// Elements of a result of integers, row by row.
std::vector<int64_t> integers(const Result<ProgramValue> &result) {
  std::vector<int64_t> values;
  if (!result)
    return values;
  const auto &matrix = std::get<DenseMatrix>(*result);
  for (int64_t row = 0; row < matrix.rows; ++row)
    for (int64_t col = 0; col < matrix.cols; ++col)
      values.push_back(matrix.at(row, col));
  return values;
}

TEST(Epilogue, RoundsHalvesToEvenAndSaturates) {
  SRBCRSMatrix lhs = makeLhs({1, -1}, i8);
  DenseMatrix rhs = makeRow({1, 3, 5, 17, 127}, i8);
  FloatMatrix half = makeFloats(1, 1, {0.5f});
  ReferenceEpilogue epilogue;
  epilogue.operands = {{EpilogueRole::Scale, &half}};
  epilogue.element = ElementType{4, true};
  EXPECT_EQ(integers(evaluateProduct(lhs, rhs, nullptr, epilogue)),
            (std::vector<int64_t>{0, 2, 2, 7, 7, 0, -2, -2, -8, -8}));
  epilogue.element = ElementType{4, false};
  EXPECT_EQ(integers(evaluateProduct(lhs, rhs, nullptr, epilogue)),
            (std::vector<int64_t>{0, 2, 2, 8, 15, 0, 0, 0, 0, 0}));
  half.data = {std::numeric_limits<float>::quiet_NaN()};
  EXPECT_EQ(integers(evaluateProduct(lhs, rhs, nullptr, epilogue)),
            std::vector<int64_t>(10, 0));
}

TEST(Epilogue, OperandsByRowAndColumnInOrder) {
  SRBCRSMatrix lhs = makeLhs({1, 2}, i8);
  DenseMatrix rhs = makeRow({10, 20}, i8);
  DenseMatrix sumBias = makeRow({1, -1}, i32);
  FloatMatrix scale = makeFloats(2, 1, {2, -1}),
              bias = makeFloats(1, 2, {3, 4});
  ReferenceEpilogue epilogue;
  epilogue.operands = {{EpilogueRole::SumBias, &sumBias},
                       {EpilogueRole::Scale, &scale},
                       {EpilogueRole::Bias, &bias}};
  epilogue.activation = Activation::Relu;
  epilogue.element = FloatFormat::F32;
  Result<ProgramValue> result = evaluateProduct(lhs, rhs, nullptr, epilogue);
  ASSERT_TRUE(bool(result));
  EXPECT_EQ(std::get<FloatMatrix>(*result).data,
            (std::vector<float>{11 * 2 + 3, 19 * 2 + 4, 0, 0}));
}

TEST(Epilogue, SumBiasWraps) {
  SRBCRSMatrix lhs = makeLhs({1, 0}, i8);
  DenseMatrix rhs = makeRow({1}, i8);
  DenseMatrix sumBias = makeRow({i32.max()}, i32);
  ReferenceEpilogue epilogue;
  epilogue.operands = {{EpilogueRole::SumBias, &sumBias}};
  EXPECT_EQ(integers(evaluateProduct(lhs, rhs, nullptr, epilogue)),
            (std::vector<int64_t>{i32.min(), i32.max()}));
}

TEST(Epilogue, FloatSumsDoNotWrap) {
  // -300 = -2 * 256 + 212, 30000 = 117 * 256 + 48.
  Result<FloatMatrix> sums =
      evaluateFloatSums(makeLhs({-300, 32767}, i16), makeRow({30000}, i16));
  ASSERT_TRUE(bool(sums));
  EXPECT_EQ(sums->data, (std::vector<float>{-9000000.0f, 983010000.0f}));
}

TEST(Epilogue, Gelu) {
  for (float x : {-4.0f, -1.0f, -0.25f, 0.0f, 0.5f, 3.0f, 20.0f}) {
    double want = 0.5 * x * std::erfc(-double(x) / std::sqrt(2.0));
    EXPECT_NEAR(referenceGelu(x), want, 3e-7 * std::abs(want)) << x;
  }
  EXPECT_EQ(referenceGelu(-10.0f), 0.0f);
  float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(referenceGelu(infinity), infinity);
  EXPECT_EQ(referenceGelu(-infinity), 0.0f);
}

TEST(Epilogue, Silu) {
  for (float x : {-80.0f, -4.0f, -0.25f, 0.0f, 0.5f, 3.0f, 100.0f}) {
    double want = x / (1 + std::exp(-double(x)));
    EXPECT_NEAR(referenceSilu(x), want, 3e-7 * std::abs(want)) << x;
  }
  EXPECT_EQ(referenceSilu(-88.0f), 0.0f);
  float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(referenceSilu(infinity), infinity);
  EXPECT_EQ(referenceSilu(-infinity), 0.0f);
}

} // namespace
