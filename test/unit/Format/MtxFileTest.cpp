//===- MtxFileTest.cpp - MatrixMarket files -------------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is read, and every refusal with its line.
//
//===----------------------------------------------------------------------===//

#include "TestUtil.h"

#include "magicube/Format/FileIO.h"
#include "magicube/Format/SparseFiles.h"

using namespace mlir::magicube;
using namespace mlir::magicube::test;

static const std::string kBanner =
    "%%MatrixMarket matrix coordinate integer general\n";

static void expectMtxError(const std::string &text, const std::string &part) {
  SCOPED_TRACE(text);
  expectError(parseMtx(text, "a.mtx"), part);
}

TEST(MtxFile, ReadsEntriesCommentsAndBlanks) {
  auto matrix = parseMtx(kBanner + "% comment\n\n%\n 3 4  2 \n1 1 5\n% more\n"
                                   "\n3\t4 -7\n\n",
                         "a.mtx");
  ASSERT_TRUE(bool(matrix)) << why(matrix);
  EXPECT_EQ(matrix->rows, 3);
  EXPECT_EQ(matrix->cols, 4);
  EXPECT_EQ(toMap(*matrix), (ScalarMap{{{0, 0}, 5}, {{2, 3}, -7}}));
}

TEST(MtxFile, LastNewlineIsOptionalAndCrlfReads) {
  for (const char *text : {"1 2 1\n1 2 3", "1 2 1\r\n1 2 3\r\n"}) {
    auto matrix = parseMtx(kBanner + text, "a.mtx");
    ASSERT_TRUE(bool(matrix)) << why(matrix);
    EXPECT_EQ(toMap(*matrix), (ScalarMap{{{0, 1}, 3}}));
  }
  auto matrix = parseMtx("%%MatrixMarket matrix coordinate integer "
                         "general\r\n% c\r\n1 1 1\r\n1 1 3\r\n",
                         "a.mtx");
  ASSERT_TRUE(bool(matrix)) << why(matrix);
}

TEST(MtxFile, BannerIgnoresCase) {
  auto matrix = parseMtx(
      "%%matrixmarket MATRIX Coordinate Integer GENERAL\n1 1 0\n", "a.mtx");
  ASSERT_TRUE(bool(matrix)) << why(matrix);
  EXPECT_EQ(matrix->entries(), 0);
}

TEST(MtxFile, SymmetricAndPattern) {
  auto matrix = parseMtx("%%MatrixMarket matrix coordinate integer symmetric\n"
                         "3 3 2\n2 2 4\n3 1 -1\n",
                         "a.mtx");
  ASSERT_TRUE(bool(matrix)) << why(matrix);
  EXPECT_EQ(toMap(*matrix),
            (ScalarMap{{{1, 1}, 4}, {{2, 0}, -1}, {{0, 2}, -1}}));
  matrix = parseMtx("%%MatrixMarket matrix coordinate pattern general\n"
                    "2 3 2\n1 3\n2 1\n",
                    "a.mtx");
  ASSERT_TRUE(bool(matrix)) << why(matrix);
  EXPECT_EQ(toMap(*matrix), (ScalarMap{{{0, 2}, 1}, {{1, 0}, 1}}));
}

TEST(MtxFile, Banner) {
  expectMtxError("", "a.mtx:1: expected '%%MatrixMarket', but got end of file");
  expectMtxError("3 3 0\n", "expected '%%MatrixMarket', but got '3'");
  expectMtxError("%%MatrixMarket matrix array integer general\n",
                 "a.mtx:1: expected format 'coordinate', but got 'array'");
  expectMtxError(" %%MatrixMarket matrix coordinate integer general\n",
                 "a.mtx:1: expected the file to start with '%%MatrixMarket', "
                 "but got blanks before it");
  expectMtxError("  \n", "expected '%%MatrixMarket', but got end of line");
  for (const char *field : {"complex", "float", "int"})
    expectMtxError(std::string("%%MatrixMarket matrix coordinate ") + field +
                       " general\n",
                   std::string("expected field 'integer', 'real' or "
                               "'pattern', but got '") +
                       field + "'");
  expectMtxError("%%MatrixMarket matrix coordinate integer hermitian\n",
                 "expected symmetry 'general', 'symmetric' or "
                 "'skew-symmetric', but got 'hermitian'");
  expectMtxError("%%MatrixMarket matrix coordinate pattern skew-symmetric\n",
                 "a skew-symmetric pattern has no values to negate");
  expectMtxError("%%MatrixMarket matrix coordinate\n",
                 "expected field 'integer', 'real' or 'pattern', but got end "
                 "of line");
  expectMtxError("%%MatrixMarket matrix coordinate integer general x\n",
                 "expected the end of the banner, but got 'x'");
  EXPECT_EQ(parseMtx("%%MatrixMarket matrix array integer general\n", "a")
                .error()
                .note,
            "dense matrices are read from .npy files");
}

TEST(MtxFile, Sizes) {
  expectMtxError(kBanner, "a.mtx:2: expected the number of rows, but got end "
                          "of file");
  expectMtxError(kBanner + "3 4\n", "a.mtx:2: expected the number of entries, "
                                    "but got end of line");
  expectMtxError(kBanner + "3 x 1\n", "the number of columns, but got 'x'");
  expectMtxError(kBanner + "0 4 0\n",
                 "the number of rows in [1, 2147483647], but got 0");
  expectMtxError(kBanner + "2147483648 4 0\n", "but got 2147483648");
  expectMtxError(kBanner + "3 4 -1\n", "but got -1");
  expectMtxError(kBanner + "3 4 1 1\n",
                 "expected the end of the size line, but got '1'");
  expectMtxError(kBanner + "3 4 1000000000000000000\n1 1 1\n",
                 "the header promises 1000000000000000000 entries, but the");
  expectMtxError(kBanner + "3 4 99999999999999999999\n",
                 "but got '99999999999999999999', which exceeds 64 bits");
  expectMtxError("%%MatrixMarket matrix coordinate integer symmetric\n3 4 0\n",
                 "expected a square symmetric matrix, but got 3 x 4");
}

TEST(MtxFile, HeaderAndContentDisagree) {
  expectMtxError(kBanner + "3 4 2\n1 1 5\n% a comment\n",
                 "a.mtx:5: expected 2 entries as the header promises, but got "
                 "1");
  expectMtxError(kBanner + "3 4 1\n1 1 5\n2 2 5\n",
                 "a.mtx:4: expected the end of the file after 1 entries, but "
                 "got '2'");
}

TEST(MtxFile, Entries) {
  expectMtxError(kBanner + "3 4 1\n4 1 5\n",
                 "a.mtx:3: expected a row in [1, 3], but got 4");
  expectMtxError(kBanner + "3 4 1\n0 1 5\n", "a row in [1, 3], but got 0");
  expectMtxError(kBanner + "3 4 1\n1 5 5\n", "a column in [1, 4], but got 5");
  expectMtxError(kBanner + "3 4 1\n1 -1 5\n", "a column in [1, 4], but got -1");
  expectMtxError(kBanner + "3 4 1\n1 1.5 5\n",
                 "a.mtx:3: expected a column, but got '1.5'");
  expectMtxError(kBanner + "3 4 1\n1 1 1.0\n",
                 "expected an integer value, but got '1.0'");
  expectMtxError(kBanner + "3 4 1\n1 1 1e3\n", "but got '1e3'");
  expectMtxError(kBanner + "3 4 1\n1 1 0x10\n", "but got '0x10'");
  expectMtxError(kBanner + "3 4 1\n1 1\n   \n",
                 "a.mtx:3: expected an integer value, but got end of line");
  expectMtxError(kBanner + "3 4 1\n1 1 2147483648\n",
                 "a value of at most 32 bits, but got 2147483648");
  expectMtxError(kBanner + "3 4 1\n1 1 99999999999999999999999\n",
                 "which exceeds 64 bits");
  expectMtxError(kBanner + "3 4 1\n1 1 1 1\n",
                 "expected the end of the entry, but got '1'");
  expectMtxError(kBanner + "3 4 1\n1 1 \x01\xff\n", "but got '?\?'");
}

static const std::string kRealBanner =
    "%%MatrixMarket matrix coordinate real general\n";

TEST(MtxFile, RealFilesOfIntegers) {
  auto matrix = parseMtx(kRealBanner + "4 4 8\n1 1 5\n1 2 -1.0\n1 3 +2.50e1\n"
                                       "1 4 1e3\n2 1 -0.0\n2 2 .4e1\n"
                                       "2 3 -2147483648.\n2 4 20e-1\r\n",
                         "a.mtx");
  ASSERT_TRUE(bool(matrix)) << why(matrix);
  EXPECT_EQ(matrix->value,
            (std::vector<int32_t>{5, -1, 25, 1000, 0, 4, -2147483647 - 1, 2}));
  for (const char *synonym : {"double", "unsigned-integer", "Double"})
    EXPECT_TRUE(
        bool(parseMtx("%%MatrixMarket matrix coordinate " +
                          std::string(synonym) + " general\n1 1 1\n1 1 7\n",
                      "a.mtx")));
}

TEST(MtxFile, RealFilesOfOtherNumbers) {
  for (const char *value : {"1.5", "nan", "inf", "-1e-300", "1e-999", "1e999",
                            "0x10", "+-1", "1.0f", "one", "1d0"})
    expectMtxError(
        kRealBanner + "3 4 1\n1 1 " + value + "\n",
        std::string("a.mtx:3: expected an integer value, but got '") + value +
            "'");
  for (const char *value :
       {"1e10", "-1.5e300", "2147483648.0", "99999999999999999999"})
    expectMtxError(kRealBanner + "3 4 1\n1 1 " + value + "\n",
                   std::string("a value of at most 32 bits, but got '") +
                       value + "'");
  expectMtxError(kRealBanner + "3 4 1\n1 1\n", "but got end of line");
  EXPECT_EQ(parseMtx(kRealBanner + "3 4 1\n1 1 0.5\n", "a").error().note,
            "quantize the values to integers before writing the file");
}

TEST(MtxFile, IgnoredValuesAreAnyNumbers) {
  auto matrix = parseMtx(kRealBanner + "3 4 4\n1 1 0.5\n1 2 1e30\n2 1 0\n2 2 "
                                       "99999999999\n",
                         "a.mtx", EntryValues::Ignored);
  ASSERT_TRUE(bool(matrix)) << why(matrix);
  EXPECT_EQ(matrix->value, (std::vector<int32_t>{1, 1, 1, 1}));
  expectError(
      parseMtx(kRealBanner + "3 4 1\n1 1 x\n", "a.mtx", EntryValues::Ignored),
      "a.mtx:3: expected a number, but got 'x'");
  expectError(
      parseMtx(kRealBanner + "3 4 1\n1 1\n", "a.mtx", EntryValues::Ignored),
      "a.mtx:3: expected a number, but got end of line");
}

TEST(MtxFile, FloatsAreTheirBits) {
  Result<CooMatrix> matrix =
      parseMtx(kRealBanner + "3 4 3\n1 1 0.5\n2 3 -inf\n3 4 -0\n", "a.mtx",
               EntryValues::Floats);
  ASSERT_TRUE(bool(matrix)) << matrix.error().message;
  EXPECT_EQ(matrix->value,
            (std::vector<int32_t>{0x3F000000, int32_t(0xFF800000), 0}));

  // The mirror image of a skew-symmetric entry has the other sign.
  matrix = parseMtx("%%MatrixMarket matrix coordinate real skew-symmetric\n"
                    "2 2 1\n2 1 1.5\n",
                    "a.mtx", EntryValues::Floats);
  ASSERT_TRUE(bool(matrix)) << matrix.error().message;
  EXPECT_EQ(matrix->value,
            (std::vector<int32_t>{0x3FC00000, int32_t(0xBFC00000)}));

  Result<CooMatrix> wide = parseMtx(kRealBanner + "3 4 1\n1 1 1e39\n", "a.mtx",
                                    EntryValues::Floats);
  ASSERT_FALSE(bool(wide));
  EXPECT_EQ(wide.error().message,
            "a.mtx:3: expected a value that float32 holds, but got '1e39'");
}

TEST(MtxFile, EitherTriangleOfSymmetricMatrices) {
  auto matrix = parseMtx("%%MatrixMarket matrix coordinate integer symmetric\n"
                         "3 3 2\n1 2 4\n3 1 -1\n",
                         "a.mtx");
  ASSERT_TRUE(bool(matrix)) << why(matrix);
  EXPECT_EQ(toMap(*matrix),
            (ScalarMap{{{0, 1}, 4}, {{1, 0}, 4}, {{2, 0}, -1}, {{0, 2}, -1}}));
  const std::string both =
      "%%MatrixMarket matrix coordinate integer symmetric\n"
      "3 3 3\n1 1 4\n1 2 4\n2 1 4\n";
  expectMtxError(both, "a.mtx:5: duplicate entry at row 2, column 1");
  EXPECT_EQ(parseMtx(both, "a").error().note,
            "in a symmetric matrix an entry stands for its mirror image too; "
            "if both are there, declare it general");
}

TEST(MtxFile, SkewSymmetric) {
  const std::string banner =
      "%%MatrixMarket matrix coordinate integer skew-symmetric\n";
  auto matrix = parseMtx(banner + "3 3 3\n2 1 4\n1 3 -1\n2 2 0\n", "a.mtx");
  ASSERT_TRUE(bool(matrix)) << why(matrix);
  EXPECT_EQ(
      toMap(*matrix),
      (ScalarMap{
          {{1, 0}, 4}, {{0, 1}, -4}, {{0, 2}, -1}, {{2, 0}, 1}, {{1, 1}, 0}}));
  expectMtxError(banner + "3 3 1\n2 2 5\n",
                 "a.mtx:3: expected zeros on the diagonal of a skew-symmetric "
                 "matrix, but got 5");
  expectMtxError(banner + "3 3 1\n2 1 -2147483648\n",
                 "a.mtx:3: expected a value whose negation has at most 32 "
                 "bits, but got -2147483648");
  expectMtxError(banner + "3 4 0\n",
                 "expected a square skew-symmetric matrix, but got 3 x 4");
  expectMtxError(banner + "3 3 2\n2 1 4\n1 2 -4\n",
                 "a.mtx:4: duplicate entry at row 1, column 2");
}

TEST(MtxFile, ByteOrderMark) {
  auto matrix =
      parseMtx("\xEF\xBB\xBF" + kBanner + "1 2 1\r\n1 2 3\r\n", "a.mtx");
  ASSERT_TRUE(bool(matrix)) << why(matrix);
  expectMtxError("\xEF\xBB\xBF", "a.mtx:1: expected '%%MatrixMarket', but got "
                                 "end of file");
  expectMtxError("\xEF\xBB", "but got '?\?'");
}

TEST(MtxFile, DuplicatesNameTheSecondLine) {
  expectMtxError(kBanner + "3 4 4\n1 2 5\n3 1 1\n%\n1 2 5\n3 1 2\n",
                 "a.mtx:6: duplicate entry at row 1, column 2");
  expectMtxError("%%MatrixMarket matrix coordinate integer symmetric\n3 3 3\n"
                 "2 1 4\n3 3 1\n2 1 4\n",
                 "a.mtx:5: duplicate entry at row 2, column 1");
}

TEST(MtxFile, LeadingZerosAndSigns) {
  auto matrix = parseMtx(kBanner + "3 4 2\n0000000000000000000000001 +1 -5\n"
                                   "2 2 -2147483648\n",
                         "a.mtx");
  ASSERT_TRUE(bool(matrix)) << why(matrix);
  EXPECT_EQ(toMap(*matrix), (ScalarMap{{{0, 0}, -5}, {{1, 1}, -2147483648LL}}));
  expectMtxError(kBanner + "3 4 1\n1 1 -\n", "but got '-'");
  expectMtxError(kBanner + "3 4 1\n1 1 +-1\n", "but got '+-1'");
}

TEST(MtxFile, FileRoundTrip) {
  TemporaryFolder folder;
  CooMatrix coo = randomCoo(30, 40, 0.2, {8, true}, 1, -1, 4);
  std::string path = folder.path("a.mtx");
  ASSERT_TRUE(bool(writeMtx(path, coo)));
  auto back = readMtx(path);
  ASSERT_TRUE(bool(back)) << why(back);
  EXPECT_EQ(back->row, coo.row);
  EXPECT_EQ(back->col, coo.col);
  EXPECT_EQ(back->value, coo.value);
  expectError(readMtx(folder.path("none.mtx")), "none.mtx': No such file");
}
