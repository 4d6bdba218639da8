//===- DecomposePrecision.cpp - magicube-decompose-precision --------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes into every operation which MMAs compute it; later passes read no chip.
//
//===----------------------------------------------------------------------===//

#include "ComputeOps.h"

#include "magicube/Layout/MmaTable.h"
#include "magicube/Target/GpuTarget.h"
#include "magicube/Transforms/Passes.h"

namespace mlir::magicube {
#define GEN_PASS_DEF_MAGICUBEDECOMPOSEPRECISIONPASS
#include "magicube/Transforms/Passes.h.inc"
} // namespace mlir::magicube

using namespace mlir;
using namespace mlir::magicube;

/// Checks a compute type that is there already against the chip's MMAs.
static LogicalResult verifyCompute(SparseComputeOpInterface op,
                                   const GpuTarget &target) {
  Type compute = op.getComputeAttr().getValue();
  if (largestNativeMma(target, compute.getIntOrFloatBitWidth()))
    return success();
  return (op->emitOpError("computes in ")
          << compute << ", for which " << StringRef(target.name)
          << " has no MMA: ptxas expands each to 48 to 216 instructions")
             .attachNote()
         << "leave 'compute' and an operand layout for it out, or take i8";
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
    module.walk([&](SparseComputeOpInterface op) {
      const ComputeOpChoices *choices = getChoices(op);
      if (choices && !op.getComputeAttr())
        op.setComputeAttr(TypeAttr::get(IntegerType::get(
            &getContext(), choices->chooseComputeBits(op, **target))));
      if (op.getComputeAttr())
        isValid &= succeeded(verifyCompute(op, **target));
    });
    if (!isValid)
      signalPassFailure();
  }
};

} // namespace
