//===- SddmmCost.cpp - Tilings of a sampled product -----------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "magicube/CostModel/SddmmCost.h"

#include <algorithm>

using namespace mlir::magicube;

/// Few warps a CTA: on an H200 as fast as more of them where all vector-rows
/// have as many vectors, and faster where they do not, as a CTA ends with its
/// longest. (18 pruned matrices, K = 256, 8 bits, geometric mean over the
/// published kernels: 2.34 times as fast with 4, 2.24 with 8, 2.09 with 16.)
static constexpr int64_t kDefaultWarps = 4;

/// On an H200, K = 512, V = 8: 32 registers (8 bits) are better than loads in
/// each step (11.2 us against 12.5 at sparsity 0.7), 64 (16 bits) are not (10.1
/// us against 8.8 at 0.9).
static constexpr int64_t kDefaultResidentRegisters = 48;

/// 1, 2 and 3 are equally fast.
static constexpr int64_t kDefaultAhead = 2;

/// Warps of a multiprocessor at a time: with 16, a lane has 128 registers,
/// which the gathered rows that are under way and the lhs fill; with 12 it has
/// 168, without which vectors of 16 and loops over K spill.
static constexpr int64_t kWarpsPerMultiprocessor = 16;
static constexpr int64_t kFewWarpsPerMultiprocessor = 12;

int64_t mlir::magicube::getResidentRegisters(const ChunkLayout &chunk,
                                             int64_t vector, int64_t inner) {
  int64_t chunks = (inner + chunk.elements() - 1) / chunk.elements();
  int64_t fragments = (vector + chunk.mma->n - 1) / chunk.mma->n;
  int64_t planes = static_cast<int64_t>(chunk.lhs.planes.size());
  return chunks * fragments * planes * chunk.slices() * chunk.mma->bRegisters();
}

SddmmTiling mlir::magicube::chooseSddmmTiling(const ChunkLayout &chunk,
                                              int64_t vector, int64_t inner,
                                              const GpuTarget &target,
                                              SddmmTilingRequest request) {
  SddmmTiling tiling{kDefaultWarps,
                     /*steps=*/0,
                     kDefaultResidentRegisters,
                     kDefaultAhead,
                     /*ctasPerMultiprocessor=*/0,
                     /*ctas=*/0};
  if (request.warps > 0)
    tiling.warps = request.warps;
  if (request.steps > 0)
    tiling.steps = request.steps;
  if (request.residentRegisters >= 0)
    tiling.residentRegisters = request.residentRegisters;
  if (request.ahead > 0)
    tiling.ahead = request.ahead;
  bool isLarge = inner < 0 || vector > chunk.mma->n;
  int64_t warps =
      isLarge ? kFewWarpsPerMultiprocessor : kWarpsPerMultiprocessor;
  tiling.ctasPerMultiprocessor = std::max<int64_t>(warps / tiling.warps, 1);
  tiling.ctas = target.multiprocessors * tiling.ctasPerMultiprocessor;
  return tiling;
}
