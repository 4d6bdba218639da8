//===- SelectSchedule.cpp - magicube-select-schedule -----------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the chip and every product's schedule into the IR.
//
//===----------------------------------------------------------------------===//

#include "dialect/magicube/MagicubeDialect.h"
#include "magicube/Layout/StepLayout.h"
#include "magicube/Target/GpuTarget.h"
#include "magicube/Transforms/Passes.h"

#include "llvm/Support/MathExtras.h"

namespace mlir::magicube {
#define GEN_PASS_DEF_MAGICUBESELECTSCHEDULEPASS
#include "magicube/Transforms/Passes.h.inc"
} // namespace mlir::magicube

using namespace mlir;
using namespace mlir::magicube;

/// Columns of a block's tile where N is large or unknown, columns of a warp, and
/// tiles in the ring: the fastest of all that were measured on an H200 for V = 2,
/// 4, 8 (benchmarks/README.md). Few large warps beat many small ones: the cost of
/// a step is spread over more MMAs.
static constexpr int64_t kDefaultTileColumns = 128;
static constexpr int64_t kWarpColumns = 64;
static constexpr int64_t kDefaultStages = 2;
/// One A fragment: the least that a tile can have.
static constexpr int64_t kMinTileColumns = 16;

/// The schedule of a product with vectors of length `vector` and `n` columns (or
/// a dynamic number).
static ScheduleAttr getDefaultSchedule(MLIRContext *context, int64_t vector,
                                       int64_t n) {
  int64_t tile = kDefaultTileColumns;
  if (!ShapedType::isDynamic(n))
    tile = std::clamp<int64_t>(llvm::PowerOf2Ceil(n), kMinTileColumns,
                               kDefaultTileColumns);
  int64_t warps = std::max<int64_t>(1, tile / kWarpColumns);
  // Interleaving saves a permute per MMA; it needs short vectors and two chunks.
  StringRef recipe = "interleave";
  Result<StepLayout> step = getStepLayout(recipe, vector);
  if (!step || tile / warps % step->columns() != 0)
    recipe = "transpose";
  return ScheduleAttr::get(context, tile, warps, kDefaultStages, recipe);
}

namespace {

struct MagicubeSelectSchedulePass
    : magicube::impl::MagicubeSelectSchedulePassBase<
          MagicubeSelectSchedulePass> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    Result<const GpuTarget *> target = lookupGpuTarget(chip.getValue());
    if (!target) {
      (void)emit([&] { return module.emitError(); }, target.error());
      return signalPassFailure();
    }
    module->setAttr(MagicubeDialect::kChipAttrName,
                    StringAttr::get(&getContext(), chip.getValue()));
    module.walk([&](SpmmOp op) {
      if (op.getSchedule())
        return;
      int64_t n = op.getOutputType().getShape().back();
      op.setScheduleAttr(
          getDefaultSchedule(&getContext(), op.getEncoding().getVector(), n));
    });
  }
};

} // namespace
