//===- SharedMemoryPlan.h - Shared memory of a kernel -----------*- C++ -*-===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The buffers of an SpMM kernel in shared memory, for a placement of the dense
// rows. Kernels allocate these, checks and the schedule model add them up.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LAYOUT_SHAREDMEMORYPLAN_H
#define MAGICUBE_LAYOUT_SHAREDMEMORYPLAN_H

#include "magicube/Layout/SharedMemoryLayout.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mlir::magicube {

/// Alignment of a buffer, and of each of its stages: all 32 banks, so that a
/// swizzle starts at bank 0.
inline constexpr int64_t kSharedBufferAlignment =
    kSharedMemoryBanks * kSharedMemoryBankBytes;

/// What a buffer is for.
enum class SharedBufferRole {
  /// Rows of the dense operand; stationary, also the sums of the warps' parts
  /// of split vector-rows, which take their place.
  DenseRows,
  /// Values of a k-step.
  SparseValues,
  /// Sums of the CTA's vector-rows.
  RowSums,
  /// Pointers of the CTA's vector-rows, a pair a K segment.
  SegmentPointers,
  /// Where the ranges of the warps begin.
  RangeStarts,
};

/// As in messages: "dense rows".
std::string_view spelling(SharedBufferRole role);

/// A buffer: `stages` tiles of `rows` rows.
struct SharedBuffer {
  SharedBufferRole role;
  int64_t rows, rowBytes;
  int64_t stages = 1;
  SharedMemoryForm form = SharedMemoryForm::plain;

  int64_t bytes() const;

  bool operator==(const SharedBuffer &other) const {
    return role == other.role && rows == other.rows &&
           rowBytes == other.rowBytes && stages == other.stages &&
           form == other.form;
  }
};

/// Bytes of one stage of a buffer in shared memory.
int64_t getSharedStageBytes(int64_t rows, int64_t rowBytes,
                            SharedMemoryForm form);

/// The part of a product and its schedule that all placements need.
struct SharedMemoryNumbers {
  /// V, and bits of a stored value and of an element of the dense operand.
  int64_t vector, valueBits, denseBits;
  int64_t tileN, warps;
  /// How rows of the dense operand avoid bank conflicts.
  SharedMemoryForm form = SharedMemoryForm::conflictFree;
  /// Of the operand layout's step: sums take half of the place. False where it
  /// is not known yet, for what all layouts fit in.
  bool sharesColumns = false;

  /// Bytes of a dense row in a CTA's tile.
  int64_t tileBytes() const { return tileN * denseBits / 8; }
  /// Bytes of the sums of one vector-row in a CTA's tile: whole fragments of 8
  /// vector components, or of 4 and of even and odd columns.
  int64_t sumBytes() const;
};

/// All buffers of a kernel, in the order of their places.
struct SharedMemoryPlan {
  std::vector<SharedBuffer> buffers;

  /// A ring of gathered rows and values of `smemStages` k-steps.
  static SharedMemoryPlan getGathered(const SharedMemoryNumbers &numbers,
                                      int64_t smemStages);
  /// All `inner` rows.
  static SharedMemoryPlan getStationary(const SharedMemoryNumbers &numbers,
                                        int64_t inner);
  /// A ring of `smemStages` K-tiles of `slab` rows.
  static SharedMemoryPlan
  getStationaryKTiles(const SharedMemoryNumbers &numbers, int64_t inner,
                      int64_t slab, int64_t rowsPerCta, int64_t smemStages);

  /// The buffer of a role, which the plan has.
  const SharedBuffer &get(SharedBufferRole role) const;
  /// The sum of all.
  int64_t bytes() const;
  /// Its terms: "dense rows: 4096 bytes, range starts: 384 bytes".
  std::string describe() const;
};

} // namespace mlir::magicube

#endif // MAGICUBE_LAYOUT_SHAREDMEMORYPLAN_H
