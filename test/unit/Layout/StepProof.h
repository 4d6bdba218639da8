//===- StepProof.h - Simulates one step on tagged bytes -------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A step is proved by moving bytes that know which value they are, through
// ldmatrix and prmt as the PTX ISA describes them, into the MMA operands.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_TEST_UNIT_LAYOUT_STEPPROOF_H
#define MAGICUBE_TEST_UNIT_LAYOUT_STEPPROOF_H

#include "magicube/Layout/OperandPlanes.h"

namespace mlir::magicube::test {

/// The step of a layout in words, such as "interleaved,paired"; a failed test
/// if there is none.
StepLayout getStep(std::string_view layout, int32_t vectorLength,
                   OperandWidths widths = {});

/// All pairs of widths.
std::vector<OperandWidths> getAllWidths();
/// The first pair that a layout takes, bytes if it does.
OperandWidths getSomeWidths(OperandLayout layout);

/// Empty if the step computes the product; else the first thing that is wrong:
/// an MMA that multiplies values of different positions, leaves out a position,
/// mixes columns or vectors, misses a result or delivers it where
/// `step.output` does not say. Only layouts for 8-bit MMAs.
std::string findFault(const StepLayout &step);

/// The same for a layout for 4-bit MMAs, whose operands are planes.
std::string findNibbleFault(const StepLayout &step, const DenseOperand &dense,
                            const SparseOperand &sparse);

} // namespace mlir::magicube::test

#endif // MAGICUBE_TEST_UNIT_LAYOUT_STEPPROOF_H
