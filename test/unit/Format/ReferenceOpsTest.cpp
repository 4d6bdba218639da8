//===- ReferenceOpsTest.cpp - Unit tests of the reference's table ---------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands come from files, and so may be those of no operation.
//
//===----------------------------------------------------------------------===//

#include "magicube/Format/ReferenceOps.h"

#include "TestUtil.h"
#include "magicube/Format/Packer.h"

#include "gtest/gtest.h"

using namespace mlir::magicube;
using namespace mlir::magicube::test;

namespace {

ProgramValue makeDense(int64_t rows, int64_t cols, int bits = 8) {
  return *DenseMatrix::random(rows, cols, {bits, /*isSigned=*/true}, 1);
}

ProgramValue makeSparse(int64_t rows, int64_t cols) {
  SRBCRSEncoding encoding;
  return *packPattern(
      randomPattern(rows / encoding.vector, cols, 0.5, 2), ElementType(),
      encoding, [](int64_t vector, int64_t v) { return vector % 100 + v; });
}

std::string evaluationError(const ReferenceOperands &operands) {
  Result<std::vector<ProgramValue>> results =
      findReferenceOp("spmm")->evaluate(operands);
  return results ? "" : results.error().message;
}

TEST(ReferenceOps, FindsByName) {
  EXPECT_EQ(findReferenceOp("spmm")->operation, "spmm");
  EXPECT_EQ(findReferenceOp("magicube.spmm"), nullptr);
  EXPECT_EQ(findReferenceOp(""), nullptr);
}

class SpmmReferenceTest : public testing::Test {
protected:
  ProgramValue lhs = makeSparse(16, 24), rhs = makeDense(24, 5),
               init = makeDense(16, 5, 32);
  ReferenceOperands operands{{{"lhs", &lhs}, {"rhs", &rhs}, {"init", &init}},
                             {}};
};

TEST_F(SpmmReferenceTest, EvaluatesAndProjects) {
  auto results = findReferenceOp("spmm")->evaluate(operands);
  ASSERT_TRUE(bool(results)) << results.error().message;
  ASSERT_EQ(results->size(), 1u);
  Result<DenseMatrix> expected =
      evaluateSpmm(std::get<SRBCRSMatrix>(lhs), std::get<DenseMatrix>(rhs),
                   &std::get<DenseMatrix>(init));
  EXPECT_TRUE(bool(compareValues(0, *expected, results->front())));
  auto project = findReferenceOp("spmm")->compareProjections;
  EXPECT_TRUE(bool(project(operands, results->front(), 3)));
  auto &sums = std::get<DenseMatrix>(results->front());
  sums.set(3, 4, sums.at(3, 4) ^ 1);
  EXPECT_FALSE(bool(project(operands, results->front(), 3)));
  EXPECT_FALSE(bool(project(operands, makeDense(16, 6, 32), 3)));
}

TEST_F(SpmmReferenceTest, OperandsOfNoProduct) {
  const char *none = "the operands are not those of a product";
  ProgramValue other = makeDense(23, 5), wide = makeDense(16, 6, 32);
  for (auto [name, value] : {std::pair{"lhs", &rhs},
                             {"rhs", &lhs},
                             {"rhs", &other},
                             {"init", &lhs},
                             {"init", &wide}}) {
    ReferenceOperands wrong = operands;
    wrong.values[name] = value;
    EXPECT_EQ(evaluationError(wrong), none) << name;
  }
  operands.values.erase("lhs");
  EXPECT_EQ(evaluationError(operands), none);
}

TEST_F(SpmmReferenceTest, EpiloguesThatDoNotFit) {
  FloatMatrix row = FloatMatrix::random(1, 5, 4);
  operands.epilogue.operands = {{EpilogueRole::Scale, &row}};
  operands.epilogue.element = FloatFormat::F32;
  operands.values.erase("init");
  EXPECT_EQ(evaluationError(operands), "");
  FloatMatrix longer = FloatMatrix::random(1, 6, 4);
  operands.epilogue.operands.push_back({EpilogueRole::Scale, &longer});
  EXPECT_EQ(evaluationError(operands),
            "expected operand 'scale_1' to have one number per row or per "
            "column of the result");
}

TEST(ReferenceOps, ComparesResultsOfOneKind) {
  ProgramValue dense = makeDense(2, 2), floats = FloatMatrix::random(2, 2, 1);
  EXPECT_TRUE(bool(compareResults({dense, floats}, {dense, floats})));
  EXPECT_EQ(compareResults({dense}, {dense, dense}).error().message,
            "expected 1 results, but got 2");
  EXPECT_EQ(compareResults({dense, dense}, {dense, floats}).error().message,
            "result #1 is a matrix of another kind than the reference");
}

} // namespace
