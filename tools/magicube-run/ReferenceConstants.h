//===- ReferenceConstants.h - Constants in the plain reference ------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_TOOLS_MAGICUBE_RUN_REFERENCECONSTANTS_H
#define MAGICUBE_TOOLS_MAGICUBE_RUN_REFERENCECONSTANTS_H

#include "Arguments.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::magicube {

/// The value of `arith.constant` or, of a constant, `tensor.splat`: a number or
/// a matrix of f32 or signed integers. Nothing for any other operation. A
/// dynamic extent of a splat is that of a value that `lookup` knows (null: it
/// does not).
std::optional<ProgramValue>
evaluateConstant(Operation *op,
                 llvm::function_ref<const ProgramValue *(Value)> lookup);

} // namespace mlir::magicube

#endif // MAGICUBE_TOOLS_MAGICUBE_RUN_REFERENCECONSTANTS_H
