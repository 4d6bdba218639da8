//===- BalancedRanges.h - Equal ranges of k-steps ---------------*- C++ -*-===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Partition of the k-steps of all vector-rows into nearly equal work ranges:
// one a CTA, which begins with a vector-row, and in it one a warp, which may
// begin anywhere.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_CONVERSION_WORKPARTITION_BALANCEDRANGES_H
#define MAGICUBE_LIB_CONVERSION_WORKPARTITION_BALANCEDRANGES_H

#include "StoredPointers.h"

namespace mlir::magicube {

/// Work is the list of k-steps of 32 stored positions of all vector-rows in
/// storage order; a vector-row also costs as much as `rowCost` positions. The
/// stride is a multiple of 32 and vector-rows are stored one after another, so
/// that the k-steps of all of them follow one another.
struct BalancedRanges {
  StoredPointers pointers;
  Value vectorRows;
  int64_t rowCost;
  /// Threads of a CTA; whole warps.
  int64_t threads;
  /// SharedBufferRole::RangeStarts: where the warps' ranges and
  /// that of the next CTA's first warp begin.
  Value starts;

  /// Where a warp's range begins: a vector-row, whether that is inside of it
  /// (1) or at its first k-step (0), and the stored position. Ranges of warps
  /// that get nothing begin behind the last vector-row.
  struct Start {
    Value row, inside, position;
  };

  /// What a thread knows of its first vector-row (the one that has its number)
  /// and of all. Loaded before the copies that fill the queues to memory, so
  /// that partitioning does not wait behind them; pointers of later vector-rows
  /// are loaded when they are needed. With two vector-rows loaded ahead,
  /// products took longer on an H200.
  struct Loaded {
    Value storedEnd, start, end, previousStart;
  };
  Loaded load(Arithmetic e) const;

  /// Writes where the ranges of CTA `cta` of `numCtas` and of the next begin:
  /// at vector-rows; the last range ends behind the last vector-row. All
  /// threads take part, and meet at a barrier before partitionCta.
  void partitionAll(Arithmetic e, const Loaded &loaded, Value cta,
                    Value numCtas) const;
  /// Writes where the ranges of the CTA's other warps begin. All threads take
  /// part, and meet at a barrier before loadStart.
  void partitionCta(Arithmetic e, const Loaded &loaded) const;

  /// Where the range of warp `warp` begins, or that of the next CTA for the one
  /// behind the last. Loads that the optimizer does not join: what is needed
  /// again later need not wait in registers.
  Start loadStart(Arithmetic e, Value warp) const;
};

} // namespace mlir::magicube

#endif // MAGICUBE_LIB_CONVERSION_WORKPARTITION_BALANCEDRANGES_H
