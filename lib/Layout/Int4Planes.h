//===- Int4Planes.h - Operands of 4-bit MMAs ---------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The planes of recipes for MMAs of 4 bits (StepLayout::int4 is not None).
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_LAYOUT_INT4PLANES_H
#define MAGICUBE_LIB_LAYOUT_INT4PLANES_H

#include "magicube/Layout/OperandPlanes.h"

namespace mlir::magicube {

/// The dense operand of 4 bits, the only width there is.
DenseOperand getInt4DenseOperand(const StepLayout &step);

/// The sparse operand of a width that the recipe takes.
SparseOperand getInt4SparseOperand(const StepLayout &step, int32_t bits);

} // namespace mlir::magicube

#endif // MAGICUBE_LIB_LAYOUT_INT4PLANES_H
