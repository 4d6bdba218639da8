//===- DecomposePrecision.cpp - magicube-decompose-precision --------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes into every product which MMAs compute it; later passes read no chip.
//
//===----------------------------------------------------------------------===//

#include "dialect/magicube/MagicubeDialect.h"
#include "magicube/Layout/StepLayout.h"
#include "magicube/Target/GpuTarget.h"
#include "magicube/Transforms/Passes.h"

namespace mlir::magicube {
#define GEN_PASS_DEF_MAGICUBEDECOMPOSEPRECISIONPASS
#include "magicube/Transforms/Passes.h.inc"
} // namespace mlir::magicube

using namespace mlir;
using namespace mlir::magicube;

/// Checks a compute type that is there already against the chip's MMAs.
static LogicalResult verifyCompute(SpmmOp op, const GpuTarget &target) {
  Type compute = op.getComputeType();
  if (largestNativeMma(target, compute.getIntOrFloatBitWidth()))
    return success();
  return (op.emitOpError("computes in ")
          << compute << ", for which " << StringRef(target.name)
          << " has no MMA: ptxas expands each to 48 to 216 instructions")
             .attachNote()
         << "leave 'compute' and a recipe for it out, or take i8";
}

/// Width of the MMAs of a product that has no compute type.
static unsigned chooseComputeBits(SpmmOp op, const GpuTarget &target) {
  constexpr unsigned int4 = 4, int8 = 8;
  if (std::optional<ScheduleAttr> schedule = op.getSchedule())
    return getStepLayout(schedule->getRecipe(), op.getEncoding().getVector())
        ->mma->operandBits; // verified with the operation
  // Sums in f32 recombine digits of 8 bits.
  if (!target.nativeInt4Mma || !op.getRhsElementType().isInteger(int4) ||
      op.getAccumulate())
    return int8;
  // Counted in instructions of a step (docs/Precision.md): int4 takes about as
  // many or fewer up to 12 bits, in less MMA time. 16 bits are four digits with
  // accumulators of their own, where int8 has two.
  constexpr unsigned maxInt4LhsBits = 12;
  unsigned lhsBits = op.getLhsElementType().getIntOrFloatBitWidth();
  return lhsBits <= maxInt4LhsBits ? int4 : int8;
}

namespace {

struct MagicubeDecomposePrecisionPass
    : magicube::impl::MagicubeDecomposePrecisionPassBase<
          MagicubeDecomposePrecisionPass> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    FailureOr<const GpuTarget *> target = getTarget(module, chip);
    if (failed(target))
      return signalPassFailure();
    bool isValid = true;
    module.walk([&](SpmmOp op) {
      if (!op.getCompute())
        op.setCompute(
            IntegerType::get(&getContext(), chooseComputeBits(op, **target)));
      isValid &= succeeded(verifyCompute(op, **target));
    });
    if (!isValid)
      signalPassFailure();
  }
};

} // namespace
