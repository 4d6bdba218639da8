//===- EntryOrder.cpp - Entries of a matrix by key ------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EntryOrder.h"

#include <array>

namespace mlir::magicube {

/// Bits of a radix-sort digit: a 16 KiB histogram stays in the L1 cache.
static constexpr int kDigitBits = 11;

/// Stable sort by the low `bits` bits of the key; linear.
static void radixSort(std::vector<KeyedEntry> &items, int bits) {
  constexpr uint64_t kMask = (uint64_t(1) << kDigitBits) - 1;
  std::vector<KeyedEntry> sorted(items.size());
  for (int shift = 0; shift < bits; shift += kDigitBits) {
    std::array<int64_t, kMask + 1> next = {};
    for (const KeyedEntry &item : items)
      ++next[item.key >> shift & kMask];
    int64_t total = 0;
    for (int64_t &slot : next) {
      int64_t count = slot;
      slot = total;
      total += count;
    }
    for (const KeyedEntry &item : items)
      sorted[next[item.key >> shift & kMask]++] = item;
    items.swap(sorted);
  }
}

std::vector<KeyedEntry> orderEntries(const CooMatrix &matrix, int64_t vector) {
  std::vector<KeyedEntry> items(matrix.row.size());
  uint64_t allBits = 0, previous = 0;
  bool isOrdered = true;
  for (int64_t i = 0; i < matrix.entries(); ++i) {
    uint64_t key = uint64_t(matrix.row[i] / vector) * uint64_t(matrix.cols) +
                   uint64_t(matrix.col[i]);
    items[i] = {key, i};
    allBits |= key;
    isOrdered &= key >= previous;
    previous = key;
  }
  if (isOrdered)
    return items;
  int bits = 0;
  while (bits < 64 && allBits >> bits)
    ++bits;
  radixSort(items, bits);
  return items;
}

} // namespace mlir::magicube
