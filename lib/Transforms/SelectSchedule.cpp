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
#include "magicube/Target/GpuTarget.h"
#include "magicube/Transforms/Passes.h"

#include "llvm/Support/MathExtras.h"

namespace mlir::magicube {
#define GEN_PASS_DEF_MAGICUBESELECTSCHEDULEPASS
#include "magicube/Transforms/Passes.h.inc"
} // namespace mlir::magicube

using namespace mlir;
using namespace mlir::magicube;

/// Columns of a block's tile where N is large or unknown, and of a warp's part
/// of it: two A fragments, so that one load of the sparse values serves two
/// MMAs.
static constexpr int64_t kDefaultTileColumns = 128;
static constexpr int64_t kWarpColumns = 32;
static constexpr int64_t kMinTileColumns = 16;
/// Tiles in flight: enough bytes to cover the latency of an L2 gather.
static constexpr int64_t kDefaultStages = 4;

/// The schedule of a product with `n` columns (or a dynamic number).
static ScheduleAttr getDefaultSchedule(MLIRContext *context, int64_t n) {
  int64_t tile = kDefaultTileColumns;
  if (!ShapedType::isDynamic(n))
    tile = std::clamp<int64_t>(llvm::PowerOf2Ceil(n), kMinTileColumns,
                               kDefaultTileColumns);
  int64_t warps = std::max<int64_t>(1, tile / kWarpColumns);
  return ScheduleAttr::get(context, tile, warps, kDefaultStages);
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
      op.setScheduleAttr(getDefaultSchedule(&getContext(), n));
    });
  }
};

} // namespace
