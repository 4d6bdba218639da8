//===- WorkTables.h - Work of blocks and warps in memory --------*- C++ -*-===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes of what kernels with a stationary dense operand keep in registers and
// in shared memory to deal their work, for kernels, checks and the schedule
// model.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LAYOUT_WORKTABLES_H
#define MAGICUBE_LAYOUT_WORKTABLES_H

#include "magicube/Layout/StepLayout.h"

#include <cstdint>

namespace mlir::magicube {

/// Most vector-rows of a block and most K-tiles at once: more than any chip's
/// shared memory holds the sums of, and the K-tiles.
inline constexpr int64_t kMaxBlockRows = 4096;
inline constexpr int64_t kMaxKTiles = 8;

/// What BalancedRanges writes for each warp, and for the one behind the last:
/// row, inside, position, and a gap, of 32 bits each.
inline constexpr int64_t kWarpStartBytes = 4 * sizeof(int32_t);

/// Bytes of a pair of pointers: start and end of a vector-row or a K segment.
inline constexpr int64_t kGroupBytes = 2 * sizeof(int32_t);

/// Most vector-rows that RowsPerCta gives to a CTA, where the mean one has no
/// more than `rows`.
constexpr int64_t getMostBlockRows(int64_t rows) { return rows * 9 / 4 + 3; }

/// Bytes that SegmentRanges writes for a warp.
constexpr int64_t getShareBytes(int64_t slabs) {
  return (1 + slabs) * int64_t(sizeof(int32_t));
}

/// Whether SegmentRanges can multiply the steps of a group by those of its
/// vector-row: `inner` columns in groups of `slab`.
constexpr bool fitsCutShares(int64_t inner, int64_t slab) {
  int64_t groupSteps = (slab < inner ? slab : inner) / kStepPositions + 1;
  int64_t rowSteps = inner / kStepPositions + inner / slab + 1;
  return groupSteps <= int64_t(UINT32_MAX) / rowSteps;
}

} // namespace mlir::magicube

#endif // MAGICUBE_LAYOUT_WORKTABLES_H
