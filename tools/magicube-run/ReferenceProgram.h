//===- ReferenceProgram.h - The plain reference ---------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates the entry function on the host, operation by operation, with none
// of the compiler's layouts.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_TOOLS_MAGICUBE_RUN_REFERENCEPROGRAM_H
#define MAGICUBE_TOOLS_MAGICUBE_RUN_REFERENCEPROGRAM_H

#include "Arguments.h"

namespace mlir::magicube {

/// Results of `entry` on `arguments`. Products are computed from unpacked
/// operands. An operation that it cannot evaluate is an error.
Result<std::vector<ProgramValue>>
evaluateReference(func::FuncOp entry,
                  const std::vector<ProgramValue> &arguments);

} // namespace mlir::magicube

#endif // MAGICUBE_TOOLS_MAGICUBE_RUN_REFERENCEPROGRAM_H
