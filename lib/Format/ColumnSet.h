//===- ColumnSet.h - Set of columns that lists them in order --------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A bitmap with summary levels: each word of a level says which words of the
// level below are nonzero. Inserting, listing in ascending order and clearing
// are linear in the entries whatever K is; memory is about K / 5 bytes.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_FORMAT_COLUMNSET_H
#define MAGICUBE_LIB_FORMAT_COLUMNSET_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mlir::magicube {

class ColumnSet {
public:
  /// For columns in [0, cols).
  explicit ColumnSet(int64_t cols);

  /// Returns true if the column was not in the set.
  bool insert(int32_t column) {
    uint64_t &word = levels[0][column >> kWordShift];
    uint64_t bit = uint64_t(1) << (column & kWordMask);
    if (word & bit)
      return false;
    if (word == 0)
      summarize(column);
    word |= bit;
    return true;
  }

  /// Replaces `columns` by the set in ascending order and prepares rank().
  void list(std::vector<int32_t> &columns);

  /// How many smaller columns the set has. Valid for members, after list().
  int64_t rank(int32_t column) const {
    uint64_t below = (uint64_t(1) << (column & kWordMask)) - 1;
    int64_t word = column >> kWordShift;
    return rankOfWord[word] + __builtin_popcountll(levels[0][word] & below);
  }

  /// Empties the set; `columns` must be what list() gave.
  void clear(const std::vector<int32_t> &columns);

private:
  static constexpr int kWordShift = 6;
  static constexpr int64_t kWordMask = 63;

  void summarize(int32_t column);
  void collect(std::size_t level, int64_t word, std::vector<int32_t> &columns);

  /// levels[0] has a bit per column; levels[i + 1] a bit per word of
  /// levels[i]; the last level is one word.
  std::vector<std::vector<uint64_t>> levels;
  std::vector<int32_t> rankOfWord;
};

} // namespace mlir::magicube

#endif // MAGICUBE_LIB_FORMAT_COLUMNSET_H
