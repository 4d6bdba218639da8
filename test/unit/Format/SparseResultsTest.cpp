//===- SparseResultsTest.cpp - Unit tests of sparse results ---------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A mismatch is found wherever it is, and the reference's rows of operations
// that have sparse results.
//
//===----------------------------------------------------------------------===//

#include "magicube/Format/SparseResults.h"

#include "TestUtil.h"
#include "magicube/Format/Packer.h"
#include "magicube/Format/ReferenceOps.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace mlir::magicube;
using namespace mlir::magicube::test;

namespace {

/// Two vector-rows of 2 rows; 3 and 2 vectors in strides of 8.
SRBCRSMatrix makeMatrix(ElementType type) {
  SRBCRSEncoding encoding;
  encoding.vector = 2;
  encoding.stride = 8;
  CsrMatrix vectors;
  vectors.rows = 2;
  vectors.cols = 9;
  vectors.offset = {0, 3, 5};
  vectors.col = {1, 4, 8, 0, 7};
  return *packPattern(vectors, type, encoding, [](int64_t vector, int64_t v) {
    return 1 + vector * 2 + v;
  });
}

SparseFloatMatrix makeFloats() {
  SRBCRSMatrix pattern = makeMatrix(ElementType::pattern());
  std::vector<float> values(pattern.stored() * 2, 0.0f);
  return {std::move(pattern), FloatFormat::F16, std::move(values)};
}

std::string difference(const SparseValue &expected, const SparseValue &actual) {
  Status status = compareResult(3, expected, actual);
  return status ? "" : status.error().message;
}

TEST(SparseResults, CompareEntriesPatternsAndPadding) {
  SRBCRSMatrix matrix = makeMatrix({8, true});
  EXPECT_EQ(difference(matrix, matrix), "");

  SRBCRSMatrix entry = matrix;
  entry.type.store(entry.values.data(), 8, 77); // row 1 of position 0
  EXPECT_EQ(difference(matrix, entry),
            "result #3: 1 of 10 entries differ from the reference\n  [1, 1]: "
            "expected 2, but got 77");

  SRBCRSMatrix padding = matrix;
  padding.type.store(padding.values.data(), 7, 1);
  EXPECT_EQ(difference(matrix, padding), "result #3: expected zeros as "
                                         "padding, but got 1 at element 7 of "
                                         "the values");

  SRBCRSMatrix index = matrix;
  index.indices.set(1, 5);
  EXPECT_EQ(difference(matrix, index),
            "result #3: expected index #1 to be 4, but got 5");
  SRBCRSMatrix pointer = matrix;
  pointer.pointers[3] = 11;
  EXPECT_EQ(difference(matrix, pointer),
            "result #3: expected pointer #3 to be 10, but got 11");
  EXPECT_EQ(difference(matrix, makeFloats()),
            "result #3 has other elements than the reference");
}

TEST(SparseResults, CompareFloatsByTheirBits) {
  SparseFloatMatrix expected = makeFloats(), actual = expected;
  expected.values[0] = actual.values[0] = std::nanf("");
  EXPECT_EQ(difference(expected, actual), "");
  actual.values[1] = -0.0f;
  EXPECT_EQ(difference(expected, actual),
            "result #3: 1 of 10 entries differ from the reference\n  [0, 4]: "
            "expected 0, but got -0");
}

TEST(SparseResults, BytesAndBack) {
  SparseFloatMatrix floats = makeFloats();
  for (size_t i = 0; i < floats.values.size(); ++i)
    floats.values[i] = 0.25f * static_cast<float>(i);
  std::vector<uint8_t> bytes = toBytes(floats);
  EXPECT_EQ(bytes.size(), floats.values.size() * 2);
  SparseFloatMatrix back =
      makeSparseFloats(floats.pattern, FloatFormat::F16, bytes);
  EXPECT_EQ(difference(floats, back), "");
}

TEST(SparseResults, NameSaysHowToWrite) {
  Status status = writeSparse("C.txt", makeMatrix({8, true}));
  ASSERT_FALSE(bool(status));
  EXPECT_EQ(status.error().message, "'C.txt': expected a name that ends in "
                                    ".mtx or .npy for a sparse matrix");
}

//===----------------------------------------------------------------------===//
// The reference's rows
//===----------------------------------------------------------------------===//

TEST(SparseReferenceOps, SampledProduct) {
  ProgramValue lhs = *DenseMatrix::random(4, 5, {8, true}, 1);
  ProgramValue rhs = *DenseMatrix::random(9, 5, {8, true}, 2);
  ProgramValue pattern = makeMatrix({8, true});
  ReferenceOperands operands{
      {{"lhs", &lhs}, {"rhs", &rhs}, {"pattern", &pattern}}, {}};
  auto results = findReferenceOp("sddmm")->evaluate(operands);
  ASSERT_TRUE(bool(results)) << results.error().message;
  const auto &sums = std::get<SRBCRSMatrix>(results->front());
  int64_t expected = 0;
  for (int64_t k = 0; k < 5; ++k)
    expected += std::get<DenseMatrix>(lhs).at(1, k) *
                std::get<DenseMatrix>(rhs).at(4, k);
  EXPECT_EQ(sums.type.load(sums.values.data(), 8 + 1), expected);

  operands.values["pattern"] = &lhs;
  results = findReferenceOp("sddmm")->evaluate(operands);
  ASSERT_FALSE(bool(results));
  EXPECT_EQ(results.error().message,
            "the operands are not those of a sampled product");
}

TEST(SparseReferenceOps, Softmax) {
  ProgramValue scores = makeMatrix({32, true});
  ProgramValue scale = FloatMatrix{1, 1, FloatFormat::F32, {0.5f}};
  ReferenceOperands operands{{{"scores", &scores}, {"scale", &scale}}, {}};
  operands.epilogue.element = ElementType{8, false};
  auto results = findReferenceOp("softmax")->evaluate(operands);
  ASSERT_TRUE(bool(results)) << results.error().message;
  ASSERT_EQ(results->size(), 2u);
  EXPECT_EQ(getExtents(results->at(1)), std::make_pair(int64_t(4), int64_t(1)));

  operands.epilogue.element = FloatFormat::F16;
  results = findReferenceOp("softmax")->evaluate(operands);
  ASSERT_TRUE(bool(results)) << results.error().message;
  EXPECT_EQ(results->size(), 1u);

  operands.values["scale"] = &scores;
  results = findReferenceOp("softmax")->evaluate(operands);
  ASSERT_FALSE(bool(results));
  EXPECT_EQ(results.error().message, "the operands are not those of a softmax");
}

} // namespace
