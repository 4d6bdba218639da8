//===- Int4Planes.h - Operands of 4-bit MMAs ---------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The planes of operand layouts for MMAs of 4 bits.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_LAYOUT_INT4PLANES_H
#define MAGICUBE_LIB_LAYOUT_INT4PLANES_H

#include "magicube/Layout/OperandPlanes.h"

namespace mlir::magicube {

/// The dense operand of 4 bits, the only width there is.
DenseOperand getInt4DenseOperand(const StepLayout &step);

/// The sparse operand.
SparseOperand getInt4SparseOperand(const StepLayout &step);

} // namespace mlir::magicube

#endif // MAGICUBE_LIB_LAYOUT_INT4PLANES_H
