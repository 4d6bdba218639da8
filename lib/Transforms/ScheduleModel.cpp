//===- ScheduleModel.cpp - Estimated times of schedules -------------------===//
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

#include "magicube/Transforms/ScheduleModel.h"

#include "magicube/Layout/SharedMemoryLayout.h"
#include "magicube/Layout/StepLayout.h"

#include <algorithm>
#include <cmath>

using namespace mlir::magicube;

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// Launch, first loads and the last stores, which no work hides.
static constexpr double kStreamedMicroseconds = 2.0;
static constexpr double kResidentMicroseconds = 2.6;
/// What a gathered row costs the L2 at least: a line. Rows of one sector or
/// less cost more, as measured at 16 bytes, where many blocks want the same
/// lines.
static constexpr double kLineBytes = 128;
static constexpr double kSectorBytes = 32;
static constexpr double kNarrowGatherBytes = 208;
/// Bytes a clock between one multiprocessor and the L2 while all of them
/// gather, write results, fill slabs, or (resident, results beyond the L2) do
/// all at once.
static constexpr double kGatherBytesPerClock = 41;
static constexpr double kStoreBytesPerClock = 23;
static constexpr double kFillBytesPerClock = 46;
static constexpr double kStreamBytesPerClock = 26;
/// Streamed: clocks of one step of one block, two stages, nothing in the way.
static constexpr double kStreamedStepClocks = 500;
/// Resident: clocks until the values of a step arrive, shared by the stages.
static constexpr double kValueLatencyClocks = 400;
/// Shared-memory wavefronts (clocks) of a step: an ldmatrix.x4 for 16 bytes of
/// a row, which is 4 without conflicts, in either order of the vectors; and
/// what a step costs besides those and one wavefront for each 128 bytes of
/// values and indices.
static constexpr double kBankAwareChunkClocks = 4.5;
static constexpr double kNaturalChunkClocks = 9.7;
static constexpr double kStepClocks = 3.75;
static constexpr double kWavefrontBytes =
    kSharedMemoryBanks * kSharedMemoryBankBytes;
/// A warp's clocks for the begin and the end of a vector-row; those that each
/// warp adds to the beginning of a resident block.
static constexpr double kRowClocks = 380;
static constexpr double kWarpClocks = 70;
/// Bounds that bind at the same time slow each other down.
static constexpr double kOverlapExponent = 3;

/// Vectors of a fragment, also where V is less.
static constexpr int64_t kFragmentVectors = 8;
/// Registers for sums and operands that leave enough for the rest of the 128
/// that each thread of 16 warps has; found by compiling every pair of widths
/// and V for sm_80 and sm_90 (test/python/test_ptxas.py).
static constexpr int64_t kMostRegisters = 80;
static constexpr int64_t kMostWarps = 32;

/// Shapes of resident blocks: bytes of a dense row in the tile, warps, stages.
/// The fastest of those measured on an H200, for slabs of falling size; the one
/// of 32 bytes and 16 warps only where 32 warps lack registers.
static constexpr struct {
  int64_t tileBytes, warps, stages;
} kResidentShapes[] = {
    {64, 16, 4}, {32, 32, 2}, {32, 32, 4}, {32, 16, 4}, {16, 16, 4}};
static constexpr int64_t kWideShape = 3;
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

/// Steps of all vector-rows. Each ends with a half-empty stride on average.
static double countSteps(const ProductNumbers &product) {
  double rows = std::max<int64_t>(1, product.vectorRows);
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
// Streamed
//===----------------------------------------------------------------------===//

/// Each stored vector gathers the row of the dense operand, tile by tile. The
/// L2 bounds that; a block does the steps of its vector-row one after another.
static double estimateStreamed(const ProductNumbers &product,
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
      ceilDiv(product.longest, kStepPositions) * kStreamedStepClocks;
  double store =
      resultBytes(product) / (target.multiprocessors * kStoreBytesPerClock);
  return kStreamedMicroseconds +
         toMicroseconds(overlap(gather, longest) + store, target);
}

//===----------------------------------------------------------------------===//
// Resident
//===----------------------------------------------------------------------===//

/// A block fills its slab and then works on its share of the steps, bound by
/// shared memory (or by MMAs), or by how soon a warp has its next values. Every
/// tile of columns reads the sparse operand again.
static double estimateResident(const ProductNumbers &product,
                               const GpuTarget &target, const Tiling &tiling) {
  double steps = countSteps(product);
  int64_t tiles = std::max<int64_t>(1, ceilDiv(product.columns, tiling.tileN));
  // As getSpmmGrid in Runtime/LaunchRule.h.
  int64_t blockRows = std::min(std::max<int64_t>(1, product.vectorRows),
                               std::max<int64_t>(1, tiling.blocks / tiles));
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
  double block = tiling.warps * kWarpClocks +
                 product.inner * tileBytes / kFillBytesPerClock +
                 overlap(throughput, latency) + rows;
  double result = resultBytes(product);
  double store = result / (target.multiprocessors * kStoreBytesPerClock);
  double stream = (steps * stepBytes(product) * tiles + result) /
                  (target.multiprocessors * kStreamBytesPerClock);
  return kResidentMicroseconds +
         toMicroseconds(std::max(waves * block + store, stream), target);
}

/// Whether the slab, whose place the sums of all warps take afterwards, and the
/// table of the warps' shares fit in shared memory.
static bool fitsSharedMemory(const ProductNumbers &product,
                             const GpuTarget &target, const Tiling &tiling) {
  constexpr int64_t alignment = kSharedMemoryBanks * kSharedMemoryBankBytes;
  constexpr int64_t sumBytes = 4;
  int64_t tileBytes = tiling.tileN * product.denseBits / 8;
  int64_t sums = tiling.warps * tiling.tileN * sumBytes *
                 std::max(product.vector, kFragmentVectors);
  int64_t rows = std::max(product.inner, ceilDiv(sums, tileBytes));
  // Also keeps the product below within range.
  if (rows > target.maxSharedMemoryPerBlock)
    return false;
  int64_t slab = SharedMemoryLayout::get(static_cast<int32_t>(rows),
                                         static_cast<int32_t>(tileBytes))
                     .sizeInBytes();
  return alignTo(slab, alignment) +
             alignTo((tiling.warps + 1) * kWarpStartBytes, alignment) <=
         target.maxSharedMemoryPerBlock;
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
  return sums * (product.accumulators + 1) +
             tiling.stages * product.stepRegisters <=
         kMostRegisters;
}

std::vector<Tiling>
mlir::magicube::residentTilings(const ProductNumbers &product,
                                const GpuTarget &target) {
  std::vector<Tiling> tilings;
  for (const auto &shape : kResidentShapes) {
    if (&shape == &kResidentShapes[kWideShape] && isNarrow(product))
      continue;
    if (shape.tileBytes <= kLdmatrixRowBytes &&
        denseBytes(product, product.columns) >
            kMostChunkTiles * kLdmatrixRowBytes)
      continue;
    Tiling tiling = {/*isResident=*/true,
                     shape.tileBytes * 8 / product.denseBits, shape.warps,
                     shape.stages, target.multiprocessors};
    // The least that a warp can make, of 16-bit elements more than 16 bytes.
    tiling.tileN = alignTo(tiling.tileN, product.groupColumns);
    if (std::find(tilings.begin(), tilings.end(), tiling) == tilings.end() &&
        fitsRegisters(product, tiling) &&
        fitsSharedMemory(product, target, tiling))
      tilings.push_back(tiling);
  }
  return tilings;
}

//===----------------------------------------------------------------------===//
// Choice
//===----------------------------------------------------------------------===//

double mlir::magicube::estimateMicroseconds(const ProductNumbers &product,
                                            const GpuTarget &target,
                                            const Tiling &tiling) {
  return tiling.isResident ? estimateResident(product, target, tiling)
                           : estimateStreamed(product, target, tiling);
}

std::vector<TilingEstimate>
mlir::magicube::estimateTilings(const ProductNumbers &product,
                                const GpuTarget &target, const Tiling &streamed,
                                bool mayBeResident) {
  std::vector<Tiling> tilings;
  if (mayBeResident)
    tilings = residentTilings(product, target);
  tilings.insert(tilings.begin(), streamed);
  std::vector<TilingEstimate> estimates;
  for (const Tiling &tiling : tilings) {
    TilingEstimate estimate = {tiling,
                               estimateMicroseconds(product, target, tiling)};
    // Equal estimates keep the order, streamed first.
    auto place =
        std::upper_bound(estimates.begin(), estimates.end(), estimate,
                         [](const TilingEstimate &a, const TilingEstimate &b) {
                           return a.microseconds < b.microseconds;
                         });
    estimates.insert(place, estimate);
  }
  return estimates;
}
