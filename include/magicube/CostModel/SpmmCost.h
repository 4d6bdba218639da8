//===- SpmmCost.h - Estimated times of SpMM schedules ---------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How long an SpMM kernel is likely to take, by schedule: a pure function of
// sizes, statistics of the sparse operand and the chip. docs/Schedules.md
// derives the formulas. No LLVM, so that tests need none.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_COSTMODEL_SPMMCOST_H
#define MAGICUBE_COSTMODEL_SPMMCOST_H

#include "magicube/Target/GpuTarget.h"

#include <cstdint>
#include <vector>

namespace mlir::magicube {

/// A product in numbers.
struct ProductNumbers {
  /// M / V, K and N.
  int64_t vectorRows;
  int64_t inner;
  int64_t columns;
  /// Stored vectors without padding, and those of the longest vector-row.
  int64_t vectors;
  int64_t longest;
  /// V and stride of the storage.
  int64_t vector;
  int64_t stride;
  /// The encoding's slab: rows of the dense operand in a K-tile; 0 without.
  int64_t slab = 0;
  /// Whether the order of the vectors avoids bank conflicts.
  bool isBankAware;
  /// Container of a column index in bytes, of a sparse value, an element of the
  /// dense operand and one of the result in bits.
  int64_t indexBytes;
  int64_t valueBits;
  int64_t denseBits;
  int64_t resultBits;
  /// MMAs of one step for 16 bytes of the dense operand's row.
  double chunkMmas;
  /// Columns that a tile is a multiple of.
  int64_t groupColumns;
  /// Accumulators of one result: different weights of pairs of digits.
  int64_t accumulators;
  /// Registers of a lane for values and indices of one step.
  int64_t stepRegisters;
};

/// The part of a schedule that the model chooses.
struct Tiling {
  bool isStationary;
  int64_t tileN;
  int64_t warps;
  int64_t stages;
  /// 0 if gathered, or with K-tiles.
  int64_t numCtas;
  /// Stationary with K-tiles: vector-rows of a CTA, K-tiles in shared memory.
  int64_t rowsPerCta = 0;
  int64_t smemStages = 1;

  bool operator==(const Tiling &other) const {
    return isStationary == other.isStationary && tileN == other.tileN &&
           warps == other.warps && stages == other.stages &&
           numCtas == other.numCtas && rowsPerCta == other.rowsPerCta &&
           smemStages == other.smemStages;
  }
};

struct TilingEstimate {
  Tiling tiling;
  double microseconds;
};

/// The estimated time of a tiling.
double estimateMicroseconds(const ProductNumbers &product,
                            const GpuTarget &target, const Tiling &tiling);

/// The stationary tilings worth considering that fit the chip, in no order.
std::vector<Tiling> stationaryTilings(const ProductNumbers &product,
                                      const GpuTarget &target);

/// `gathered` and, where `mayBeStationary`, the stationary tilings, by
/// ascending estimate. Never empty.
std::vector<TilingEstimate> estimateTilings(const ProductNumbers &product,
                                            const GpuTarget &target,
                                            const Tiling &gathered,
                                            bool mayBeStationary);

} // namespace mlir::magicube

#endif // MAGICUBE_COSTMODEL_SPMMCOST_H
