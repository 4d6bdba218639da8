//===- SpmmSchedule.cpp - The schedule of a product -----------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operand layout, tiling and pipelining: what the model takes for the fastest.
//
//===----------------------------------------------------------------------===//

#include "ComputeOps.h"

#include "magicube/CostModel/SpmmCost.h"
#include "magicube/Layout/ResultPacking.h"
#include "magicube/Target/GpuTarget.h"

#include "llvm/ADT/SmallSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::magicube;

/// Gathered: bytes of a row of the dense operand in a block's tile where N is
/// large or unknown, those of a warp, and tiles in the ring: the fastest of all
/// that were measured on an H200 for V = 2, 4, 8. Few large warps beat many
/// small ones: the cost of a step is spread over more MMAs.
static constexpr int64_t kDefaultTileBytes = 128;
static constexpr int64_t kWarpBytes = 64;
static constexpr int64_t kDefaultStages = 2;
/// Warps and ring where one tile has all columns: there are few blocks, and
/// latency is what there is to hide.
static constexpr int64_t kNarrowWarpBytes = 32;
static constexpr int64_t kNarrowStages = 6;

/// The step of a product in a layout.
static Result<StepLayout> getStep(SpmmOp op, OperandLayout layout) {
  return getStepLayout(layout, op.getWidths(), op.getEncoding().getVector());
}

/// The layout for int4 MMAs. Spread, an A fragment costs 4 permutes and, for
/// vectors of more than 4, twice the MMAs; merged 10 operations. So spread is
/// better as long as no more MMAs come of it, or ldmatrix's 4 phases hide them.
static OperandLayout getInt4Layout(SpmmOp op, const GpuTarget &target) {
  constexpr int64_t nibbleBits = 4;
  OperandLayout spread{OperandForm::Spread}, merged{OperandForm::Merged};
  StepLayout step = *getStep(op, spread);
  int64_t mmas = op.getWidths().sparse / nibbleBits * step.fragments() *
                 (step.sharesColumns ? 1 : 2);
  bool isHidden = mmas * target.int8MmaClocks <= kLdmatrixClocks;
  return step.sharesColumns || isHidden ? spread : merged;
}

/// A layout, and where it pays.
struct LayoutPreference {
  OperandLayout layout;
  /// Only where two MMAs take longer than the ldmatrix that feeds them.
  bool isForSlowMmas = false;
};

/// Layouts by what they cost in MMAs and byte permutes, the best first; the
/// first is taken that fits vectors, widths, signs and the warp's columns.
/// Digits that share an MMA save half of the MMAs; raw registers save a permute
/// per ldmatrix register and may take twice the MMAs (docs/Precision.md has the
/// numbers; raw without digits in idle columns, which doubles the MMAs to save
/// permutes, lost on an H200). All products have the last one.
static constexpr LayoutPreference kPreferences[] = {
    {{OperandForm::Interleaved, GatherOrder::Paired, IdleColumns::Digits}},
    {{OperandForm::Transposed, GatherOrder::Standard, IdleColumns::Digits},
     /*isForSlowMmas=*/true},
    {{OperandForm::Interleaved, GatherOrder::Paired}},
    {{OperandForm::Interleaved}},
    {{OperandForm::Raw, GatherOrder::Standard, IdleColumns::Digits}},
    {{OperandForm::Transposed, GatherOrder::Standard, IdleColumns::Digits}},
    {{OperandForm::Transposed}}};

/// Whether a layout takes a product whose warps own `warpColumns` columns, and
/// pays.
static bool isApplicable(const LayoutPreference &preference, SpmmOp op,
                         int64_t warpColumns, bool isStationary,
                         const GpuTarget &target) {
  if (preference.isForSlowMmas && 2 * target.int8MmaClocks <= kLdmatrixClocks)
    return false;
  Result<StepLayout> step = getStep(op, preference.layout);
  if (!step ||
      !checkSigns(step->layout, op.getUnsignedLhs(), op.getUnsignedRhs()))
    return false;
  // The bank-aware order is one for the phases of the standard one.
  if (isStationary && op.getEncoding().getOrder() == VectorOrder::BankAware &&
      step->layout.order != GatherOrder::Standard)
    return false;
  // Digits in neighbouring registers are added as integers.
  if (op.getAccumulate() && step->foldShift != 0)
    return false;
  Result<DenseOperand> dense = getDenseOperand(*step);
  if (!dense || warpColumns % dense->columns() != 0)
    return false;
  constexpr int64_t byteBits = 8;
  if (op.getResultBits() <= byteBits &&
      !getResultPacking(*dense, op.getResultBits()))
    return false;
  return bool(getSparseOperand(*step));
}

static OperandLayout getDefaultLayout(SpmmOp op, int64_t warpColumns,
                                      bool isStationary,
                                      const GpuTarget &target) {
  if (op.getComputeType().isInteger(4))
    return getInt4Layout(op, target);
  const auto *found =
      llvm::find_if(kPreferences, [&](const LayoutPreference &preference) {
        return isApplicable(preference, op, warpColumns, isStationary, target);
      });
  return found->layout;
}

/// The gathered schedule of a product.
static Tiling getGatheredTiling(SpmmOp op) {
  constexpr int64_t byteBits = 8;
  int64_t rhsBits = op.getRhsElementType().getIntOrFloatBitWidth();
  int64_t n = op.getNumColumns();
  int64_t tile = kDefaultTileBytes * byteBits / rhsBits;
  // One group of chunks of a layout that all products have.
  StepLayout step = *getStep(op, {OperandForm::Transposed});
  int64_t minTile = getDenseOperand(step)->columns();
  bool isNarrow = !ShapedType::isDynamic(n) && n <= tile;
  if (isNarrow)
    tile = std::max<int64_t>(llvm::PowerOf2Ceil(n), minTile);
  int64_t warpBytes = isNarrow ? kNarrowWarpBytes : kWarpBytes;
  int64_t warps = std::max<int64_t>(1, tile * rhsBits / byteBits / warpBytes);
  // A digit of 4 bits has accumulators of its own: with two fragments of them a
  // warp's are more than its registers hold, so it gets half the columns.
  if (op.getComputeType().isInteger(4))
    warps = std::min(warps * step.fragments(), tile / minTile);
  int64_t stages = isNarrow ? kNarrowStages : kDefaultStages;
  return {/*isStationary=*/false, tile, warps, stages, /*numCtas=*/0};
}

//===----------------------------------------------------------------------===//
// The product in numbers
//===----------------------------------------------------------------------===//

/// What is assumed of extents that the types leave open: a large product.
static constexpr int64_t kAssumedRows = 4096;
static constexpr int64_t kAssumedInner = 4096;
static constexpr int64_t kAssumedColumns = 1024;
/// One of so many vectors is stored, if nothing is known of the matrix.
static constexpr int64_t kAssumedSparsity = 10;

/// Extents and pattern of the operands; what is unknown is assumed.
static void getSizes(SpmmOp op, ProductNumbers &product) {
  auto getOr = [](int64_t extent, int64_t assumed) {
    return ShapedType::isDynamic(extent) ? assumed : extent;
  };
  RankedTensorType lhs = op.getLhsType();
  product.vector = op.getEncoding().getVector();
  product.vectorRows =
      getOr(lhs.getDimSize(lhs.getRank() - 2), kAssumedRows) / product.vector;
  product.inner = getOr(lhs.getShape().back(), kAssumedInner);
  product.columns = getOr(op.getNumColumns(), kAssumedColumns);
  if (std::optional<PatternAttr> pattern = op.getPattern()) {
    product.vectors = pattern->getVectors();
    product.longest = pattern->getLongest();
    return;
  }
  product.longest = llvm::divideCeil(product.inner, kAssumedSparsity);
  product.vectors = product.vectorRows * product.longest;
}

/// Columns of a tile, MMAs and registers, from the operands' layouts in a
/// layout that all tiles have.
static void getStepNumbers(SpmmOp op, const GpuTarget &target,
                           ProductNumbers &product) {
  OperandLayout layout{OperandForm::Transposed};
  if (op.getComputeType().isInteger(4))
    layout = getInt4Layout(op, target);
  StepLayout step = *getStep(op, layout);
  DenseOperand rhs = *getDenseOperand(step);
  SparseOperand lhs = *getSparseOperand(step);
  product.groupColumns = rhs.columns();
  product.chunkMmas = double(step.fragments()) * lhs.planes.size() *
                      rhs.planes.size() / rhs.chunks;
  // Pairs of digits of equal weight share an accumulator.
  llvm::SmallSet<int32_t, 4> shifts;
  for (const OperandPlane &sparse : lhs.planes)
    for (const OperandPlane &dense : rhs.planes)
      shifts.insert(sparse.shift + dense.shift);
  product.accumulators = shifts.size();
  product.stepRegisters = lhs.words * step.fragments() + step.calls();
}

static ProductNumbers getNumbers(SpmmOp op, const GpuTarget &target) {
  ProductNumbers product;
  getSizes(op, product);
  SRBCRSAttr encoding = op.getEncoding();
  product.stride = encoding.getStride();
  product.slab = encoding.getSlab();
  product.isBankAware = encoding.getOrder() == VectorOrder::BankAware;
  product.indexBytes = encoding.getIndex() == IndexWidth::U16 ? sizeof(uint16_t)
                                                              : sizeof(int32_t);
  // 12-bit values are stored in 16.
  product.valueBits =
      llvm::PowerOf2Ceil(op.getLhsElementType().getIntOrFloatBitWidth());
  product.denseBits = op.getRhsElementType().getIntOrFloatBitWidth();
  product.resultBits = op.getResultBits();
  getStepNumbers(op, target, product);
  return product;
}

/// Whether a kernel with a stationary dense operand can be made for the
/// product.
static bool mayBeStationary(SpmmOp op) {
  auto rhs = cast<ShapedType>(op.getRhs().getType());
  // On 4-bit MMAs it has not been measured.
  return rhs.getRank() == 2 && !ShapedType::isDynamic(rhs.getDimSize(0)) &&
         !op.getAccumulate() && op.getComputeType().isInteger(8) &&
         op.getEncoding().getStride() % kStepPositions == 0;
}

static Attribute getPlacement(MLIRContext *context, const Tiling &tiling) {
  if (!tiling.isStationary)
    return GatheredAttr::get(context, tiling.stages);
  if (tiling.rowsPerCta == 0)
    return StationaryAttr::get(context, tiling.stages, tiling.numCtas);
  return StationaryKTilesAttr::get(context, tiling.stages, tiling.rowsPerCta,
                                   tiling.smemStages);
}

ScheduleAttr mlir::magicube::chooseSpmmSchedule(Operation *operation,
                                                const GpuTarget &target) {
  auto op = cast<SpmmOp>(operation);
  ProductNumbers product = getNumbers(op, target);
  Tiling tiling = estimateTilings(product, target, getGatheredTiling(op),
                                  mayBeStationary(op))
                      .front()
                      .tiling;
  int64_t warpColumns =
      tiling.isStationary ? tiling.tileN : tiling.tileN / tiling.warps;
  OperandLayout layout =
      getDefaultLayout(op, warpColumns, tiling.isStationary, target);
  return ScheduleAttr::get(op.getContext(), tiling.tileN, tiling.warps,
                           OperandLayoutAttr::get(op.getContext(), layout),
                           SharedForm::ConflictFree,
                           getPlacement(op.getContext(), tiling));
}
