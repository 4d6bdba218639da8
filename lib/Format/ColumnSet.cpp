//===- ColumnSet.cpp - Set of columns that lists them in order ------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Maintains the summary levels and walks them.
//
//===----------------------------------------------------------------------===//

#include "ColumnSet.h"

namespace mlir::magicube {

ColumnSet::ColumnSet(int64_t cols) {
  int64_t words = cols;
  do {
    words = (words + kWordMask) >> kWordShift;
    levels.emplace_back(words);
  } while (words > 1);
  rankOfWord.resize(levels[0].size());
}

void ColumnSet::summarize(int32_t column) {
  int64_t word = column >> kWordShift;
  for (std::size_t level = 1; level < levels.size(); ++level) {
    uint64_t &summary = levels[level][word >> kWordShift];
    bool known = summary != 0;
    summary |= uint64_t(1) << (word & kWordMask);
    if (known)
      return;
    word >>= kWordShift;
  }
}

void ColumnSet::collect(std::size_t level, int64_t word,
                        std::vector<int32_t> &columns) {
  if (level == 0)
    rankOfWord[word] = static_cast<int32_t>(columns.size());
  for (uint64_t bits = levels[level][word]; bits; bits &= bits - 1) {
    int64_t child = word << kWordShift | __builtin_ctzll(bits);
    if (level == 0)
      columns.push_back(static_cast<int32_t>(child));
    else
      collect(level - 1, child, columns);
  }
}

void ColumnSet::list(std::vector<int32_t> &columns) {
  columns.clear();
  collect(levels.size() - 1, 0, columns);
}

void ColumnSet::clear(const std::vector<int32_t> &columns) {
  for (int64_t word : columns)
    for (std::vector<uint64_t> &level : levels) {
      word >>= kWordShift;
      level[word] = 0;
    }
}

} // namespace mlir::magicube
