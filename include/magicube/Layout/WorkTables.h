//===- WorkTables.h - Work partitions in memory -----------------*- C++ -*-===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes of what kernels with a stationary dense operand keep in registers and
// in shared memory to partition their work, for kernels, checks and the
// schedule model.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LAYOUT_WORKTABLES_H
#define MAGICUBE_LAYOUT_WORKTABLES_H

#include "magicube/Layout/StepLayout.h"

#include <cstdint>

namespace mlir::magicube {

/// Most vector-rows of a CTA and most K-tiles at once: more than any chip's
/// shared memory holds the sums of, and the K-tiles.
inline constexpr int64_t kMaxRowsPerCta = 4096;
inline constexpr int64_t kMaxSmemStages = 8;

/// What BalancedRanges writes for each warp, and for the one behind the last:
/// row, inside, position, and a gap, of 32 bits each.
inline constexpr int64_t kRangeStartBytes = 4 * sizeof(int32_t);

/// Bytes of a pair of pointers: start and end of a vector-row or a K segment.
inline constexpr int64_t kPointerPairBytes = 2 * sizeof(int32_t);

/// Most vector-rows that RowsPerCta gives to a CTA, where the mean one has no
/// more than `rowsPerCta`.
constexpr int64_t getMostCtaRows(int64_t rowsPerCta) {
  return rowsPerCta * 9 / 4 + 3;
}

/// Bytes that SegmentRanges writes for a warp: a row, and a position a segment.
constexpr int64_t getSegmentStartBytes(int64_t segments) {
  return (1 + segments) * int64_t(sizeof(int32_t));
}

/// Whether SegmentRanges can multiply the steps of a segment by those of its
/// vector-row: `inner` columns in segments of `slab`.
constexpr bool fitsSegmentCuts(int64_t inner, int64_t slab) {
  int64_t segmentSteps = (slab < inner ? slab : inner) / kStepPositions + 1;
  int64_t rowSteps = inner / kStepPositions + inner / slab + 1;
  return segmentSteps <= int64_t(UINT32_MAX) / rowSteps;
}

} // namespace mlir::magicube

#endif // MAGICUBE_LAYOUT_WORKTABLES_H
