//===- Intervals.cpp - Sets of columns as intervals -----------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Covers by a sweep over the intervals' ends.
//
//===----------------------------------------------------------------------===//

#include "Intervals.h"

#include <algorithm>

namespace mlir::magicube {

void IntervalSet::add(int64_t begin, int64_t end, int64_t cols) {
  begin = std::max<int64_t>(begin, 0);
  end = std::min(end, cols);
  if (begin >= end)
    return;
  if (!intervals.empty() && intervals.back().end == begin)
    intervals.back().end = end;
  else
    intervals.push_back({begin, end});
}

void IntervalSet::cover(int64_t count) {
  std::vector<int64_t> begins, ends;
  begins.reserve(intervals.size());
  ends.reserve(intervals.size());
  for (const Interval &interval : intervals) {
    begins.push_back(interval.begin);
    ends.push_back(interval.end);
  }
  for (std::vector<int64_t> *places : {&begins, &ends})
    if (!std::is_sorted(places->begin(), places->end()))
      std::sort(places->begin(), places->end());
  intervals.clear();
  int64_t depth = 0;
  auto leave = [&](int64_t end) {
    if (depth-- != count)
      return;
    intervals.back().end = end;
    if (intervals.back().begin == end)
      intervals.pop_back();
  };
  // At a column where some begin and others end, the first come first, so that
  // what is adjacent becomes one.
  size_t next = 0;
  for (int64_t begin : begins) {
    while (ends[next] < begin)
      leave(ends[next++]);
    if (++depth == count)
      intervals.push_back({begin, begin});
  }
  while (next < ends.size())
    leave(ends[next++]);
}

int64_t IntervalSet::size() const {
  int64_t columns = 0;
  for (const Interval &interval : intervals)
    columns += interval.end - interval.begin;
  return columns;
}

} // namespace mlir::magicube
