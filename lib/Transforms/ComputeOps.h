//===- ComputeOps.h - What each operation chooses
//--------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How passes fill in the attributes of a SparseComputeOpInterface.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_TRANSFORMS_COMPUTEOPS_H
#define MAGICUBE_LIB_TRANSFORMS_COMPUTEOPS_H

#include "dialect/magicube/ComputeOpTable.h"

namespace mlir::magicube {

/// What an operation chooses on a chip.
struct ComputeOpChoices {
  StringLiteral operation;
  /// Width of the MMAs of an operation that has no compute type.
  unsigned (*chooseComputeBits)(Operation *op, const GpuTarget &target);
  /// The schedule of one that has none: what a model takes for the fastest.
  /// Null for operations that never have one.
  ScheduleAttr (*chooseSchedule)(Operation *op, const GpuTarget &target);
};

/// The row of an operation, or null.
const ComputeOpChoices *getChoices(Operation *op);

// Each operation's functions, a file per stage.
unsigned chooseSddmmComputeBits(Operation *op, const GpuTarget &target);
unsigned chooseSpmmComputeBits(Operation *op, const GpuTarget &target);
ScheduleAttr chooseSpmmSchedule(Operation *op, const GpuTarget &target);

} // namespace mlir::magicube

#endif // MAGICUBE_LIB_TRANSFORMS_COMPUTEOPS_H
