//===- ProjectionTest.cpp - A check of large products ---------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestUtil.h"

#include "magicube/Format/ProgramArguments.h"
#include "magicube/Format/Projection.h"

using namespace mlir::magicube;
using namespace mlir::magicube::test;

namespace {

constexpr ElementType i32 = {32, /*isSigned=*/true};

/// A product of 32 x 40 and 40 x `columns`, plus a matrix where `hasInit`.
struct Product {
  SRBCRSMatrix lhs;
  DenseMatrix rhs, init, result;
  const DenseMatrix *initial = nullptr;

  Product(int64_t columns, bool hasInit, ElementType element = {8, true}) {
    MatrixType sparse, dense;
    sparse.element = dense.element = element;
    sparse.encoding = SRBCRSEncoding();
    sparse.encoding->vector = 4;
    Result<std::vector<ProgramValue>> values = makeArguments(
        "f", {sparse, dense},
        {"random:32x40@0.3", "random:40x" + std::to_string(columns)}, 1);
    EXPECT_TRUE(bool(values)) << values.error().message;
    lhs = std::get<SRBCRSMatrix>((*values)[0]);
    rhs = std::get<DenseMatrix>((*values)[1]);
    init = *DenseMatrix::random(32, columns, i32, /*seed=*/2);
    initial = hasInit ? &init : nullptr;
    result = *evaluateSpmm(lhs, rhs, initial);
  }

  Status check(uint64_t seed = 0) const {
    return compareProjections(lhs, rhs, initial, result, seed);
  }
};

TEST(Projection, TakesRightResults) {
  for (int64_t columns : {1, 7, 64})
    for (bool hasInit : {false, true})
      for (ElementType element : {ElementType{8, true}, ElementType{8, false},
                                  ElementType{4, true}, ElementType{16, true}})
        EXPECT_TRUE(bool(Product(columns, hasInit, element).check()))
            << columns << " " << hasInit << " " << element.bits;
}

TEST(Projection, FindsAnyWrongElement) {
  Product product(7, /*hasInit=*/false);
  for (int64_t row : {0, 13, 31})
    for (int64_t column = 0; column < 7; ++column)
      for (int bit = 0; bit < 32; ++bit) {
        int64_t right = product.result.at(row, column);
        auto flipped =
            static_cast<int32_t>(static_cast<uint32_t>(right) ^ (1u << bit));
        product.result.set(row, column, flipped);
        Status status = product.check(/*seed=*/row + column);
        ASSERT_FALSE(bool(status)) << row << " " << column << " " << bit;
        EXPECT_EQ(status.error().message,
                  "result #0: 1 of 32 rows differ from the reference in a "
                  "projection: rows " +
                      std::to_string(row));
        product.result.set(row, column, right);
      }
  EXPECT_TRUE(bool(product.check()));
}

TEST(Projection, FindsElementsInWrongPlaces) {
  Product product(64, /*hasInit=*/true);
  for (int64_t column = 0; column < 63; ++column) {
    int64_t left = product.result.at(3, column);
    int64_t right = product.result.at(3, column + 1);
    product.result.set(3, column, right);
    product.result.set(3, column + 1, left);
    EXPECT_EQ(bool(product.check()), left == right) << column;
    product.result.set(3, column, left);
    product.result.set(3, column + 1, right);
  }
  product.initial = nullptr;
  EXPECT_EQ(product.check().error().message,
            "result #0: 32 of 32 rows differ from the reference in a "
            "projection: rows 0, 1, 2, 3, 4, ...");
}

} // namespace
