//===- Patterns.h - Tells products of their matrices ----------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes `pattern`, which guides the choice of a schedule, on the products of a
// function's sparse arguments.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_SERIALIZE_PATTERNS_H
#define MAGICUBE_SERIALIZE_PATTERNS_H

#include "magicube/Format/PatternStatistics.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace mlir::magicube {

/// Writes `statistics` on every product whose lhs is `argument`; returns how
/// many there are.
int64_t setPattern(BlockArgument argument, const PatternStatistics &statistics);

/// Reads the matrices that `texts` name, one for each sparse argument of the
/// function `entry` (empty: the only one), and writes their numbers on the
/// products. Reports what is no matrix of the argument's type, and an argument
/// that no product takes.
LogicalResult setPatterns(ModuleOp module, StringRef entry,
                          ArrayRef<std::string> texts);

} // namespace mlir::magicube

#endif // MAGICUBE_SERIALIZE_PATTERNS_H
