//===- Projection.cpp - A check of large products -------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Freivalds' check of a product in the ring of integers modulo 2^32, where the
// kernels' arithmetic is exact.
//
//===----------------------------------------------------------------------===//

#include "magicube/Format/Projection.h"

#include "magicube/Format/Packer.h"
#include "magicube/Format/Random.h"

#include <algorithm>
#include <array>

using namespace mlir::magicube;

namespace {

constexpr size_t numProjections = 2;
/// An element of each projection; arithmetic wraps.
using Projections = std::array<uint32_t, numProjections>;

} // namespace

/// Adds `factor * term` to `sum`.
static void accumulate(Projections &sum, int64_t factor,
                       const Projections &term) {
  for (size_t i = 0; i < numProjections; ++i)
    sum[i] += static_cast<uint32_t>(factor) * term[i];
}

static std::vector<Projections> makeVectors(int64_t size, uint64_t seed) {
  // Another stream than those of the arguments.
  uint64_t stream = splitMix64(seed, /*i=*/~uint64_t(0));
  std::vector<Projections> vectors(static_cast<size_t>(size));
  for (size_t i = 0; i < vectors.size(); ++i) {
    uint64_t bits = splitMix64(stream, i);
    vectors[i] = {static_cast<uint32_t>(bits) | 1,
                  static_cast<uint32_t>(bits >> 32)};
  }
  return vectors;
}

/// Adds matrix * vectors to `sums`.
static void addProduct(const DenseMatrix &matrix,
                       const std::vector<Projections> &vectors,
                       std::vector<Projections> &sums) {
  for (int64_t row = 0; row < matrix.rows; ++row)
    for (int64_t col = 0; col < matrix.cols; ++col)
      accumulate(sums[static_cast<size_t>(row)], matrix.at(row, col),
                 vectors[static_cast<size_t>(col)]);
}

/// Describes the first rows of `actual` that differ.
static Status compareRows(const std::vector<Projections> &expected,
                          const std::vector<Projections> &actual) {
  constexpr size_t maxReported = 5;
  size_t mismatches = 0;
  std::string rows;
  for (size_t row = 0; row < expected.size(); ++row) {
    if (expected[row] == actual[row])
      continue;
    if (mismatches++ < maxReported)
      rows += (rows.empty() ? "" : ", ") + std::to_string(row);
  }
  if (mismatches == 0)
    return {};
  return Error{"result #0: " + std::to_string(mismatches) + " of " +
                   std::to_string(expected.size()) +
                   " rows differ from the reference in a projection: rows " +
                   rows + (mismatches > maxReported ? ", ..." : ""),
               "--check compares every element"};
}

Status mlir::magicube::compareProjections(const SRBCRSMatrix &lhs,
                                          const DenseMatrix &rhs,
                                          const DenseMatrix *init,
                                          const DenseMatrix &actual,
                                          uint64_t seed) {
  Result<CooMatrix> unpacked = unpackToCoo(lhs);
  if (!unpacked)
    return unpacked.error();
  std::vector<Projections> vectors = makeVectors(rhs.cols, seed);
  std::vector<Projections> inner(static_cast<size_t>(rhs.rows));
  addProduct(rhs, vectors, inner);
  std::vector<Projections> expected(static_cast<size_t>(lhs.rows));
  for (size_t i = 0; i < unpacked->row.size(); ++i)
    accumulate(expected[static_cast<size_t>(unpacked->row[i])],
               unpacked->value[i],
               inner[static_cast<size_t>(unpacked->col[i])]);
  if (init)
    addProduct(*init, vectors, expected);
  std::vector<Projections> result(static_cast<size_t>(actual.rows));
  addProduct(actual, vectors, result);
  return compareRows(expected, result);
}
