//===- CompareElements.h - Comparing matrices
//------------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The report of mismatches, the same for integers and floats.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_FORMAT_COMPAREELEMENTS_H
#define MAGICUBE_LIB_FORMAT_COMPAREELEMENTS_H

#include "Message.h"
#include "magicube/Support/Result.h"

#include <cstdint>

namespace mlir::magicube {

/// Compares every element of result number `index`: `value(matrix, row, col)`
/// by `isSame`. The Error gives the first mismatches, as `toText` writes them.
template <typename Matrix, typename Value, typename IsSame, typename ToText>
Status compareElements(size_t index, const Matrix &expected,
                       const Matrix &actual, Value value, IsSame isSame,
                       ToText toText) {
  if (expected.rows != actual.rows || expected.cols != actual.cols)
    return Error{message("result #", index, ": expected a matrix of ",
                         expected.rows, "x", expected.cols, ", but got ",
                         actual.rows, "x", actual.cols)};
  constexpr int64_t maxReported = 5;
  std::string report;
  int64_t mismatches = 0;
  for (int64_t row = 0; row < expected.rows; ++row)
    for (int64_t col = 0; col < expected.cols; ++col) {
      auto want = value(expected, row, col), got = value(actual, row, col);
      if (isSame(want, got))
        continue;
      if (mismatches++ < maxReported)
        report += message("\n  [", row, ", ", col, "]: expected ", toText(want),
                          ", but got ", toText(got));
    }
  if (mismatches == 0)
    return Status::success();
  return Error{message("result #", index, ": ", mismatches, " of ",
                       expected.rows * expected.cols,
                       " elements differ from the reference", report)};
}

} // namespace mlir::magicube

#endif // MAGICUBE_LIB_FORMAT_COMPAREELEMENTS_H
