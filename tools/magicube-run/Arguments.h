//===- Arguments.h - Arguments of the entry function -----------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads or makes each --arg, packs sparse ones, and lays out what the compiled
// function takes.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_TOOLS_MAGICUBE_RUN_ARGUMENTS_H
#define MAGICUBE_TOOLS_MAGICUBE_RUN_ARGUMENTS_H

#include "magicube/Format/DenseMatrix.h"
#include "magicube/Format/SRBCRSMatrix.h"
#include "magicube/Support/Result.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>
#include <variant>
#include <vector>

namespace mlir::magicube {

/// A value of the program: a sparse or a dense matrix on the host.
using ProgramValue = std::variant<SRBCRSMatrix, DenseMatrix>;

/// Makes the arguments of `entry` of the command line's `texts`:
/// a sparse one of `.mtx` (packed with the encoding's V) or `.smtx` (a pattern;
/// each entry is one vector of seeded random values), a dense one of `.npy` or
/// `random[:RxC]`. Ranges follow the sign that the products of the function give
/// the argument. Errors name the argument.
Result<std::vector<ProgramValue>>
makeArguments(func::FuncOp entry, const std::vector<std::string> &texts,
              uint64_t seed);

/// Rows and columns of a value.
std::pair<int64_t, int64_t> getExtents(const ProgramValue &value);

} // namespace mlir::magicube

#endif // MAGICUBE_TOOLS_MAGICUBE_RUN_ARGUMENTS_H
