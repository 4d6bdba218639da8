//===- Intervals.h - Sets of columns as intervals -------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A window of thousands of columns costs as much as one column.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_FORMAT_INTERVALS_H
#define MAGICUBE_LIB_FORMAT_INTERVALS_H

#include <cstdint>
#include <vector>

namespace mlir::magicube {

/// The columns [begin, end).
struct Interval {
  int64_t begin = 0;
  int64_t end = 0;
};

class IntervalSet {
public:
  /// Adds the columns from `begin` to `end`, cut to [0, cols). Intervals may
  /// overlap until there is a cover.
  void add(int64_t begin, int64_t end, int64_t cols);
  void add(const IntervalSet &other) {
    intervals.insert(intervals.end(), other.intervals.begin(),
                     other.intervals.end());
  }
  void clear() { intervals.clear(); }

  /// Replaces the intervals by those columns that at least `count` of them
  /// have: ascending, disjoint, not adjacent.
  void cover(int64_t count);

  const std::vector<Interval> &list() const { return intervals; }
  /// Sum of the lengths.
  int64_t size() const;

private:
  std::vector<Interval> intervals;
};

} // namespace mlir::magicube

#endif // MAGICUBE_LIB_FORMAT_INTERVALS_H
