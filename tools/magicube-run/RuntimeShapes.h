//===- RuntimeShapes.h - Extents of the arguments at hand -----------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the verifier checks of static shapes, checked of dynamic ones.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_TOOLS_MAGICUBE_RUN_RUNTIMESHAPES_H
#define MAGICUBE_TOOLS_MAGICUBE_RUN_RUNTIMESHAPES_H

#include "Arguments.h"

namespace mlir::magicube {

/// Reports each product of `entry` whose operands do not go together with these
/// arguments: a kernel would read or write past their ends. Operands that other
/// operations than products make are not followed.
LogicalResult verifyRuntimeShapes(func::FuncOp entry,
                                  const std::vector<ProgramValue> &arguments);

} // namespace mlir::magicube

#endif // MAGICUBE_TOOLS_MAGICUBE_RUN_RUNTIMESHAPES_H
