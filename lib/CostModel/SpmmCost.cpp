//===- SpmmCost.cpp - Estimated times of SpMM schedules -------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times are clocks of a multiprocessor for its share of the work. The constants
// were fitted to the times of benchmarks/schedules.tsv, measured on an H200;
// other chips differ by the numbers of GpuTarget.
//
//===----------------------------------------------------------------------===//

#include "magicube/CostModel/SpmmCost.h"

#include "magicube/Layout/SharedMemoryPlan.h"
#include "magicube/Layout/StepLayout.h"
#include "magicube/Layout/WorkTables.h"

#include <algorithm>
#include <cmath>
#include <optional>

using namespace mlir::magicube;

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// Launch, first loads and the last stores, which no work hides.
static constexpr double kGatheredMicroseconds = 2.0;
static constexpr double kStationaryMicroseconds = 2.05;
/// What a gathered row costs the L2 at least: a line. Rows of one sector or
/// less cost more, as measured at 16 bytes, where many blocks want the same
/// lines.
static constexpr double kLineBytes = 128;
static constexpr double kSectorBytes = 32;
static constexpr double kNarrowGatherBytes = 208;
/// Bytes a clock between one multiprocessor and the L2 while all of them
/// gather, write results, fill tiles (which also takes clocks a row, however
/// short), or (stationary, results beyond the L2) do all at once.
static constexpr double kGatherBytesPerClock = 41;
static constexpr double kStoreBytesPerClock = 23;
static constexpr double kFillBytesPerClock = 59;
static constexpr double kFillRowClocks = 0.5;
static constexpr double kStreamBytesPerClock = 26;
/// Gathered: clocks until the rows of a step are there, nothing in the way,
/// shared by the stages; and those of a step that are not hidden by stages.
static constexpr double kGatheredLatencyClocks = 1000;
static constexpr double kGatheredStepClocks = 200;
/// What each block of a multiprocessor adds for each MMA that a chunk takes
/// besides the first: the combination of its digits' sums.
static constexpr double kGatheredBlockClocks = 40;
/// Stationary: clocks until the values of a step arrive, shared by the stages.
static constexpr double kValueLatencyClocks = 265;
/// Shared-memory wavefronts (clocks) of a step: an ldmatrix.x4 for 16 bytes of
/// a row, which is 4 without conflicts, in either order of the vectors; and
/// what a step costs besides those and one wavefront for each 128 bytes of
/// values and indices.
static constexpr double kBankAwareChunkClocks = 5.5;
static constexpr double kNaturalChunkClocks = 10.7;
static constexpr double kStepClocks = 1.9;
static constexpr double kWavefrontBytes =
    kSharedMemoryBanks * kSharedMemoryBankBytes;
/// A warp's clocks for the begin and the end of a vector-row; those that each
/// warp, and each stage, adds to the beginning of a stationary block.
static constexpr double kRowClocks = 300;
static constexpr double kWarpClocks = 87;
static constexpr double kStageClocks = 60;
/// With K-tiles: clocks of a block between two of them, until all warps are
/// done and have the first values of the next.
static constexpr double kKTileClocks = 1500;
/// Bounds that bind at the same time slow each other down.
static constexpr double kOverlapExponent = 3;

/// Vectors of a fragment, also where V is less.
static constexpr int64_t kFragmentVectors = 8;
/// Registers for sums and operands that leave enough for the rest of the 128
/// that each thread of 16 warps has; found by compiling every pair of widths
/// and V for sm_80 and sm_90, also with epilogues (test/python/test_ptxas.py).
static constexpr int64_t kMostRegisters = 74;
static constexpr int64_t kMostWarps = 32;
static constexpr int64_t kLeastStages = 2;

/// Of a stationary block: bytes of a dense row in the tile, warps, stages.
struct StationaryShape {
  int64_t tileBytes, warps, stages;
};

/// The fastest shapes of those measured on an H200, for tiles of falling size;
/// the one of 32 bytes and 16 warps only where 32 warps lack registers.
static constexpr StationaryShape kStationaryShapes[] = {
    {64, 16, 2}, {64, 16, 4}, {32, 32, 2},
    {32, 32, 4}, {32, 16, 4}, {16, 16, 4}};
static constexpr int64_t kWideShape = 4;
/// The same with K-tiles, which cost more the fewer rows they have: so tiles
/// are as narrow as they can be. The first where 32 warps have enough
/// registers.
static constexpr StationaryShape kNarrowKTileShape = {16, 32, 4};
static constexpr StationaryShape kWideKTileShape = {16, 16, 4};
/// A tile of one chunk is for products of few of them: each reads the sparse
/// operand again.
static constexpr int64_t kMostChunkTiles = 1;

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

static int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }
static int64_t alignTo(int64_t a, int64_t b) { return ceilDiv(a, b) * b; }

static double overlap(double a, double b) {
  return std::pow(std::pow(a, kOverlapExponent) + std::pow(b, kOverlapExponent),
                  1 / kOverlapExponent);
}

/// K segments of a vector-row.
static int64_t countSegments(const ProductNumbers &product) {
  return product.slab == 0 ? 1 : ceilDiv(product.inner, product.slab);
}

/// Steps of all K segments. Each ends with a half-empty stride on average.
static double countSteps(const ProductNumbers &product) {
  double rows =
      double(std::max<int64_t>(1, product.vectorRows)) * countSegments(product);
  double stride = std::max<int64_t>(product.stride, kStepPositions);
  double mean = product.vectors / rows;
  double padding = std::min(stride / 2, mean);
  return (product.vectors + rows * padding) / kStepPositions;
}

/// Bytes of values and indices of a step.
static double stepBytes(const ProductNumbers &product) {
  return kStepPositions *
         (product.vector * product.valueBits / 8.0 + product.indexBytes);
}

static double resultBytes(const ProductNumbers &product) {
  return double(product.vectorRows) * product.vector * product.columns *
         product.resultBits / 8.0;
}

static double denseBytes(const ProductNumbers &product, int64_t columns) {
  return columns * product.denseBits / 8.0;
}

static double toMicroseconds(double clocks, const GpuTarget &target) {
  constexpr double clocksPerMicrosecond = 1000;
  return clocks / (target.clockGigahertz * clocksPerMicrosecond);
}

//===----------------------------------------------------------------------===//
// Gathered
//===----------------------------------------------------------------------===//

/// Each stored vector gathers the row of the dense operand, tile by tile. The
/// L2 bounds that; a block does the steps of its vector-row one after another.
static double estimateGathered(const ProductNumbers &product,
                               const GpuTarget &target, const Tiling &tiling) {
  double steps = countSteps(product);
  int64_t tiles = ceilDiv(product.columns, tiling.tileN);
  double leastBytes = denseBytes(product, tiling.tileN) <= kSectorBytes
                          ? kNarrowGatherBytes
                          : kLineBytes;
  double rowBytes =
      std::max(denseBytes(product, product.columns), tiles * leastBytes);
  double gather = steps *
                  (kStepPositions * rowBytes + tiles * stepBytes(product)) /
                  (target.multiprocessors * kGatherBytesPerClock);
  double longest =
      ceilDiv(product.longest, kStepPositions) *
      std::max(kGatheredStepClocks, kGatheredLatencyClocks / tiling.stages);
  double store =
      resultBytes(product) / (target.multiprocessors * kStoreBytesPerClock);
  double blocks = double(product.vectorRows) * tiles / target.multiprocessors *
                  (product.chunkMmas - 1) * kGatheredBlockClocks;
  return kGatheredMicroseconds +
         toMicroseconds(overlap(gather, longest) + store + blocks, target);
}

//===----------------------------------------------------------------------===//
// Stationary
//===----------------------------------------------------------------------===//

/// A block fills its tile and then works on its range of the steps, bound by
/// shared memory (or by MMAs), or by how soon a warp has its next values. Every
/// tile of columns reads the sparse operand again.
static double estimateStationary(const ProductNumbers &product,
                                 const GpuTarget &target,
                                 const Tiling &tiling) {
  double steps = countSteps(product);
  int64_t tiles = std::max<int64_t>(1, ceilDiv(product.columns, tiling.tileN));
  int64_t vectorRows = std::max<int64_t>(1, product.vectorRows);
  // As the grid of the launch plan (SpmmPlan.cpp).
  int64_t blockRows =
      tiling.rowsPerCta == 0
          ? std::min(vectorRows, std::max<int64_t>(1, tiling.numCtas / tiles))
          : ceilDiv(vectorRows, tiling.rowsPerCta);
  int64_t waves = ceilDiv(blockRows * tiles, target.multiprocessors);
  double tileBytes = denseBytes(product, tiling.tileN);

  double blockSteps = steps / blockRows;
  double chunkClocks = std::max(product.isBankAware ? kBankAwareChunkClocks
                                                    : kNaturalChunkClocks,
                                product.chunkMmas * target.int8MmaClocks);
  double throughput =
      blockSteps * (chunkClocks * tileBytes / kLdmatrixRowBytes + kStepClocks +
                    stepBytes(product) / kWavefrontBytes);
  double latency =
      blockSteps / tiling.warps * kValueLatencyClocks / tiling.stages;
  double rows =
      double(product.vectorRows) / blockRows / tiling.warps * kRowClocks;
  double block =
      tiling.warps * kWarpClocks + tiling.stages * kStageClocks +
      product.inner * (tileBytes / kFillBytesPerClock + kFillRowClocks) +
      overlap(throughput, latency) + rows +
      (countSegments(product) - 1) * kKTileClocks;
  double result = resultBytes(product);
  double store = result / (target.multiprocessors * kStoreBytesPerClock);
  double stream = (steps * stepBytes(product) * tiles + result) /
                  (target.multiprocessors * kStreamBytesPerClock);
  return kStationaryMicroseconds +
         toMicroseconds(std::max(waves * block + store, stream), target);
}

/// What a tiling's shared memory depends on.
static SharedMemoryNumbers getMemoryNumbers(const ProductNumbers &product,
                                            const Tiling &tiling) {
  return {product.vector, product.valueBits, product.denseBits, tiling.tileN,
          tiling.warps};
}

/// Whether all rows of the dense operand fit in shared memory.
static bool fitsSharedMemory(const ProductNumbers &product,
                             const GpuTarget &target, const Tiling &tiling) {
  return SharedMemoryPlan::getStationary(getMemoryNumbers(product, tiling),
                                         product.inner)
             .bytes() <= target.maxSharedMemoryPerBlock;
}

/// Sets vector-rows and K-tiles of a block, one for each multiprocessor: as
/// many K-tiles as fit in shared memory; false if not one does.
static bool setKTiles(const ProductNumbers &product, const GpuTarget &target,
                      Tiling &tiling) {
  if (!fitsSegmentCuts(product.inner, product.slab))
    return false;
  tiling.numCtas = 0;
  tiling.rowsPerCta = std::min(
      kMaxRowsPerCta, std::max<int64_t>(1, ceilDiv(product.vectorRows,
                                                   target.multiprocessors)));
  int64_t most = std::min(countSegments(product), kMaxSmemStages);
  for (tiling.smemStages = most; tiling.smemStages > 0; --tiling.smemStages)
    if (SharedMemoryPlan::getStationaryKTiles(
            getMemoryNumbers(product, tiling), product.inner, product.slab,
            tiling.rowsPerCta, tiling.smemStages)
            .bytes() <= target.maxSharedMemoryPerBlock)
      return true;
  return false;
}

/// Whether 32 warps' threads, of 64 registers, hold what one step needs: bytes,
/// and vectors of one fragment.
static bool isNarrow(const ProductNumbers &product) {
  constexpr int64_t byteBits = 8;
  return product.valueBits <= byteBits && product.denseBits == byteBits &&
         product.vector <= kFragmentVectors;
}

/// Whether ptxas keeps all values of a thread in registers: accumulators, the
/// sums of a vector-row's end, operands that were fetched ahead.
static bool fitsRegisters(const ProductNumbers &product, const Tiling &tiling) {
  if (tiling.warps == kMostWarps)
    return isNarrow(product);
  int64_t sums =
      tiling.tileN * std::max(product.vector, kFragmentVectors) / kWarpSize;
  // Two stages have been compiled only where three would do, too.
  int64_t stages = std::max(tiling.stages, kLeastStages + 1);
  return sums * (product.accumulators + 1) + stages * product.stepRegisters <=
         kMostRegisters;
}

/// A tiling of a shape, as far as the chip has room for it.
static std::optional<Tiling> getStationary(const ProductNumbers &product,
                                           const GpuTarget &target,
                                           const StationaryShape &shape) {
  Tiling tiling = {/*isStationary=*/true,
                   shape.tileBytes * 8 / product.denseBits, shape.warps,
                   shape.stages, target.multiprocessors};
  // The least that a warp can make, of 16-bit elements more than 16 bytes.
  tiling.tileN = alignTo(tiling.tileN, product.groupColumns);
  // Where a stage less is enough, it costs less than a smaller tile.
  if (!fitsRegisters(product, tiling) && tiling.stages > kLeastStages)
    --tiling.stages;
  if (!fitsRegisters(product, tiling))
    return std::nullopt;
  bool fits = product.slab == 0 ? fitsSharedMemory(product, target, tiling)
                                : setKTiles(product, target, tiling);
  return fits ? std::optional(tiling) : std::nullopt;
}

std::vector<Tiling>
mlir::magicube::stationaryTilings(const ProductNumbers &product,
                                  const GpuTarget &target) {
  std::vector<Tiling> tilings;
  auto add = [&](const StationaryShape &shape) {
    std::optional<Tiling> tiling = getStationary(product, target, shape);
    if (tiling &&
        std::find(tilings.begin(), tilings.end(), *tiling) == tilings.end())
      tilings.push_back(*tiling);
  };
  if (product.slab != 0) {
    add(isNarrow(product) ? kNarrowKTileShape : kWideKTileShape);
    return tilings;
  }
  for (const StationaryShape &shape : kStationaryShapes) {
    if (&shape == &kStationaryShapes[kWideShape] && isNarrow(product))
      continue;
    if (shape.tileBytes <= kLdmatrixRowBytes &&
        denseBytes(product, product.columns) >
            kMostChunkTiles * kLdmatrixRowBytes)
      continue;
    add(shape);
  }
  return tilings;
}

//===----------------------------------------------------------------------===//
// Choice
//===----------------------------------------------------------------------===//

double mlir::magicube::estimateMicroseconds(const ProductNumbers &product,
                                            const GpuTarget &target,
                                            const Tiling &tiling) {
  return tiling.isStationary ? estimateStationary(product, target, tiling)
                             : estimateGathered(product, target, tiling);
}

std::vector<TilingEstimate>
mlir::magicube::estimateTilings(const ProductNumbers &product,
                                const GpuTarget &target, const Tiling &gathered,
                                bool mayBeStationary) {
  std::vector<Tiling> tilings;
  if (mayBeStationary)
    tilings = stationaryTilings(product, target);
  tilings.insert(tilings.begin(), gathered);
  std::vector<TilingEstimate> estimates;
  for (const Tiling &tiling : tilings) {
    TilingEstimate estimate = {tiling,
                               estimateMicroseconds(product, target, tiling)};
    // Equal estimates keep the order, gathered first.
    auto place =
        std::upper_bound(estimates.begin(), estimates.end(), estimate,
                         [](const TilingEstimate &a, const TilingEstimate &b) {
                           return a.microseconds < b.microseconds;
                         });
    estimates.insert(place, estimate);
  }
  return estimates;
}
