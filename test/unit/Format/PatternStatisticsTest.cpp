//===- PatternStatisticsTest.cpp - Unit tests of matrix numbers -----------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts against matrices that were counted by hand, and against one another.
//
//===----------------------------------------------------------------------===//

#include "magicube/Format/PatternStatistics.h"

#include "TestUtil.h"
#include "magicube/Format/Packer.h"
#include "magicube/Format/ProgramArguments.h"
#include "magicube/Format/SparseFiles.h"

#include "gtest/gtest.h"

#include <cstdlib>
#include <fstream>

using namespace mlir::magicube;

namespace {

MatrixType makeType(int64_t vector, int64_t rows = kDynamic,
                    int64_t cols = kDynamic) {
  MatrixType type;
  type.encoding = SRBCRSEncoding();
  type.encoding->vector = vector;
  type.element = *ElementType::get(8, /*isSigned=*/true);
  type.rows = rows;
  type.cols = cols;
  return type;
}

/// Writes a file of this name for the test and gives its path.
std::string write(const std::string &name, const std::string &text) {
  std::string path = testing::TempDir() + name;
  std::ofstream(path) << text;
  return path;
}

void expectNumbers(const std::string &text, const MatrixType &type,
                   int64_t vectors, int64_t longest) {
  Result<PatternStatistics> statistics = readPatternStatistics(text, type);
  ASSERT_TRUE(statistics) << statistics.error().message;
  EXPECT_EQ(statistics->vectors, vectors) << text;
  EXPECT_EQ(statistics->longest, longest) << text;
}

TEST(PatternStatistics, EntriesOfAnSmtxFileAreVectors) {
  std::string path = write("pattern.smtx", "3, 5, 4\n0 3 3 4\n0 2 4 1\n");
  for (int64_t vector : {1, 2, 8, 16})
    expectNumbers(path, makeType(vector, 3 * vector, 5), 4, 3);
}

TEST(PatternStatistics, ElementsOfAnMtxFileMakeVectors) {
  // Column 1 of rows 1, 2 and 8; column 3 of row 2; column 2 of row 16.
  std::string path =
      write("pattern.mtx", "%%MatrixMarket matrix coordinate integer general\n"
                           "16 4 5\n1 1 5\n8 1 -5\n2 1 3\n2 3 1\n16 2 1\n");
  expectNumbers(path, makeType(1), 5, 2);
  expectNumbers(path, makeType(2), 4, 2);
  expectNumbers(path, makeType(8), 3, 2);
  expectNumbers(path, makeType(16), 3, 3);
}

/// Whatever a header promises, the work is that of the entries.
TEST(PatternStatistics, OfHugeHeaders) {
  const std::string banner = "%%MatrixMarket matrix coordinate real general\n";
  std::string path = write(
      "huge.mtx", banner + "2147483640 2147483647 4\n2147483640 2147483647 .5\n"
                           "2147483639 2147483647 1\n9 1 1\n2147483640 7 1\n");
  expectNumbers(path, makeType(1), 4, 2);
  expectNumbers(path, makeType(8), 3, 2);
  path = write("odd.mtx", banner + "2147483647 4 0\n");
  test::expectError(
      readPatternStatistics(path, makeType(8)),
      "to be a multiple of the vector length 8, but got 2147483647");
}

TEST(PatternStatistics, OfAnEmptyMatrix) {
  std::string path =
      write("empty.mtx", "%%MatrixMarket matrix coordinate integer general\n"
                         "16 4 0\n");
  expectNumbers(path, makeType(8), 0, 0);
  expectNumbers("random:0x4@1", makeType(8), 0, 0);
  expectNumbers("random:64x4@0", makeType(8), 0, 0);
}

/// The formula for a random matrix, the matrix itself, and either order.
TEST(PatternStatistics, AgreeWithThePackedMatrix) {
  for (double density : {0.0, 0.01, 0.37, 1.0})
    for (VectorOrder order : {VectorOrder::Natural, VectorOrder::BankAware}) {
      MatrixType type = makeType(4);
      type.encoding->order = order;
      std::string text = "random:32x100@" + std::to_string(density);
      Result<std::vector<ProgramValue>> packed =
          makeArguments("f", {type}, {text}, /*seed=*/1);
      ASSERT_TRUE(packed);
      PatternStatistics actual =
          getPatternStatistics(std::get<SRBCRSMatrix>(packed->front()));
      Result<PatternStatistics> formula = readPatternStatistics(text, type);
      ASSERT_TRUE(formula);
      EXPECT_EQ(actual.vectors, formula->vectors);
      if (order == VectorOrder::Natural)
        EXPECT_EQ(actual.longest, formula->longest);
      // With padding, but never more than there are columns.
      EXPECT_GE(actual.longest, formula->longest);
      EXPECT_LE(actual.longest, std::min<int64_t>(100, actual.vectors));
    }
}

TEST(PatternStatistics, ErrorsNameThePattern) {
  struct {
    const char *text;
    const char *message;
  } cases[] = {
      {"random:16x32@0.5",
       "pattern 'random:16x32@0.5': expected a matrix for "
       "tensor<16x64xi8, #magicube.sr_bcrs<vector = 8>>, but got 16x32"},
      {"random:12x64@0.5", "pattern 'random:12x64@0.5': expected a .mtx or "
                           ".smtx file or random:MxK@D with a multiple of 8 "
                           "for M and a density D from 0 to 1"},
      {"random:16x64@1.5", "pattern 'random:16x64@1.5': expected a .mtx"},
      {"", "pattern '': expected a .mtx"},
      {"/nowhere/x.smtx", "pattern '/nowhere/x.smtx': cannot read"},
      {"/nowhere/x.mtx", "pattern '/nowhere/x.mtx': cannot read"},
  };
  for (const auto &test : cases) {
    Result<PatternStatistics> statistics =
        readPatternStatistics(test.text, makeType(8, 16, 64));
    ASSERT_FALSE(statistics) << test.text;
    EXPECT_EQ(statistics.error().message.substr(0, strlen(test.message)),
              test.message);
    EXPECT_FALSE(statistics.error().note.empty() &&
                 std::string(test.text).find("random") == 0);
  }
}

} // namespace
