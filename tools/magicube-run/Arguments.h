//===- Arguments.h - Arguments of the entry function ----------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The types of the entry function as those of Format/ProgramArguments.h.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_TOOLS_MAGICUBE_RUN_ARGUMENTS_H
#define MAGICUBE_TOOLS_MAGICUBE_RUN_ARGUMENTS_H

#include "dialect/magicube/MagicubeDialect.h"
#include "magicube/Format/EvaluateEpilogue.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>

namespace mlir::magicube {

/// Makes the arguments of `entry` of the command line's `texts`. Ranges follow
/// the sign that the products of the function give an argument.
Result<std::vector<ProgramValue>>
makeArguments(func::FuncOp entry, const std::vector<std::string> &texts,
              uint64_t seed);

/// The elements of the results of `entry`, which are tensors; integers are
/// unsigned where a product with unsigned_result makes them.
std::vector<ResultElement> getResultElements(func::FuncOp entry);

} // namespace mlir::magicube

#endif // MAGICUBE_TOOLS_MAGICUBE_RUN_ARGUMENTS_H
