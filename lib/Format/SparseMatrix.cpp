//===- SparseMatrix.cpp - Checks of plain sparse matrices -----------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Index checks, and duplicate search by radix sort: linear in the entries, and
// independent of how many rows and columns a header promises.
//
//===----------------------------------------------------------------------===//

#include "magicube/Format/SparseMatrix.h"

#include "Message.h"

#include <algorithm>
#include <array>

namespace mlir::magicube {

namespace {
/// A sort key and the entry it belongs to.
struct KeyedEntry {
  uint64_t key;
  int64_t entry;
};
} // namespace

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

Status CooMatrix::validate() const {
  if (col.size() != row.size() || value.size() != row.size())
    return Error{message("expected as many columns and values as the ",
                         row.size(), " rows, but got ", col.size(), " and ",
                         value.size())};
  for (int64_t i = 0; i < entries(); ++i) {
    if (row[i] < 0 || row[i] >= rows)
      return Error{message("entry ", i, ": expected a row in [0, ", rows,
                           "), but got ", row[i])};
    if (col[i] < 0 || col[i] >= cols)
      return Error{message("entry ", i, ": expected a column in [0, ", cols,
                           "), but got ", col[i])};
  }
  return Status::success();
}

std::optional<int64_t> CooMatrix::findDuplicate() const {
  std::vector<KeyedEntry> items(row.size());
  uint64_t allBits = 0;
  for (int64_t i = 0; i < entries(); ++i) {
    // Both indices are below 2^31, so the key does not overflow.
    uint64_t key = uint64_t(row[i]) * uint64_t(cols) + uint64_t(col[i]);
    items[i] = {key, i};
    allBits |= key;
  }
  int bits = 0;
  while (bits < 64 && allBits >> bits)
    ++bits;
  radixSort(items, bits);

  std::optional<int64_t> first;
  for (size_t i = 1; i < items.size(); ++i)
    if (items[i].key == items[i - 1].key)
      first = std::min(first.value_or(items[i].entry), items[i].entry);
  return first;
}

Status CsrMatrix::validate() const {
  if (rows < 0 || static_cast<int64_t>(offset.size()) != rows + 1)
    return Error{message("expected ", rows, " + 1 row offsets, but got ",
                         offset.size())};
  if (!value.empty() && value.size() != col.size())
    return Error{message("expected as many values as the ", col.size(),
                         " columns, but got ", value.size())};
  if (offset.front() != 0 || offset.back() != entries())
    return Error{message("expected row offsets from 0 to ", entries(),
                         ", but got ", offset.front(), " to ", offset.back())};
  for (int64_t r = 0; r < rows; ++r)
    if (offset[r + 1] < offset[r])
      return Error{message("row ", r,
                           ": expected row offsets that do not "
                           "descend, but got ",
                           offset[r + 1], " after ", offset[r])};
  for (int64_t i = 0; i < entries(); ++i)
    if (col[i] < 0 || col[i] >= cols)
      return Error{message("entry ", i, ": expected a column in [0, ", cols,
                           "), but got ", col[i])};
  return Status::success();
}

} // namespace mlir::magicube
