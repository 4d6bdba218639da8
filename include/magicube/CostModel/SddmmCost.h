//===- SddmmCost.h - Tilings of a sampled product ---------------*- C++ -*-===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many warps a block has and how the work of a vector-row is cut.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_COSTMODEL_SDDMMCOST_H
#define MAGICUBE_COSTMODEL_SDDMMCOST_H

#include "magicube/Layout/ChunkLayout.h"
#include "magicube/Target/GpuTarget.h"

namespace mlir::magicube {

/// A CTA has `warps` warps, each of another vector-row and the same part of its
/// steps: together they walk along the columns, so that rows of the rhs that
/// one has gathered are in the L1 for the others.
struct SddmmTiling {
  int64_t warps;
  /// Most steps of 32 positions that a warp gets where vector-rows are of mean
  /// length; 0: no limit.
  int64_t steps;
  /// Most registers of a lane that hold the lhs through all steps.
  int64_t residentRegisters;
  /// Chunks that are loaded before they are needed.
  int64_t ahead;
  /// CTAs that a multiprocessor, and the chip, run at a time.
  int64_t ctasPerMultiprocessor;
  int64_t ctas;
};

/// Registers of a lane that hold the operands B of all chunks of `inner`
/// elements (a whole vector-row of the lhs).
int64_t getResidentRegisters(const ChunkLayout &chunk, int64_t vector,
                             int64_t inner);

/// What is asked for; a number that is not is negative or, but for
/// residentRegisters, 0.
struct SddmmTilingRequest {
  int64_t warps = 0, steps = 0, residentRegisters = -1, ahead = 0;
};

/// The tiling of a product of K = `inner`; negative where it is not known.
SddmmTiling chooseSddmmTiling(const ChunkLayout &chunk, int64_t vector,
                              int64_t inner, const GpuTarget &target,
                              SddmmTilingRequest request = {});

} // namespace mlir::magicube

#endif // MAGICUBE_COSTMODEL_SDDMMCOST_H
