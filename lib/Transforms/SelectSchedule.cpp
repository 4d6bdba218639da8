//===- SelectSchedule.cpp - magicube-select-schedule
//-----------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the schedule that an operation chooses into the IR.
//
//===----------------------------------------------------------------------===//

#include "ComputeOps.h"

#include "magicube/Transforms/Passes.h"

namespace mlir::magicube {
#define GEN_PASS_DEF_MAGICUBESELECTSCHEDULEPASS
#include "magicube/Transforms/Passes.h.inc"
} // namespace mlir::magicube

using namespace mlir;
using namespace mlir::magicube;

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
    module.walk([&](SparseComputeOpInterface op) {
      const ComputeOpChoices *choices = getChoices(op);
      if (choices && choices->chooseSchedule && !op.getScheduleAttr())
        op.setScheduleAttr(choices->chooseSchedule(op, **target));
      // Equal schedules are equal programs, whatever matrix they are for.
      op.setPatternAttr({});
    });
  }
};

} // namespace
