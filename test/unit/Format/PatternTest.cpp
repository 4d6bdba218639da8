//===- PatternTest.cpp - Unit tests of patterns ---------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Against masks of elements that are drawn by hand or by a plain formula.
//
//===----------------------------------------------------------------------===//

#include "magicube/Format/Pattern.h"

#include "TestUtil.h"
#include "magicube/Format/Packer.h"
#include "magicube/Format/SparseFiles.h"

#include "gtest/gtest.h"

#include <cmath>
#include <fstream>
#include <functional>

using namespace mlir::magicube;
using namespace mlir::magicube::test;

namespace {

/// Whether element (row, column) is kept.
using Keep = std::function<bool(int64_t, int64_t)>;

PatternSpec makeSpec(int64_t rows, int64_t cols, int64_t vector,
                     std::vector<PatternPart> parts) {
  PatternSpec spec;
  spec.rows = rows;
  spec.cols = cols;
  spec.vector = vector;
  spec.parts = std::move(parts);
  return spec;
}

/// The vectors of a pattern as lines of '#' and '.'.
std::string draw(const CsrMatrix &vectors) {
  std::string text;
  for (int64_t row = 0; row < vectors.rows; ++row) {
    std::string line(vectors.cols, '.');
    for (int64_t i = vectors.offset[row]; i < vectors.offset[row + 1]; ++i)
      line[vectors.col[i]] = '#';
    text += line + "\n";
  }
  return text;
}

/// What `keep` and the rule make of every vector, one element at a time.
std::string drawFormula(const PatternSpec &spec, const Keep &keep,
                        int64_t &elements) {
  std::string text;
  elements = 0;
  for (int64_t first = 0; first < spec.rows; first += spec.vector) {
    for (int64_t col = 0; col < spec.cols; ++col) {
      int64_t end = std::min(first + spec.vector, spec.rows), kept = 0;
      for (int64_t row = first; row < end; ++row)
        kept +=
            keep(row, col) && (!spec.isCausal || col <= row + spec.diagonal);
      elements += kept;
      bool isStored =
          spec.rule == VectorRule::Any ? kept > 0 : kept == end - first;
      text += isStored ? '#' : '.';
    }
    text += '\n';
  }
  return text;
}

/// The pattern of each shape, vector length, rule and diagonal, causal or not,
/// against the formula.
void expectFormula(const std::vector<PatternPart> &parts, const Keep &keep) {
  for (auto [rows, cols] : {std::pair<int64_t, int64_t>{1, 1},
                            {16, 16},
                            {32, 7},
                            {7, 40},
                            {48, 65}})
    for (int64_t vector : {1, 2, 4, 8, 16})
      for (VectorRule rule : {VectorRule::Any, VectorRule::All})
        for (int64_t diagonal : {0, 33, -5})
          for (bool isCausal : {false, true}) {
            PatternSpec spec = makeSpec(rows, cols, vector, parts);
            spec.rule = rule;
            spec.isCausal = isCausal;
            spec.diagonal = diagonal;
            spec.padRows = true;
            Result<Pattern> pattern = makePattern(spec);
            ASSERT_TRUE(bool(pattern)) << why(pattern);
            int64_t elements = 0;
            ASSERT_EQ(draw(pattern->vectors),
                      drawFormula(
                          spec,
                          [&](int64_t row, int64_t col) {
                            return keep(row, col - diagonal);
                          },
                          elements))
                << rows << "x" << cols << " V=" << vector << " diagonal "
                << diagonal;
            EXPECT_EQ(pattern->elements, elements);
          }
}

//===----------------------------------------------------------------------===//
// Named patterns; `keep` sees the column relative to diagonal + row 0.
//===----------------------------------------------------------------------===//

TEST(Pattern, CausalByHand) {
  PatternSpec spec = makeSpec(4, 5, 2, {DensePart()});
  spec.isCausal = true;
  EXPECT_EQ(draw(makePattern(spec)->vectors), "##...\n####.\n");
  EXPECT_EQ(makePattern(spec)->elements, 1 + 2 + 3 + 4);
  spec.rule = VectorRule::All;
  EXPECT_EQ(draw(makePattern(spec)->vectors), "#....\n###..\n");
  spec.diagonal = 1;
  EXPECT_EQ(draw(makePattern(spec)->vectors), "##...\n####.\n");
}

TEST(Pattern, Dense) {
  expectFormula({DensePart()}, [](int64_t, int64_t) { return true; });
}

TEST(Pattern, Window) {
  expectFormula({WindowPart{3, 1}}, [](int64_t row, int64_t col) {
    return col >= row - 3 && col <= row + 1;
  });
}

TEST(Pattern, Strided) {
  expectFormula({StridedPart{5}},
                [](int64_t row, int64_t col) { return (col - row) % 5 == 0; });
}

TEST(Pattern, GlobalAndLocal) {
  PatternSpec spec = makeSpec(6, 6, 1, {WindowPart{1, 1}, GlobalPart{1, 2}});
  EXPECT_EQ(draw(makePattern(spec)->vectors), "######\n"
                                              "###...\n"
                                              "####..\n"
                                              "#####.\n"
                                              "##.###\n"
                                              "##..##\n");
  EXPECT_EQ(makePattern(spec)->elements, 6 + 3 + 4 + 5 + 5 + 4);
}

TEST(Pattern, Fixed) {
  PatternSpec spec = makeSpec(4, 8, 4, {FixedPart{3}});
  EXPECT_EQ(draw(makePattern(spec)->vectors), "..#..#..\n");
}

/// Exact numbers of vectors, of what a causal pattern leaves; the same ones
/// for the same seed, other ones for another.
TEST(Pattern, Random) {
  for (double density : {0.0, 0.1, 0.5, 1.0})
    for (bool isCausal : {false, true}) {
      PatternSpec spec =
          makeSpec(64, 300, 8, {RandomPart{density, /*seed=*/1}});
      spec.isCausal = isCausal;
      spec.diagonal = 50;
      Result<Pattern> pattern = makePattern(spec);
      ASSERT_TRUE(bool(pattern)) << why(pattern);
      ASSERT_TRUE(bool(pattern->vectors.validate()));
      for (int64_t row = 0; row < 8; ++row) {
        int64_t limit = isCausal ? 8 * row + 7 + 50 + 1 : 300;
        EXPECT_EQ(pattern->vectors.offset[row + 1] -
                      pattern->vectors.offset[row],
                  std::llround(density * double(limit)));
      }
      EXPECT_EQ(draw(pattern->vectors), draw(makePattern(spec)->vectors));
      std::get<RandomPart>(spec.parts[0]).seed = 2;
      EXPECT_EQ(draw(pattern->vectors) == draw(makePattern(spec)->vectors),
                density == 0.0 || density == 1.0);
    }
}

/// Each column is drawn about as often as any other.
TEST(Pattern, RandomColumnsAreUniform) {
  PatternSpec spec = makeSpec(20000, 20, 1, {RandomPart{0.25, 3}});
  Result<Pattern> pattern = makePattern(spec);
  ASSERT_TRUE(bool(pattern));
  std::vector<int64_t> count(20);
  for (int32_t column : pattern->vectors.col)
    ++count[column];
  // The standard deviation is 61.
  for (int64_t of : count)
    EXPECT_NEAR(double(of), 5000, 300);
}

/// What is wide costs nothing before it is written down.
TEST(Pattern, TimeFollowsTheEntries) {
  constexpr int64_t wide = kMaxExtent;
  PatternSpec spec = makeSpec(16, wide, 1,
                              {WindowPart{2, 2}, StridedPart{wide / 4},
                               RandomPart{1e-8, 1}, GlobalPart{0, 3}});
  spec.diagonal = wide / 2;
  Result<Pattern> pattern = makePattern(spec);
  ASSERT_TRUE(bool(pattern)) << why(pattern);
  EXPECT_GE(pattern->vectors.entries(), 16 * (5 + 3 + 21 + 3));
  EXPECT_LT(pattern->vectors.entries(), 16 * 40);
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

NpyArray makeMask(const std::vector<std::string> &lines,
                  NpyType type = NpyType::Bool) {
  NpyArray array;
  array.type = type;
  array.shape = {int64_t(lines.size()), int64_t(lines[0].size())};
  int64_t bytes = npyTypeBytes(type);
  array.data.resize(array.elements() * bytes);
  for (size_t row = 0; row < lines.size(); ++row)
    for (size_t col = 0; col < lines[row].size(); ++col)
      // The high byte: an element that is not zero, whatever its low bits are.
      if (lines[row][col] == '#')
        array.data[(row * lines[row].size() + col + 1) * bytes - 1] = 0x80;
  return array;
}

TEST(Pattern, OfMasksOfEveryIntegerType) {
  std::vector<std::string> lines = {"#...#", ".....", "..#..", ".##.."};
  for (NpyType type :
       {NpyType::Bool, NpyType::I8, NpyType::U8, NpyType::I16, NpyType::U16,
        NpyType::I32, NpyType::U32, NpyType::I64, NpyType::U64}) {
    Result<MaskPart> mask = maskFromNpy(makeMask(lines, type), "m");
    ASSERT_TRUE(bool(mask)) << why(mask);
    PatternSpec spec = makeSpec(4, 5, 2, {*mask});
    EXPECT_EQ(draw(makePattern(spec)->vectors), "#...#\n.##..\n");
    EXPECT_EQ(makePattern(spec)->elements, 5);
    spec.rule = VectorRule::All;
    EXPECT_EQ(draw(makePattern(spec)->vectors), ".....\n..#..\n");
  }
}

TEST(Pattern, OfBlocks) {
  Result<MaskPart> mask = maskFromNpy(makeMask({"#.#", ".#."}), "m",
                                      /*blockRows=*/4, /*blockCols=*/3);
  ASSERT_TRUE(bool(mask));
  EXPECT_EQ(mask->rows(), 8);
  EXPECT_EQ(mask->cols(), 9);
  EXPECT_EQ(draw(makePattern(makeSpec(8, 9, 4, {*mask}))->vectors),
            "###...###\n...###...\n");
  // The last blocks are cut off; a vector has rows of two blocks.
  EXPECT_EQ(draw(makePattern(makeSpec(8, 7, 8, {*mask}))->vectors),
            "#######\n");
  PatternSpec cut = makeSpec(6, 8, 2, {*mask});
  EXPECT_EQ(draw(makePattern(cut)->vectors), "###...##\n###...##\n...###..\n");
  EXPECT_EQ(makePattern(cut)->elements, 4 * 5 + 2 * 3);
}

TEST(Pattern, OfFiles) {
  TemporaryFolder folder;
  CsrMatrix vectors;
  vectors.rows = 2;
  vectors.cols = 4;
  vectors.offset = {0, 2, 3};
  vectors.col = {0, 3, 1};
  std::string smtx = folder.path("p.smtx"), mtx = folder.path("p.mtx");
  ASSERT_TRUE(bool(writeSmtx(smtx, vectors)));
  ASSERT_TRUE(bool(writeMtxPattern(mtx, vectors, 4)));
  for (const std::string &path : {smtx, mtx}) {
    Result<MaskPart> mask = readMask(path, 4);
    ASSERT_TRUE(bool(mask)) << why(mask);
    Result<Pattern> pattern = makePattern(makeSpec(8, 4, 4, {*mask}));
    ASSERT_TRUE(bool(pattern)) << why(pattern);
    EXPECT_EQ(draw(pattern->vectors), "#..#\n.#..\n");
    EXPECT_EQ(pattern->elements, 12);
  }
  // The elements as packCoo sees them.
  Result<SRBCRSMatrix> packed =
      packCoo(*readMtx(mtx), ElementType::pattern(), SRBCRSEncoding{4, 8});
  ASSERT_TRUE(bool(packed)) << why(packed);
  EXPECT_EQ(packed->vectors, 3);
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

TEST(Pattern, SummaryIsThatOfThePackedMatrix) {
  for (double density : {0.0, 0.03, 0.6, 1.0})
    for (int64_t stride : kStrides)
      for (IndexWidth index : {IndexWidth::I32, IndexWidth::U16}) {
        SRBCRSEncoding encoding;
        encoding.vector = 4;
        encoding.stride = stride;
        encoding.index = index;
        PatternSpec spec = makeSpec(40, 100, 4, {RandomPart{density, 1}});
        spec.isCausal = true;
        spec.diagonal = -6;
        Result<Pattern> pattern = makePattern(spec);
        ASSERT_TRUE(bool(pattern));
        Result<PatternSummary> summary =
            summarizePattern(pattern->vectors, encoding);
        Result<SRBCRSMatrix> packed =
            packPattern(pattern->vectors, ElementType::pattern(), encoding, {});
        ASSERT_TRUE(summary && packed);
        PatternStatistics statistics = getPatternStatistics(*packed);
        EXPECT_EQ(summary->counts.vectors, statistics.vectors);
        EXPECT_EQ(summary->counts.longest, statistics.longest);
        EXPECT_EQ(summary->stored, packed->stored());
        EXPECT_EQ(summary->pointerBytes, int64_t(packed->pointers.size()) * 4);
        EXPECT_EQ(summary->indexBytes,
                  packed->stored() * packed->indices.containerBytes());
        EXPECT_EQ(summary->rows, packed->rows);
        EXPECT_DOUBLE_EQ(summary->density(), packed->vectors / 1000.0);
        // Diagonal -6: nothing is left for row 0 to 3.
        EXPECT_GE(summary->emptyVectorRows, density == 0.0 ? 10 : 1);
        EXPECT_LE(summary->shortest, summary->counts.longest);
      }
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

TEST(Pattern, ErrorsNameLimitAndValue) {
  auto fails = [](PatternSpec spec, const std::string &part) {
    expectError(makePattern(spec), part);
  };
  fails(makeSpec(12, 4, 8, {DensePart()}),
        "expected a multiple of the vector length 8 for the number of rows, "
        "but got 12");
  fails(makeSpec(8, 4, 3, {}), "expected vector length to be one of");
  fails(makeSpec(0, 4, 1, {}),
        "expected the number of rows in [1, 2147483647], but got 0");
  fails(makeSpec(8, 0, 8, {}),
        "expected the number of columns in [1, 2147483647], but got 0");
  fails(makeSpec(8, 4, 8, {WindowPart{-1, 0}}), "but got -1");
  fails(makeSpec(8, 4, 8, {WindowPart{0, -2}}), "but got -2");
  fails(makeSpec(8, 4, 8, {GlobalPart{-3, 0}}), "global rows in [0");
  fails(makeSpec(8, 4, 8, {GlobalPart{0, -3}}), "global columns in [0");
  fails(makeSpec(8, 4, 8, {StridedPart{0}}), "a step in [1");
  fails(makeSpec(8, 4, 8, {FixedPart{0}}), "a step in [1");
  fails(makeSpec(8, 4, 8, {RandomPart{1.5, 0}}),
        "expected a density from 0 to 1, but got 1.5");
  fails(makeSpec(8, 4, 8, {RandomPart{std::nan(""), 0}}),
        "expected a density from 0 to 1, but got nan");
  fails(makeSpec(kMaxExtent, 4, 1, {}),
        "expected at most 268435456 vector-rows, but got 2147483647");
  fails(makeSpec(8, kMaxExtent, 1, {DensePart()}),
        "expected at most 2147483647 stored vectors, but got 4294967294");
  Result<MaskPart> mask = maskFromNpy(makeMask({"##", "##"}), "m.npy");
  fails(makeSpec(2, 3, 2, {*mask}),
        "m.npy: expected a mask of 2x3 for a pattern of 2x3, but got 2x2");
  mask->blockRows = 4;
  fails(makeSpec(9, 2, 1, {*mask}),
        "m.npy: expected a mask of 3x2 blocks for a pattern of 9x2, but got "
        "2x2");
}

TEST(Pattern, ErrorsOfMasksNameTheFile) {
  NpyArray floats{NpyType::F32, {1, 1}, std::vector<uint8_t>(4)};
  expectError(maskFromNpy(floats, "f.npy"),
              "f.npy: expected a mask of booleans or integers, but got "
              "float32");
  NpyArray line{NpyType::I8, {3}, std::vector<uint8_t>(3)};
  expectError(maskFromNpy(line, "l.npy"),
              "l.npy: expected an array of rank 2, but got shape (3,)");
  NpyArray empty{NpyType::I8, {0, 3}, {}};
  expectError(maskFromNpy(empty, "e.npy"), "e.npy: expected a mask of at least "
                                           "one row and one column, but got "
                                           "shape (0, 3)");
  expectError(maskFromNpy(makeMask({"#"}), "m", 0, 3), "but got 0x3");
  expectError(maskFromNpy(makeMask({"##"}), "m", 1, kMaxExtent),
              "m: expected a mask of at most 2147483647 rows and columns, but "
              "got 1x2 blocks of 1x2147483647");
  expectError(readMask("mask.png", 8),
              "mask.png: expected a mask in a .npy, .mtx or .smtx file");
  expectError(readMask("/nowhere/mask.npy", 8), "/nowhere/mask.npy");
  TemporaryFolder folder;
  std::string huge = folder.path("huge.mtx");
  std::ofstream(huge) << "%%MatrixMarket matrix coordinate pattern general\n"
                         "268435456 4 1\n1 1\n";
  expectError(
      readMask(huge, 1),
      "huge.mtx: expected a mask of at most 1048576 rows for 1 entries, "
      "but got 268435456");
}

TEST(Pattern, SummaryNeedsNaturalOrderAndColumnsThatFit) {
  CsrMatrix vectors;
  vectors.rows = 1;
  vectors.cols = 70000;
  vectors.offset = {0, 0};
  SRBCRSEncoding encoding;
  EXPECT_TRUE(bool(summarizePattern(vectors, encoding)));
  encoding.index = IndexWidth::U16;
  expectError(summarizePattern(vectors, encoding),
              "expected at most 65535 columns with u16 indices, but got 70000");
  encoding.order = VectorOrder::BankAware;
  expectError(summarizePattern(vectors, encoding), "natural order");
}

} // namespace
