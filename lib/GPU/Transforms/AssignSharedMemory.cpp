//===- AssignSharedMemory.cpp - magicube-gpu-assign-shared-memory ---------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places every kernel's tiles in dynamic shared memory.
//
//===----------------------------------------------------------------------===//

#include "dialect/magicube_gpu/MagicubeGPUDialect.h"
#include "magicube/GPU/Transforms/Passes.h"
#include "magicube/Layout/SharedMemoryPlan.h"
#include "magicube/Target/GpuTarget.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::magicube {
#define GEN_PASS_DEF_MAGICUBEGPUASSIGNSHAREDMEMORYPASS
#include "magicube/GPU/Transforms/Passes.h.inc"
} // namespace mlir::magicube

using namespace mlir;
using namespace mlir::magicube_gpu;

/// Fixes the layouts of a kernel's tiles; returns the bytes they take.
static int64_t placeTiles(gpu::GPUFuncOp kernel) {
  int64_t offset = 0;
  kernel.walk([&](AllocTileOp op) {
    TileType type = op.getType();
    magicube::SharedMemoryForm form = getSharedMemoryForm(op.getForm());
    auto layout = magicube::SharedMemoryLayout::get(type.getRows(),
                                                    type.getRowBytes(), form);
    int64_t stageBytes =
        magicube::getSharedStageBytes(type.getRows(), type.getRowBytes(), form);
    auto placed = SharedLayoutAttr::get(op.getContext(), offset, stageBytes,
                                        layout.pitchBytes, layout.swizzleMask,
                                        layout.swizzleRowShift);
    op.getTile().setType(TileType::get(op.getContext(), type.getRows(),
                                       type.getRowBytes(), type.getStages(),
                                       placed));
    offset += stageBytes * type.getStages();
  });
  return offset;
}

namespace {

struct MagicubeGPUAssignSharedMemoryPass
    : magicube::impl::MagicubeGPUAssignSharedMemoryPassBase<
          MagicubeGPUAssignSharedMemoryPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto chip = module->getAttrOfType<StringAttr>(
        magicube::MagicubeDialect::kChipAttrName);
    if (!chip) {
      module.emitError("expected the module attribute '")
          << magicube::MagicubeDialect::kChipAttrName
          << "': run magicube-select-schedule first";
      return signalPassFailure();
    }
    // The attribute's verifier has looked it up.
    const magicube::GpuTarget &target =
        **magicube::lookupGpuTarget(chip.getValue());

    DenseMap<SymbolRefAttr, int64_t> bytesOfKernel;
    WalkResult result = module.walk([&](gpu::GPUFuncOp kernel) {
      // A kernel without tiles is none of ours.
      int64_t bytes = placeTiles(kernel);
      if (bytes == 0)
        return WalkResult::advance();
      if (bytes > target.maxSharedMemoryPerBlock) {
        (kernel.emitOpError("needs ")
         << bytes << " bytes of shared memory, but a block has at most "
         << target.maxSharedMemoryPerBlock << " on " << chip.getValue())
                .attachNote()
            << "give the product a schedule with a smaller tile_n, or fewer "
               "smem_stages, warps or rows_per_cta";
        return WalkResult::interrupt();
      }
      kernel->setAttr(
          MagicubeGPUDialect::kSharedMemoryAttrName,
          IntegerAttr::get(IntegerType::get(&getContext(), 64), bytes));
      auto parent = kernel->getParentOfType<gpu::GPUModuleOp>();
      bytesOfKernel[SymbolRefAttr::get(parent.getNameAttr(),
                                       FlatSymbolRefAttr::get(kernel))] = bytes;
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    module.walk([&](gpu::LaunchFuncOp launch) {
      auto bytes = bytesOfKernel.find(launch.getKernel());
      if (bytes == bytesOfKernel.end())
        return;
      OpBuilder builder(launch);
      launch.getDynamicSharedMemorySizeMutable().assign(
          arith::ConstantIntOp::create(builder, launch.getLoc(), bytes->second,
                                       /*width=*/32));
    });
  }
};

} // namespace
