//===- BankOrder.cpp - Bank-aware order of a vector-row -------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The per-row order of kernel-forms.md section 6. Whole windows of 32 positions
// follow its formula; a shorter last window (strides 8 and 16) is served first,
// from the fullest residues, so that the formula's capacities hold for the
// rest.
//
//===----------------------------------------------------------------------===//

#include "BankOrder.h"

#include <algorithm>
#include <limits>

namespace mlir::magicube {

void BankOrder::fillBuckets(const int32_t *columns, int64_t count) {
  std::array<int64_t, kBankGroups> sizes = {};
  for (int64_t i = 0; i < count; ++i)
    ++sizes[columns[i] % kBankGroups];
  int64_t start = 0;
  for (int r = 0; r < kBankGroups; ++r) {
    buckets[r] = {start, start};
    start += sizes[r];
  }
  byResidue.resize(count);
  for (int64_t i = 0; i < count; ++i)
    byResidue[buckets[columns[i] % kBankGroups].end++] = i;
}

/// Position of a group's `entry`-th member: the group fixes window and bits 2
/// and 0, the entry counts through bits 4, 3 and 1.
int64_t BankOrder::position(int64_t group, int entry) const {
  int64_t window = group / kPhases;
  int64_t phase = group % kPhases;
  return window * kWindow | int64_t(entry >> 1) << 3 | (phase >> 1) << 2 |
         int64_t(entry & 1) << 1 | (phase & 1);
}

/// Moves the bucket's next column to the group, which must have room.
void BankOrder::place(const int32_t *columns, Bucket &bucket, int64_t group) {
  int64_t i = byResidue[bucket.next++];
  Group &target = groups[group];
  slots[i] = position(group, target.used++);
  target.residues |= 1u << columns[i] % kBankGroups;
  stored[slots[i]] = columns[i];
}

/// Deals up to quota[r] columns of each bucket r in turn to the groups
/// [first, end), going round: the groups fill evenly, and at most `end - first`
/// columns of a residue meet each group once.
void BankOrder::dealCyclic(const int32_t *columns, int64_t first, int64_t end,
                           const Quota &quota) {
  int64_t group = first;
  for (int r = 0; r < kBankGroups; ++r) {
    int64_t count = std::min(quota[r], buckets[r].size());
    for (int64_t i = 0; i < count; ++i) {
      place(columns, buckets[r], group);
      group = group + 1 == end ? first : group + 1;
    }
  }
}

/// Fills the groups of a last window below 32 positions: always from the
/// fullest residue, among those with less than a column per group if possible.
void BankOrder::dealTail(const int32_t *columns, int64_t firstGroup,
                         int64_t positions) {
  Quota quota = {};
  for (int64_t i = 0; i < positions; ++i) {
    auto isBetter = [&](int r, int best) {
      bool isSpread = quota[r] < kPhases, bestIsSpread = quota[best] < kPhases;
      int64_t left = buckets[r].size() - quota[r];
      int64_t bestLeft = buckets[best].size() - quota[best];
      if (left == 0 || bestLeft == 0)
        return left > 0;
      return isSpread != bestIsSpread ? isSpread : left > bestLeft;
    };
    int best = 0;
    for (int r = 1; r < kBankGroups; ++r)
      if (isBetter(r, best))
        best = r;
    if (quota[best] < buckets[best].size())
      ++quota[best];
  }
  dealCyclic(columns, firstGroup, firstGroup + kPhases, quota);
}

/// G groups of eight. With the least e such that no residue has more than
/// G + e columns and what exceeds G - e per residue fits in e groups: G - e
/// groups are free of conflicts, e groups have each residue at most twice.
void BankOrder::dealFull(const int32_t *columns, int64_t groupCount) {
  auto fits = [&](int64_t e) {
    int64_t excess = 0;
    for (const Bucket &bucket : buckets) {
      if (bucket.size() > groupCount + e)
        return false;
      excess += std::max<int64_t>(0, bucket.size() - (groupCount - e));
    }
    return excess <= kBankGroups * e;
  };
  int64_t e = 0;
  while (e <= groupCount && !fits(e))
    ++e;
  // Beyond e = G nothing is left but to spread evenly.
  int64_t clean = e > groupCount ? 0 : groupCount - e;
  Quota quota;
  quota.fill(clean);
  if (clean > 0)
    dealCyclic(columns, 0, clean, quota);
  quota.fill(std::numeric_limits<int64_t>::max());
  if (clean < groupCount)
    dealCyclic(columns, clean, groupCount, quota);
}

/// Gives every free position a column whose residue its group lacks, or, where
/// the range is too narrow, the range's first column.
void BankOrder::pad(int64_t lowColumn, int64_t highColumn) {
  for (size_t g = 0; g < groups.size(); ++g) {
    Group &group = groups[g];
    while (group.used < group.capacity) {
      int64_t column = lowColumn;
      int64_t end = std::min(highColumn, lowColumn + kBankGroups);
      while (column < end && group.residues >> column % kBankGroups & 1)
        ++column;
      if (column == end)
        column = lowColumn;
      group.residues |= 1u << column % kBankGroups;
      stored[position(g, group.used++)] = static_cast<int32_t>(column);
    }
  }
}

void BankOrder::assign(const int32_t *columns, int64_t count, int64_t padded,
                       int64_t lowColumn, int64_t highColumn) {
  int64_t fullGroups = padded / kWindow * kPhases;
  int tailCapacity = static_cast<int>(padded % kWindow) / kPhases;
  groups.assign(fullGroups + (tailCapacity ? kPhases : 0), Group());
  for (int64_t g = 0; g < static_cast<int64_t>(groups.size()); ++g)
    groups[g].capacity = g < fullGroups ? kWindow / kPhases : tailCapacity;
  slots.resize(count);
  stored.resize(padded);

  fillBuckets(columns, count);
  if (tailCapacity)
    dealTail(columns, fullGroups, padded % kWindow);
  if (fullGroups)
    dealFull(columns, fullGroups);
  pad(lowColumn, highColumn);
}

} // namespace mlir::magicube
