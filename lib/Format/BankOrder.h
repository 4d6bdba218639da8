//===- BankOrder.h - Bank-aware order of a vector-row ---------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Deals the vectors of one group to stored positions so that the eight rows of
// a shared-memory read phase have distinct columns modulo 8 (kernel-forms.md
// section 6: distinct means free of bank conflicts). Linear per group.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_FORMAT_BANKORDER_H
#define MAGICUBE_LIB_FORMAT_BANKORDER_H

#include <array>
#include <cstdint>
#include <vector>

namespace mlir::magicube {

/// Reused for one group after another; keeps its scratch memory.
class BankOrder {
public:
  /// Columns modulo this select the bank group of a 16-byte chunk.
  static constexpr int kBankGroups = 8;
  /// Positions that one gather step reads: phases are defined inside them.
  static constexpr int kWindow = 32;
  /// Read phases of a window.
  static constexpr int kPhases = 4;

  /// The read phase of position `p`: bits 2 and 0 of p (kernel-forms.md
  /// section 1, the recommended selectors).
  static int phase(int64_t p) {
    return static_cast<int>((p >> 2 & 1) << 1 | (p & 1));
  }

  /// Orders `count` >= 1 columns into `padded` positions, a multiple of 8 that
  /// is not below `count`. Padding gets columns of [lowColumn, highColumn).
  void assign(const int32_t *columns, int64_t count, int64_t padded,
              int64_t lowColumn, int64_t highColumn);

  /// Position of columns[i], relative to the group's start.
  int64_t slot(int64_t i) const { return slots[i]; }
  /// Column at each relative position, padding included.
  const std::vector<int32_t> &columnsBySlot() const { return stored; }

private:
  /// The positions of one phase in one window.
  struct Group {
    int used = 0;
    int capacity = 0;
    /// Bit r: a column with residue r is in the group.
    unsigned residues = 0;
  };
  /// Columns with one residue, as a range of `byResidue`.
  struct Bucket {
    int64_t next = 0;
    int64_t end = 0;
    int64_t size() const { return end - next; }
  };

  /// How many columns to deal, by residue.
  using Quota = std::array<int64_t, kBankGroups>;

  void fillBuckets(const int32_t *columns, int64_t count);
  void dealCyclic(const int32_t *columns, int64_t first, int64_t end,
                  const Quota &quota);
  void dealTail(const int32_t *columns, int64_t firstGroup, int64_t positions);
  void dealFull(const int32_t *columns, int64_t groupCount);
  void place(const int32_t *columns, Bucket &bucket, int64_t group);
  void pad(int64_t lowColumn, int64_t highColumn);
  int64_t position(int64_t group, int entry) const;

  std::array<Bucket, kBankGroups> buckets;
  std::vector<int64_t> byResidue;
  std::vector<Group> groups;
  std::vector<int64_t> slots;
  std::vector<int32_t> stored;
};

} // namespace mlir::magicube

#endif // MAGICUBE_LIB_FORMAT_BANKORDER_H
