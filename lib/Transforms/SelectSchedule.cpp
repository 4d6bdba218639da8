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

/// The form of the operands of int4 MMAs. Spread, an A fragment costs 4
/// permutes and, for vectors of more than 4, twice the MMAs; merged 10
/// operations. So spread is better as long as no more MMAs come of it, or
/// ldmatrix's 4 phases hide them.
static Int4Form getInt4Form(const GpuTarget &target, int64_t vector,
                                int64_t lhsBits) {
  constexpr int64_t nibbleBits = 4;
  StepLayout spread =
      *getStepLayout(getInt4Recipe(Int4Form::Spread, lhsBits), vector);
  int64_t mmas = lhsBits / nibbleBits * spread.fragments() *
                 (spread.sharesColumns ? 1 : 2);
  bool isHidden = mmas * target.int8MmaClocks <= kLdmatrixClocks;
  return spread.sharesColumns || isHidden ? Int4Form::Spread
                                          : Int4Form::Merge;
}

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

/// The schedule of a product.
static ScheduleAttr getDefaultSchedule(SpmmOp op, const GpuTarget &target) {
  int64_t vector = op.getEncoding().getVector();
  int64_t lhsBits = op.getLhsType().getElementType().getIntOrFloatBitWidth();
  int64_t rhsBits = op.getRhsElementType().getIntOrFloatBitWidth();
  int64_t n = op.getOutputType().getShape().back();
  constexpr int64_t byteBits = 8;
  int64_t tile = kDefaultTileBytes * byteBits / rhsBits;
  // One group of chunks: the least that a warp can own, the same for all
  // recipes but "interleave".
  StepLayout step = *getStepLayout("transpose", vector);
  int64_t minTile = getDenseOperand(step, rhsBits)->columns();
  if (!ShapedType::isDynamic(n))
    tile = std::clamp<int64_t>(llvm::PowerOf2Ceil(n), minTile, tile);
  int64_t warps = std::max<int64_t>(1, tile * rhsBits / byteBits / kWarpBytes);
  StringRef recipe;
  if (op.getComputeType().isInteger(4)) {
    recipe = getInt4Recipe(getInt4Form(target, vector, lhsBits), lhsBits);
    // A digit of 4 bits has accumulators of its own: with two fragments of them
    // a warp's are more than its registers hold, so it gets half the columns.
    warps = std::min(warps * step.fragments(), tile / minTile);
  } else {
    recipe = getDefaultRecipe(vector, lhsBits, rhsBits, tile / warps);
  }
  return ScheduleAttr::get(op.getContext(), tile, warps, kDefaultStages,
                           recipe);
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
      if (op.getSchedule())
        return;
      op.setScheduleAttr(getDefaultSchedule(op, **target));
    });
  }
};

} // namespace
