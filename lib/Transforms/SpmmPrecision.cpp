//===- SpmmPrecision.cpp - The MMAs of a product
//---------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which of them takes fewer instructions a step.
//
//===----------------------------------------------------------------------===//

#include "ComputeOps.h"

#include "magicube/Layout/StepLayout.h"
#include "magicube/Target/GpuTarget.h"

using namespace mlir;
using namespace mlir::magicube;

unsigned mlir::magicube::chooseSpmmComputeBits(Operation *operation,
                                               const GpuTarget &target) {
  auto op = cast<SpmmOp>(operation);
  constexpr unsigned int4 = 4, int8 = 8;
  if (std::optional<ScheduleAttr> schedule = op.getSchedule())
    return getMma(schedule->getLayout().getLayout())->operandBits;
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
