//===- SmtxFileTest.cpp - Pattern files -----------------------------------===//
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

static void expectSmtxError(const std::string &text, const std::string &part) {
  SCOPED_TRACE(text);
  expectError(parseSmtx(text, "p.smtx"), part);
}

TEST(SmtxFile, Reads) {
  for (const char *text :
       {"3, 5, 4\n0 2 2 4\n0 3 1 4\n", "3,5,4\r\n0 2 2 4 \r\n0 3 1 4\r\n\r\n",
        "3 , 5 , 4\n0 2 2 4\n0 3 1 4"}) {
    auto pattern = parseSmtx(text, "p.smtx");
    ASSERT_TRUE(bool(pattern)) << why(pattern);
    EXPECT_EQ(pattern->rows, 3);
    EXPECT_EQ(pattern->cols, 5);
    EXPECT_EQ(pattern->offset, (std::vector<int64_t>{0, 2, 2, 4}));
    EXPECT_EQ(pattern->col, (std::vector<int32_t>{0, 3, 1, 4}));
    EXPECT_TRUE(pattern->value.empty());
  }
}

TEST(SmtxFile, NoEntries) {
  for (const char *text :
       {"1, 5, 0\n0 0\n\n", "1, 5, 0\n0 0\n", "1, 5, 0\n0 0"})
    EXPECT_TRUE(bool(parseSmtx(text, "p.smtx")));
}

TEST(SmtxFile, Sizes) {
  expectSmtxError("", "p.smtx:1: expected the number of rows, but got end of "
                      "file");
  expectSmtxError("3 5 4\n", "p.smtx:1: expected ',', but got '5'");
  expectSmtxError("3, 5\n", "expected ',', but got end of line");
  expectSmtxError("3, 5, 4, 1\n",
                  "expected the end of the line after 3 sizes, but got ','");
  expectSmtxError("0, 5, 0\n0\n",
                  "the number of rows in [1, 2147483647], but got 0");
  expectSmtxError("-3, 5, 0\n", "but got -3");
  expectSmtxError("3, 0, 0\n", "the number of columns in [1");
  expectSmtxError("3, 5, -1\n", "the number of entries in [0");
  expectSmtxError("3, 5, 16\n0 5 10 16\n",
                  "expected at most 15 entries in 3 x 5, but got 16");
  expectSmtxError("three, 5, 1\n", "but got 'three,'");
}

TEST(SmtxFile, HugeHeadersDoNotAllocate) {
  expectSmtxError("1000000000000000000, 5, 4\n0 4\n",
                  "in [1, 2147483647], but got 1000000000000000000");
  expectSmtxError("2000000000, 2000000000, 1000000000000000000\n0 1\n",
                  "p.smtx:2: the header promises 2000000001 row offsets, but "
                  "the 4 bytes after it hold at most 2");
  expectSmtxError("1, 2000000000, 2000000000\n0 2000000000\n0 1\n",
                  "p.smtx:3: the header promises 2000000000 columns, but the "
                  "4 bytes after it hold at most 2");
  expectSmtxError("1, 99999999999999999999999, 4\n", "which exceeds 64 bits");
}

TEST(SmtxFile, Offsets) {
  expectSmtxError("3, 5, 2\n0 1 2\n0 1 2 3 4 5 6\n",
                  "p.smtx:2: expected 4 row offsets, but got 3");
  expectSmtxError("3, 5, 2\n1 1 2 2\n0 1\n",
                  "expected the first row offset to be 0, but got 1");
  expectSmtxError("3, 5, 2\n0 2 1 2\n0 1\n",
                  "p.smtx:2: expected the offset of row 2 in [2, 2], but got "
                  "1");
  expectSmtxError("3, 5, 2\n0 1 3 3\n0 1\n",
                  "the offset of row 2 in [1, 2], but got 3");
  expectSmtxError("3, 5, 2\n0 -1 2 2\n0 1\n", "but got -1");
  expectSmtxError("3, 5, 2\n0 1 1 1\n0\n",
                  "the last row offset to be the 2 entries of line 1, but got "
                  "1");
  expectSmtxError("3, 5, 2\n0 1 2 2 2\n0 1\n",
                  "p.smtx:2: expected the end of the line after 4 row offsets, "
                  "but got '2'");
  expectSmtxError("3, 5, 2\n0 1 x 2\n0 1\n",
                  "expected a row offset, but got 'x'");
}

TEST(SmtxFile, Columns) {
  expectSmtxError("2, 5, 3\n0 2 3\n0 1 5\n",
                  "p.smtx:3: row 1: expected a column in [0, 5), but got 5");
  expectSmtxError("2, 5, 3\n0 2 3\n0 -1 4\n", "in [0, 5), but got -1");
  expectSmtxError("2, 5, 3\n0 2 3\n1 1 4\n",
                  "p.smtx:3: row 0: column 1 occurs twice");
  expectSmtxError("2, 5, 4\n0 1 4\n1 3 0 3\n",
                  "p.smtx:3: row 1: column 3 occurs twice");
  expectSmtxError("2, 5, 3\n0 2 3\n0 1  \n\n\n\n",
                  "p.smtx:3: expected 3 columns, but got 2");
  expectSmtxError("2, 5, 3\n0 2 3\n", "the header promises 3 columns");
  expectSmtxError("2, 5, 3\n0 2 3\n0 1 4 4\n",
                  "the end of the line after 3 columns, but got '4'");
  expectSmtxError("2, 5, 3\n0 2 3\n0 1 4\n7\n",
                  "p.smtx:4: expected the end of the file, but got '7'");
  expectSmtxError("2, 5, 3\n0 2 3\n0 1.5 4\n", "a column, but got '1.5'");
  expectSmtxError("2, 5, 3\n0 2 3\n0,1 4\n", "a column, but got ',1'");
}

TEST(SmtxFile, ColumnsOfARowInAnyOrder) {
  auto pattern = parseSmtx("\xEF\xBB\xBF"
                           "3, 5, 6\n0 3 3 6\n4 0 2 1 3 2\n",
                           "p.smtx");
  ASSERT_TRUE(bool(pattern)) << why(pattern);
  EXPECT_EQ(pattern->offset, (std::vector<int64_t>{0, 3, 3, 6}));
  EXPECT_EQ(pattern->col, (std::vector<int32_t>{0, 2, 4, 1, 2, 3}));
}

TEST(SmtxFile, FileRoundTrip) {
  TemporaryFolder folder;
  CsrMatrix pattern = randomPattern(30, 40, 0.2, 4);
  std::string path = folder.path("p.smtx");
  ASSERT_TRUE(bool(writeSmtx(path, pattern)));
  auto back = readSmtx(path);
  ASSERT_TRUE(bool(back)) << why(back);
  EXPECT_EQ(back->offset, pattern.offset);
  EXPECT_EQ(back->col, pattern.col);
  expectError(readSmtx(folder.path("none.smtx")), "none.smtx': No such file");
}
