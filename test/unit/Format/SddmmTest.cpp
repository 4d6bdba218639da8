//===- SddmmTest.cpp - Unit tests of the sampled product ------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Against sums in 64 bits and, with epilogues, against the dense product of the
// same operands.
//
//===----------------------------------------------------------------------===//

#include "magicube/Format/EvaluateSddmm.h"

#include "TestUtil.h"
#include "magicube/Format/Packer.h"

#include "gtest/gtest.h"

using namespace mlir::magicube;
using namespace mlir::magicube::test;

namespace {

ElementType makeType(int bits, bool isSigned) {
  return *ElementType::get(bits, isSigned);
}

DenseMatrix randomMatrix(int64_t rows, int64_t cols, ElementType type,
                         uint64_t seed) {
  return *DenseMatrix::random(rows, cols, type, seed);
}

/// A pattern of rows of every kind: empty, full, one vector, some.
SRBCRSMatrix makePattern(int64_t vectorRows, int64_t cols,
                         const SRBCRSEncoding &encoding) {
  CsrMatrix vectors = randomPattern(0, cols, 0, 0);
  vectors.rows = vectorRows;
  for (int64_t row = 0; row < vectorRows; ++row) {
    for (int64_t col = 0; col < cols; ++col)
      if (row % 4 == 1 || (row % 4 == 2 && col == cols - 1) ||
          (row % 4 == 3 && splitMix64(row, col) % 3 == 0))
        vectors.col.push_back(static_cast<int32_t>(col));
    vectors.offset.push_back(vectors.entries());
  }
  return *packPattern(vectors, ElementType::pattern(), encoding, {});
}

/// Calls visit(offset, row, column) for the elements of all positions, with
/// column -1 for padding.
template <typename Visitor>
void forEachElement(const SRBCRSMatrix &matrix, Visitor visit) {
  int64_t v = matrix.encoding.vector, slabs = matrix.slabs();
  StorageLayout layout = *matrix.layout();
  std::vector<int64_t> rowOf(matrix.stored());
  for (int64_t group = 0; group < matrix.vectorRows() * slabs; ++group)
    for (int64_t p = matrix.pointers[2 * group]; p < matrix.stored(); ++p)
      rowOf[p] = group / slabs;
  for (int64_t p = 0; p < matrix.stored(); ++p)
    for (int64_t i = 0; i < v; ++i)
      visit(layout.valueOffset(p, i), rowOf[p] * v + i, matrix.indices[p]);
}

const ReferenceEpilogue sums;

/// The sums of `pattern`, element by element.
void expectSums(const DenseMatrix &a, const DenseMatrix &b,
                const SRBCRSMatrix &pattern) {
  Result<SparseValue> result = evaluateSddmm(a, b, pattern, sums);
  ASSERT_TRUE(bool(result)) << why(result);
  const auto &c = std::get<SRBCRSMatrix>(*result);
  ASSERT_TRUE(bool(c.validate())) << why(c.validate());
  EXPECT_EQ(c.type, makeType(32, true));
  EXPECT_EQ(c.pointers, pattern.pointers);
  EXPECT_EQ(c.vectors, pattern.vectors);
  int64_t elements = 0;
  forEachElement(c, [&](int64_t offset, int64_t row, int64_t col) {
    ASSERT_EQ(
        col,
        pattern.indices[offset / (32 * c.encoding.vector) * 32 + offset % 32]);
    int64_t sum = 0;
    for (int64_t k = 0; col >= 0 && k < a.cols; ++k)
      sum += a.at(row, k) * b.at(col, k);
    EXPECT_EQ(c.type.load(c.values.data(), offset), int32_t(sum))
        << row << ", " << col;
    elements += col >= 0;
  });
  EXPECT_EQ(elements, c.vectors * c.encoding.vector);
}

TEST(Sddmm, ByHand) {
  // Rows 0 and 1 at columns 2 and 0.
  CsrMatrix vectors;
  vectors.rows = 1;
  vectors.cols = 3;
  vectors.offset = {0, 2};
  vectors.col = {0, 2};
  SRBCRSEncoding encoding{2, 8};
  SRBCRSMatrix pattern =
      *packPattern(vectors, ElementType::pattern(), encoding, {});
  DenseMatrix a = *DenseMatrix::zeros(2, 2, makeType(8, true));
  DenseMatrix b = *DenseMatrix::zeros(3, 2, makeType(8, true));
  int64_t av[] = {1, 2, -3, 4}, bv[] = {5, 6, 100, 100, -7, 8};
  for (int64_t i = 0; i < 4; ++i)
    a.set(i / 2, i % 2, av[i]);
  for (int64_t i = 0; i < 6; ++i)
    b.set(i / 2, i % 2, bv[i]);
  Result<SparseValue> result = evaluateSddmm(a, b, pattern, sums);
  ASSERT_TRUE(bool(result)) << why(result);
  const auto &c = std::get<SRBCRSMatrix>(*result);
  int32_t expected[16] = {5 + 12, -7 + 16, 0, 0, 0, 0, 0, 0, -15 + 24, 21 + 32};
  ASSERT_EQ(c.values.size(), sizeof(expected));
  EXPECT_EQ(memcmp(c.values.data(), expected, sizeof(expected)), 0);
}

TEST(Sddmm, AllPairsOfWidthsAndVectorLengths) {
  for (int lhsBits : {4, 8, 16})
    for (int rhsBits : {4, 8, 16})
      for (int signs = 0; signs < 4; ++signs)
        for (int64_t v : kVectorLengths) {
          SCOPED_TRACE(std::to_string(lhsBits) + "-" + std::to_string(rhsBits) +
                       " signs " + std::to_string(signs) + " V " +
                       std::to_string(v));
          int64_t k = lhsBits == rhsBits ? 33 : 7;
          expectSums(randomMatrix(6 * v, k, makeType(lhsBits, signs & 1), 1),
                     randomMatrix(41, k, makeType(rhsBits, signs & 2), 2),
                     makePattern(6, 41, SRBCRSEncoding{v}));
        }
}

TEST(Sddmm, InnerExtents) {
  for (int64_t k : {1, 7, 33, 64, 512})
    expectSums(randomMatrix(32, k, makeType(8, true), 1),
               randomMatrix(20, k, makeType(8, true), 2),
               makePattern(4, 20, SRBCRSEncoding{8}));
}

TEST(Sddmm, SumsWrap) {
  DenseMatrix a = *DenseMatrix::zeros(16, 5, makeType(16, false));
  DenseMatrix b = *DenseMatrix::zeros(9, 5, makeType(16, false));
  for (DenseMatrix *matrix : {&a, &b})
    std::fill(matrix->data.begin(), matrix->data.end(), uint8_t(0xFF));
  expectSums(a, b, makePattern(2, 9, SRBCRSEncoding{8}));
}

/// The nibble after an odd row is nobody's.
TEST(Sddmm, TailNibblesAreIgnored) {
  DenseMatrix a = randomMatrix(8, 7, makeType(4, true), 1);
  DenseMatrix b = randomMatrix(5, 7, makeType(4, false), 2);
  for (DenseMatrix *matrix : {&a, &b})
    for (int64_t row = 0; row < matrix->rows; ++row)
      matrix->data[(row + 1) * matrix->rowBytes() - 1] |= 0x70;
  expectSums(a, b, makePattern(2, 5, SRBCRSEncoding{4}));
}

TEST(Sddmm, AnyOrderSlabsAndIndices) {
  for (IndexWidth index : {IndexWidth::I32, IndexWidth::U16})
    for (int64_t slab : {0, 16}) {
      SRBCRSEncoding encoding{4};
      encoding.slab = slab;
      encoding.index = index;
      SRBCRSMatrix pattern = makePattern(6, 41, encoding);
      ASSERT_TRUE(bool(shuffleVectors(pattern, 7)));
      expectSums(randomMatrix(24, 9, makeType(8, true), 1),
                 randomMatrix(41, 9, makeType(8, true), 2), pattern);
    }
}

/// A pattern may be that of a matrix with values, which do not matter.
TEST(Sddmm, ValuesOfThePatternAreNotRead) {
  CsrMatrix vectors = randomPattern(3, 30, 0.3, 1);
  SRBCRSMatrix pattern =
      *packPattern(vectors, makeType(12, true), SRBCRSEncoding{2},
                   [](int64_t, int64_t) { return -5; });
  expectSums(randomMatrix(6, 9, makeType(8, true), 1),
             randomMatrix(30, 9, makeType(8, true), 2), pattern);
}

TEST(Sddmm, NoEntries) {
  CsrMatrix vectors = randomPattern(3, 30, 0, 1);
  SRBCRSMatrix pattern =
      *packPattern(vectors, ElementType::pattern(), SRBCRSEncoding{8}, {});
  expectSums(randomMatrix(24, 9, makeType(8, true), 1),
             randomMatrix(30, 9, makeType(8, true), 2), pattern);
}

//===----------------------------------------------------------------------===//
// Epilogues
//===----------------------------------------------------------------------===//

/// Elements of the dense product with the same epilogue.
void expectAsDense(const DenseMatrix &a, const DenseMatrix &b,
                   const SRBCRSMatrix &pattern,
                   const ReferenceEpilogue &epilogue) {
  DenseMatrix transposed = *DenseMatrix::zeros(b.cols, b.rows, b.type);
  for (int64_t row = 0; row < b.rows; ++row)
    for (int64_t col = 0; col < b.cols; ++col)
      transposed.set(col, row, b.at(row, col));
  Result<ProgramValue> dense =
      evaluateProduct(*packDense(a.view(), SRBCRSEncoding{1}), transposed,
                      /*init=*/nullptr, epilogue);
  Result<SparseValue> sparse = evaluateSddmm(a, b, pattern, epilogue);
  ASSERT_TRUE(bool(dense)) << why(dense);
  ASSERT_TRUE(bool(sparse)) << why(sparse);
  if (const auto *floats = std::get_if<SparseFloatMatrix>(&*sparse)) {
    ASSERT_TRUE(bool(floats->pattern.validate()));
    EXPECT_TRUE(floats->pattern.type.isPattern());
    const auto &expected = std::get<FloatMatrix>(*dense);
    EXPECT_EQ(floats->format, expected.format);
    forEachElement(floats->pattern, [&](int64_t offset, int64_t row,
                                        int64_t col) {
      EXPECT_EQ(floats->values[offset], col < 0 ? 0 : expected.at(row, col));
    });
    return;
  }
  const auto &integers = std::get<SRBCRSMatrix>(*sparse);
  ASSERT_TRUE(bool(integers.validate())) << why(integers.validate());
  const auto &expected = std::get<DenseMatrix>(*dense);
  EXPECT_EQ(integers.type, expected.type);
  forEachElement(integers, [&](int64_t offset, int64_t row, int64_t col) {
    EXPECT_EQ(integers.type.load(integers.values.data(), offset),
              col < 0 ? 0 : expected.at(row, col));
  });
}

TEST(Sddmm, Epilogues) {
  int64_t m = 16, n = 21;
  DenseMatrix a = randomMatrix(m, 19, makeType(16, true), 1);
  DenseMatrix b = randomMatrix(n, 19, makeType(16, false), 2);
  SRBCRSMatrix pattern = makePattern(4, n, SRBCRSEncoding{4});
  DenseMatrix sumBias = randomMatrix(1, n, makeType(32, true), 3);
  FloatMatrix number{1, 1, FloatFormat::F32, {1e-8f}};
  FloatMatrix row = FloatMatrix::random(m, 1, 4);
  FloatMatrix column = FloatMatrix::random(1, n, 5);
  using Operands = std::vector<EpilogueOperand<ReferenceOperand>>;
  const Operands lists[] = {
      {},
      {{EpilogueRole::SumBias, &sumBias}},
      {{EpilogueRole::Scale, &number}, {EpilogueRole::Scale, &row}},
      {{EpilogueRole::SumBias, &sumBias},
       {EpilogueRole::Scale, &number},
       {EpilogueRole::Scale, &row},
       {EpilogueRole::Scale, &column},
       {EpilogueRole::Bias, &column}},
  };
  const ResultElement elements[] = {
      FloatFormat::F32,   FloatFormat::F16,   FloatFormat::BF16,
      makeType(8, true),  makeType(8, false), makeType(4, true),
      makeType(4, false), makeType(32, true),
  };
  for (const Operands &operands : lists)
    for (const ResultElement &element : elements)
      for (bool hasFloatSums : {false, true})
        for (std::optional<Activation> activation :
             {std::optional<Activation>(), std::optional(Activation::Gelu)}) {
          bool isSum = elementBits(element) == 32 && element.index() == 0;
          bool isInteger = operands.size() < 2 && !activation && !hasFloatSums;
          bool hasSumBias =
              !operands.empty() && operands[0].role == EpilogueRole::SumBias;
          // What the operation's verifier refuses.
          if (isSum != isInteger || (hasFloatSums && hasSumBias))
            continue;
          ReferenceEpilogue epilogue{hasFloatSums, operands, activation,
                                     element};
          SCOPED_TRACE(elementName(element));
          expectAsDense(a, b, pattern, epilogue);
        }
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

TEST(Sddmm, ErrorsNameTheShapes) {
  SRBCRSMatrix pattern = makePattern(2, 21, SRBCRSEncoding{8});
  ElementType type = makeType(8, true);
  expectError(evaluateSddmm(randomMatrix(16, 4, type, 1),
                            randomMatrix(21, 5, type, 1), pattern, sums),
              "expected operands of as many columns each, but got 4 and 5");
  expectError(evaluateSddmm(randomMatrix(8, 4, type, 1),
                            randomMatrix(21, 4, type, 1), pattern, sums),
              "expected operands of 16 and 21 rows for a pattern of 16x21, but "
              "got 8 and 21");
  SRBCRSEncoding encoding{8};
  encoding.order = VectorOrder::BankAware;
  expectError(
      evaluateSddmm(randomMatrix(16, 4, type, 1), randomMatrix(21, 4, type, 1),
                    *packPattern(randomPattern(2, 21, 0.5, 1), type, encoding,
                                 [](int64_t, int64_t) { return 1; }),
                    sums),
      "expected a pattern in natural order, but got order = "
      "bank_aware");
  pattern.indices.set(3, 99);
  EXPECT_FALSE(
      bool(evaluateSddmm(randomMatrix(16, 4, type, 1),
                         randomMatrix(21, 4, type, 1), pattern, sums)));
}

} // namespace
