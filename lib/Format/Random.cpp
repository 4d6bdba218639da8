//===- Random.cpp - Reproducible patterns ---------------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Uniform random patterns by selection sampling: linear in rows * cols.
//
//===----------------------------------------------------------------------===//

#include "magicube/Format/Random.h"

#include <algorithm>
#include <cmath>

namespace mlir::magicube {

int64_t randomRowLength(int64_t cols, double density) {
  double clamped = std::min(1.0, std::max(0.0, density));
  return std::llround(clamped * static_cast<double>(cols));
}

CsrMatrix randomPattern(int64_t rows, int64_t cols, double density,
                        uint64_t seed) {
  int64_t perRow = randomRowLength(cols, density);
  CsrMatrix pattern;
  pattern.rows = rows;
  pattern.cols = cols;
  pattern.offset.push_back(0);
  pattern.col.reserve(rows * perRow);
  uint64_t draws = 0;
  for (int64_t r = 0; r < rows; ++r) {
    // Column c is taken with probability missing / (cols - c): each set of
    // perRow columns is equally likely (Knuth, TAOCP 3.4.2, algorithm S).
    int64_t missing = perRow;
    for (int64_t c = 0; c < cols && missing > 0; ++c)
      if (splitMix64(seed, draws++) % uint64_t(cols - c) < uint64_t(missing)) {
        pattern.col.push_back(static_cast<int32_t>(c));
        --missing;
      }
    pattern.offset.push_back(pattern.entries());
  }
  return pattern;
}

} // namespace mlir::magicube
