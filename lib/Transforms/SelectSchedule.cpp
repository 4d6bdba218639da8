//===- SelectSchedule.cpp - magicube-select-schedule ----------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the chip and every product's schedule into the IR.
//
//===----------------------------------------------------------------------===//

#include "dialect/magicube/MagicubeDialect.h"
#include "magicube/Layout/OperandPlanes.h"
#include "magicube/Target/GpuTarget.h"
#include "magicube/Transforms/Passes.h"
#include "magicube/Transforms/ScheduleModel.h"

#include "llvm/ADT/SmallSet.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::magicube {
#define GEN_PASS_DEF_MAGICUBESELECTSCHEDULEPASS
#include "magicube/Transforms/Passes.h.inc"
} // namespace mlir::magicube

using namespace mlir;
using namespace mlir::magicube;

/// Bytes of a row of the dense operand in a block's tile where N is large or
/// unknown, those of a warp, and tiles in the ring: the fastest of all that
/// were measured on an H200 for V = 2, 4, 8 (benchmarks/README.md). Few large
/// warps beat many small ones: the cost of a step is spread over more MMAs.
static constexpr int64_t kDefaultTileBytes = 128;
static constexpr int64_t kWarpBytes = 64;
static constexpr int64_t kDefaultStages = 2;

/// The recipe of a product whose warps own `warpColumns` columns.
static StringRef getDefaultRecipe(int64_t vector, int64_t lhsBits,
                                  int64_t rhsBits, int64_t warpColumns) {
  std::string_view required = getRequiredRecipe(lhsBits);
  if (!required.empty())
    return StringRef(required);
  // Interleaving saves a permute per MMA; it needs short vectors and two
  // chunks.
  StringRef interleave = "interleave";
  Result<StepLayout> step = getStepLayout(interleave, vector);
  bool isPossible = step && lhsBits == 8 && rhsBits == 8 &&
                    warpColumns % step->columns() == 0;
  return isPossible ? interleave : "transpose";
}

/// The streamed schedule of a product with vectors of length `vector` and `n`
/// columns (or a dynamic number).
static Tiling getStreamedTiling(int64_t vector, int64_t rhsBits, int64_t n) {
  constexpr int64_t byteBits = 8;
  int64_t tile = kDefaultTileBytes * byteBits / rhsBits;
  // One group of chunks: the least that a warp can own, the same for all
  // recipes but "interleave".
  StepLayout step = *getStepLayout("transpose", vector);
  int64_t minTile = getDenseOperand(step, rhsBits)->columns();
  if (!ShapedType::isDynamic(n))
    tile = std::clamp<int64_t>(llvm::PowerOf2Ceil(n), minTile, tile);
  int64_t warps = std::max<int64_t>(1, tile * rhsBits / byteBits / kWarpBytes);
  return {/*isResident=*/false, tile, warps, kDefaultStages, /*blocks=*/0};
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
  product.columns =
      getOr(op.getOutputType().getShape().back(), kAssumedColumns);
  if (std::optional<PatternAttr> pattern = op.getPattern()) {
    product.vectors = pattern->getVectors();
    product.longest = pattern->getLongest();
    return;
  }
  product.longest = llvm::divideCeil(product.inner, kAssumedSparsity);
  product.vectors = product.vectorRows * product.longest;
}

/// Columns of a tile, MMAs and registers, from the operands' layouts.
static void getStepNumbers(SpmmOp op, ProductNumbers &product) {
  int64_t lhsBits = op.getLhsType().getElementType().getIntOrFloatBitWidth();
  std::string_view recipe = getRequiredRecipe(lhsBits);
  StepLayout step =
      *getStepLayout(recipe.empty() ? "transpose" : recipe, product.vector);
  DenseOperand rhs = *getDenseOperand(step, product.denseBits);
  SparseOperand lhs = *getSparseOperand(step, lhsBits);
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

static ProductNumbers getNumbers(SpmmOp op) {
  ProductNumbers product;
  getSizes(op, product);
  SRBCRSAttr encoding = op.getEncoding();
  product.stride = encoding.getStride();
  product.isBankAware = encoding.getOrder() == VectorOrder::BankAware;
  product.indexBytes = encoding.getIndex() == IndexWidth::U16 ? sizeof(uint16_t)
                                                              : sizeof(int32_t);
  // 12-bit values are stored in 16.
  product.valueBits = llvm::PowerOf2Ceil(
      op.getLhsType().getElementType().getIntOrFloatBitWidth());
  product.denseBits = op.getRhsElementType().getIntOrFloatBitWidth();
  product.resultBits =
      op.getOutputType().getElementType().getIntOrFloatBitWidth();
  getStepNumbers(op, product);
  return product;
}

/// Whether a kernel with a resident dense operand can be made for the product.
static bool mayBeResident(SpmmOp op) {
  auto rhs = cast<ShapedType>(op.getRhs().getType());
  return rhs.getRank() == 2 && !ShapedType::isDynamic(rhs.getDimSize(0)) &&
         op.getEncoding().getStride() % kStepPositions == 0 &&
         op.getEncoding().getSlab() == 0;
}

/// The schedule that the model takes for the fastest.
static ScheduleAttr getDefaultSchedule(SpmmOp op, const GpuTarget &target) {
  ProductNumbers product = getNumbers(op);
  Tiling streamed = getStreamedTiling(product.vector, product.denseBits,
                                      op.getOutputType().getShape().back());
  Tiling tiling = estimateTilings(product, target, streamed, mayBeResident(op))
                      .front()
                      .tiling;
  int64_t warpColumns =
      tiling.isResident ? tiling.tileN : tiling.tileN / tiling.warps;
  StringRef recipe = getDefaultRecipe(
      product.vector, op.getLhsType().getElementType().getIntOrFloatBitWidth(),
      product.denseBits, warpColumns);
  return ScheduleAttr::get(
      op.getContext(), tiling.tileN, tiling.warps, tiling.stages, recipe,
      tiling.isResident ? RhsPlace::Resident : RhsPlace::Streamed,
      SharedForm::ConflictFree, tiling.blocks);
}

namespace {

struct MagicubeSelectSchedulePass
    : magicube::impl::MagicubeSelectSchedulePassBase<
          MagicubeSelectSchedulePass> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    FailureOr<const GpuTarget *> target = getTarget(module, chip);
    if (failed(target))
      return signalPassFailure();
    module->setAttr(MagicubeDialect::kChipAttrName,
                    StringAttr::get(&getContext(), chip.getValue()));
    module.walk([&](SpmmOp op) {
      if (!op.getSchedule())
        op.setScheduleAttr(getDefaultSchedule(op, **target));
      // Equal schedules are equal programs, whatever matrix they are for.
      op.removePatternAttr();
    });
  }
};

} // namespace
