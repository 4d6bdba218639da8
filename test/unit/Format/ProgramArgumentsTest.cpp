//===- ProgramArgumentsTest.cpp - Values for a program's operands ---------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestUtil.h"

#include "magicube/Format/Packer.h"
#include "magicube/Format/ProgramArguments.h"
#include "magicube/Format/Reference.h"
#include "magicube/Format/SparseFiles.h"

using namespace mlir::magicube;
using namespace mlir::magicube::test;

namespace {

MatrixType sparseType(int64_t vector) {
  MatrixType type;
  type.encoding = SRBCRSEncoding();
  type.encoding->vector = vector;
  return type;
}

Result<std::vector<ProgramValue>>
make(const MatrixType &type, const std::string &text, uint64_t seed = 0) {
  return makeArguments("f", {type}, {text}, seed);
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

TEST(MatrixType, PrintsAsInIR) {
  MatrixType type;
  EXPECT_EQ(type.str(), "tensor<?x?xi8>");
  type.rows = 4;
  type.element = {16, /*isSigned=*/false};
  EXPECT_EQ(type.str(), "tensor<4x?xi16>");
  type.encoding =
      SRBCRSEncoding{2, 64, VectorOrder::BankAware, 128, IndexWidth::U16};
  EXPECT_EQ(type.str(),
            "tensor<4x?xi16, #magicube.sr_bcrs<vector = 2, stride = 64, order "
            "= bank_aware, slab = 128, index = u16>>");
}

TEST(MatrixType, FitsWhatItsStaticExtentsAllow) {
  MatrixType type;
  EXPECT_TRUE(type.fits(3, 5));
  type.cols = 5;
  EXPECT_TRUE(type.fits(3, 5));
  EXPECT_FALSE(type.fits(3, 4));
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

TEST(ProgramArguments, OneTextForEachType) {
  expectError(makeArguments("f", {MatrixType(), sparseType(8)}, {"random"}, 0),
              "'f' takes 2 arguments, but got 1");
}

TEST(ProgramArguments, RandomDense) {
  MatrixType type;
  auto values = make(type, "random:3x5", /*seed=*/7);
  ASSERT_TRUE(bool(values)) << why(values);
  const auto &matrix = std::get<DenseMatrix>(values->front());
  EXPECT_EQ(matrix.rows, 3);
  EXPECT_EQ(matrix.cols, 5);
  EXPECT_EQ(std::get<DenseMatrix>(make(type, "random:3x5", 7)->front()).data,
            matrix.data);
  EXPECT_NE(std::get<DenseMatrix>(make(type, "random:3x5", 8)->front()).data,
            matrix.data);
  type.rows = 3;
  type.cols = 5;
  EXPECT_EQ(std::get<DenseMatrix>(make(type, "random", 7)->front()).data,
            matrix.data);
  expectError(make(type, "random:3x4"),
              "argument #0 ('random:3x4'): expected a matrix for "
              "tensor<3x5xi8>, but got 3x4");
  for (const char *text :
       {"random:", "random:3", "random:3x", "random:3x5x", "random:x5",
        "random:3 x5", "random:99999999999999999999x1"})
    expectError(make(type, text), "expected random or random:RxC");
  MatrixType floats;
  floats.isFloat = true;
  for (const char *text : {"random:0x5", "random:-3x5", "random:65537x65536",
                           "random:4611686018427387904x4"})
    for (const MatrixType &any : {MatrixType(), floats})
      expectError(make(any, text), "expected a dense matrix of at ");
  expectError(make(type, "randomly"), "expected a .npy file or random[:RxC]");
}

TEST(ProgramArguments, VectorsAreRowsOrColumnsAsTheTypeSays) {
  TemporaryFolder folder;
  std::string path = folder.path("v.npy");
  ASSERT_TRUE(bool(writeNpy(path, {NpyType::I8, {3}, {1, 2, 3}})));
  MatrixType column, row;
  column.cols = row.rows = 1;
  for (int64_t extent : {kDynamic, int64_t(3)}) {
    column.rows = row.cols = extent;
    auto values = make(column, path);
    ASSERT_TRUE(bool(values)) << why(values);
    EXPECT_EQ(std::get<DenseMatrix>(values->front()).rows, 3);
    values = make(row, path);
    ASSERT_TRUE(bool(values)) << why(values);
    EXPECT_EQ(std::get<DenseMatrix>(values->front()).cols, 3);
  }
  column.rows = 4;
  expectError(make(column, path), "tensor<4x1xi8>, but got 3x1");
  expectError(make(MatrixType(), path),
              "expected an array of rank 2, but got shape (3,)");

  std::vector<uint8_t> zeros(24);
  ASSERT_TRUE(bool(writeNpy(path, {NpyType::F64, {3}, zeros})));
  row.isFloat = true;
  auto values = make(row, path);
  ASSERT_TRUE(bool(values)) << why(values);
  EXPECT_EQ(std::get<FloatMatrix>(values->front()).cols, 3);
}

TEST(ProgramArguments, RandomSparse) {
  auto values = make(sparseType(4), "random:12x40@0.25", /*seed=*/3);
  ASSERT_TRUE(bool(values)) << why(values);
  const auto &matrix = std::get<SRBCRSMatrix>(values->front());
  EXPECT_EQ(matrix.rows, 12);
  EXPECT_EQ(matrix.cols, 40);
  EXPECT_EQ(matrix.vectors, 3 * 10);
  EXPECT_TRUE(bool(matrix.validate()));
  EXPECT_EQ(std::get<SRBCRSMatrix>(
                make(sparseType(4), "random:12x40@0.25", 3)->front())
                .values,
            matrix.values);
  for (const char *text :
       {"random", "random:12x40", "random:12x40@", "random:12x40@1.5",
        "random:12x40@-0.1", "random:10x40@0.5", "random:12x0@0.5",
        "random:12x40@0.5x", "random:12x40@nan", "random:-4x40@0.5",
        "random:2147483644x2147483647@0"})
    expectError(make(sparseType(4), text), "expected random:MxK@D");
  expectError(make(sparseType(4), "random:2147483644x1@0.4"),
              "at most 1048576 groups of vectors for 0 entries, but got "
              "536870911 vector-rows");
}

TEST(ProgramArguments, SparseFiles) {
  TemporaryFolder folder;
  CsrMatrix pattern = randomPattern(3, 10, 0.5, /*seed=*/1);
  ASSERT_TRUE(bool(writeSmtx(folder.path("a.smtx"), pattern)));
  auto values = make(sparseType(2), folder.path("a.smtx"));
  ASSERT_TRUE(bool(values)) << why(values);
  EXPECT_EQ(std::get<SRBCRSMatrix>(values->front()).rows, 6);
  EXPECT_EQ(std::get<SRBCRSMatrix>(values->front()).vectors, 15);

  CooMatrix scalars;
  scalars.rows = scalars.cols = 4;
  scalars.append(1, 2, -3);
  ASSERT_TRUE(bool(writeMtx(folder.path("a.mtx"), scalars)));
  values = make(sparseType(2), folder.path("a.mtx"));
  ASSERT_TRUE(bool(values)) << why(values);
  EXPECT_EQ(unpackToDense(std::get<SRBCRSMatrix>(values->front()))->at(1, 2),
            -3);
  MatrixType wide = sparseType(2);
  wide.cols = 5;
  expectError(make(wide, folder.path("a.mtx")), "but got 4x4");
  expectError(make(sparseType(2), "a.npy"),
              "expected a .mtx or .smtx file or random:MxK@D");
}

TEST(ProgramArguments, ArgumentsOfOneRunDiffer) {
  MatrixType type;
  auto values =
      makeArguments("f", {type, type}, {"random:4x4", "random:4x4"}, 0);
  ASSERT_TRUE(bool(values));
  EXPECT_NE(std::get<DenseMatrix>((*values)[0]).data,
            std::get<DenseMatrix>((*values)[1]).data);
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// Large enough for several threads: the parts must join where they were cut.
TEST(EvaluateSpmm, EqualsThePlainReference) {
  for (const char *text :
       {"random:2048x96@0.5", "random:8x96@0", "random:64x96@1"}) {
    auto lhs = make(sparseType(8), text, /*seed=*/1);
    auto rhs = make(MatrixType(), "random:96x257", /*seed=*/2);
    ASSERT_TRUE(lhs && rhs);
    const auto &a = std::get<SRBCRSMatrix>(lhs->front());
    const auto &b = std::get<DenseMatrix>(rhs->front());
    MatrixType words;
    words.element.bits = 32;
    auto init = make(words, "random:" + std::to_string(a.rows) + "x257");
    ASSERT_TRUE(bool(init));
    const auto &c = std::get<DenseMatrix>(init->front());
    std::vector<int32_t> start(a.rows * 257);
    std::memcpy(start.data(), c.data.data(), c.data.size());
    for (bool hasInit : {false, true}) {
      Result<DenseMatrix> result = evaluateSpmm(a, b, hasInit ? &c : nullptr);
      ASSERT_TRUE(bool(result)) << why(result);
      auto expected = referenceSpmm(*unpackToCoo(a), b.view(),
                                    hasInit ? start : std::vector<int32_t>());
      ASSERT_TRUE(bool(expected));
      EXPECT_EQ(std::memcmp(result->data.data(), expected->data(),
                            result->data.size()),
                0);
    }
  }
}

TEST(CompareResult, DescribesTheFirstDifferences) {
  auto a = DenseMatrix::zeros(4, 4, {32, true});
  DenseMatrix b = *a;
  EXPECT_TRUE(bool(compareResult(0, *a, b)));
  b.set(1, 2, -7);
  Status status = compareResult(3, *a, b);
  ASSERT_FALSE(bool(status));
  EXPECT_EQ(status.error().message,
            "result #3: 1 of 16 elements differ from the reference\n  [1, 2]: "
            "expected 0, but got -7");
  for (int64_t i = 0; i < 16; ++i)
    b.set(i / 4, i % 4, 1);
  std::string message = compareResult(0, *a, b).error().message;
  EXPECT_EQ(std::count(message.begin(), message.end(), '\n'), 5);
  auto c = DenseMatrix::zeros(4, 5, {32, true});
  expectError(compareResult(0, *a, *c),
              "expected a matrix of 4x4, but got 4x5");
}

} // namespace
