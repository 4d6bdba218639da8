//===- BankOrderTest.cpp - Quality of the bank-aware order ----------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts shared-memory wavefronts as kernel-forms.md section 6 does: a read
// phase costs the highest multiplicity of a column modulo 8; four is ideal per
// window.
//
//===----------------------------------------------------------------------===//

#include "TestUtil.h"

#include "lib/Format/BankOrder.h"

#include <algorithm>
#include <array>

using namespace mlir::magicube;
using namespace mlir::magicube::test;

/// Wavefronts of all read phases of one group's stored columns.
static int64_t wavefronts(const std::vector<int32_t> &stored) {
  int64_t total = 0;
  for (size_t window = 0; window < stored.size();
       window += BankOrder::kWindow) {
    std::array<std::array<int, BankOrder::kBankGroups>, BankOrder::kPhases>
        counts = {};
    size_t end = std::min(stored.size(), window + BankOrder::kWindow);
    for (size_t p = window; p < end; ++p)
      ++counts[BankOrder::phase(p)][stored[p] % BankOrder::kBankGroups];
    for (const auto &phase : counts)
      total += *std::max_element(phase.begin(), phase.end());
  }
  return total;
}

/// Orders the columns and checks that each is stored once.
static std::vector<int32_t> order(BankOrder &bankOrder,
                                  const std::vector<int32_t> &columns,
                                  int64_t padded, int64_t low, int64_t high) {
  bankOrder.assign(columns.data(), columns.size(), padded, low, high);
  std::vector<int32_t> stored = bankOrder.columnsBySlot();
  EXPECT_EQ(static_cast<int64_t>(stored.size()), padded);
  std::vector<bool> taken(padded);
  for (size_t i = 0; i < columns.size(); ++i) {
    int64_t slot = bankOrder.slot(i);
    EXPECT_TRUE(slot >= 0 && slot < padded && !taken[slot]);
    EXPECT_EQ(stored[slot], columns[i]);
    taken[slot] = true;
  }
  for (int32_t column : stored)
    EXPECT_TRUE(column >= low && column < high);
  return stored;
}

TEST(BankOrder, PhasesFollowPositionBits) {
  // Selectors 0x6240/0x7351: eight positions per ldmatrix phase.
  const int phases[4][8] = {{0, 2, 8, 10, 16, 18, 24, 26},
                            {1, 3, 9, 11, 17, 19, 25, 27},
                            {4, 6, 12, 14, 20, 22, 28, 30},
                            {5, 7, 13, 15, 21, 23, 29, 31}};
  for (int phase = 0; phase < 4; ++phase)
    for (int p : phases[phase])
      EXPECT_EQ(BankOrder::phase(p), phase);
}

TEST(BankOrder, BalancedResiduesAreFreeOfConflicts) {
  BankOrder bankOrder;
  std::vector<int32_t> columns;
  for (int32_t c = 0; c < 64; ++c)
    columns.push_back(3 * c); // 3 is odd: residues stay balanced
  EXPECT_EQ(wavefronts(order(bankOrder, columns, 64, 0, 192)), 8);
  // Padding takes the missing residues.
  columns.resize(37);
  EXPECT_EQ(wavefronts(order(bankOrder, columns, 64, 0, 192)), 8);
}

TEST(BankOrder, MatchesTheFormula) {
  // G + e wavefronts with the least e that the residue counts allow.
  BankOrder bankOrder;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    double density = 0.01 + 0.001 * static_cast<double>(seed);
    std::vector<int32_t> columns = randomPattern(1, 700, density, seed).col;
    int64_t groups = (columns.size() + 31) / 32 * 4;
    std::array<int64_t, 8> counts = {};
    for (int32_t column : columns)
      ++counts[column % 8];
    int64_t e = 0;
    for (;; ++e) {
      int64_t excess = 0, most = 0;
      for (int64_t count : counts) {
        most = std::max(most, count);
        excess += std::max<int64_t>(0, count - (groups - e));
      }
      if (most <= groups + e && excess <= 8 * e)
        break;
    }
    if (e > groups)
      continue; // a few vectors of one residue: no formula
    EXPECT_EQ(wavefronts(order(bankOrder, columns, 8 * groups, 0, 700)),
              groups + e)
        << "seed " << seed;
  }
}

TEST(BankOrder, OneResidueIsSpreadEvenly) {
  BankOrder bankOrder;
  std::vector<int32_t> columns;
  for (int32_t c = 0; c < 40; ++c)
    columns.push_back(8 * c);
  // 40 vectors over 8 groups: five each.
  EXPECT_EQ(wavefronts(order(bankOrder, columns, 64, 0, 320)), 40);
}

TEST(BankOrder, ShortLastWindows) {
  BankOrder bankOrder;
  for (int64_t padded : {8, 16, 24, 40, 48, 56})
    for (int64_t missing : {0, 3, 7}) {
      std::vector<int32_t> columns;
      for (int32_t c = 0; c < padded - missing; ++c)
        columns.push_back(5 * c);
      int64_t windows = (padded + 31) / 32;
      EXPECT_EQ(wavefronts(order(bankOrder, columns, padded, 0, 5 * padded)),
                4 * windows)
          << padded << " - " << missing;
    }
}

TEST(BankOrder, PaddingStaysInNarrowSlabs) {
  BankOrder bankOrder;
  for (int64_t low : {0, 13, 640})
    for (int64_t width : {1, 3, 8, 20}) {
      std::vector<int32_t> columns;
      for (int64_t c = low; c < low + width; c += 2)
        columns.push_back(static_cast<int32_t>(c));
      order(bankOrder, columns, 32, low, low + width);
    }
}

TEST(BankOrder, MeanOverRandomRowsIsThatOfTheStudy) {
  // 512 x 4096 at density 0.1: 9.9 ascending, 4.60 for the optimum per row.
  CsrMatrix pattern = randomPattern(128, 4096, 0.1, 9);
  BankOrder bankOrder;
  int64_t ascending = 0, ordered = 0, windows = 0;
  for (int64_t r = 0; r < pattern.rows; ++r) {
    std::vector<int32_t> columns(pattern.col.begin() + pattern.offset[r],
                                 pattern.col.begin() + pattern.offset[r + 1]);
    int64_t padded = (columns.size() + 31) / 32 * 32;
    windows += padded / 32;
    ascending += wavefronts(columns);
    ordered += wavefronts(order(bankOrder, columns, padded, 0, 4096));
  }
  EXPECT_GT(static_cast<double>(ascending) / windows, 9.0);
  EXPECT_LT(static_cast<double>(ordered) / windows, 4.8);
}
