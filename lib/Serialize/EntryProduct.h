//===- EntryProduct.h - The product that a bundle computes ----------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_SERIALIZE_ENTRYPRODUCT_H
#define MAGICUBE_LIB_SERIALIZE_ENTRYPRODUCT_H

#include "magicube/Runtime/Bundle.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::magicube {

/// Finds the function `entry` with a body (empty: the only one), or reports
/// that there is none.
FailureOr<func::FuncOp> findEntry(ModuleOp module, StringRef entry);

/// An operand of a step.
struct EntryInput {
  /// As the plan of the operation calls it.
  std::string name;
  PlanOperand::Kind kind;
  /// As the plan of the bundle calls it: an argument. Empty for what an earlier
  /// step makes: output `output` of step `step`.
  std::string operand;
  size_t step = 0, output = 0;
};

/// A result of a step. A sparse one has the pattern of the step's sparse input.
struct EntryOutput {
  /// As the plan of the operation calls it.
  std::string name;
  MatrixType type;
  /// As the plan of the bundle calls it: a result. Empty for a buffer.
  std::string operand = {};
};

/// One run of an operation of the function: each runs once, and again for a
/// result that is returned again.
struct EntryStep {
  /// Number of the operation, and of its plan.
  size_t plan = 0;
  /// As in messages, without the dialect's name.
  std::string operation;
  /// Of the names that the bundle's plan has for what the operation's has;
  /// empty in a function of one step.
  std::string prefix;
  std::vector<EntryInput> inputs;
  std::vector<EntryOutput> outputs;
};

/// Finds the function `entry` (empty: the only one), removes all others, and
/// fills entry, arguments, results and reference of the manifest. Merges equal
/// operations. Returns the steps of the function, in order. Reports a function
/// of anything else than operations on its arguments and on each other's
/// results.
FailureOr<std::vector<EntryStep>> isolateEntry(ModuleOp module, StringRef entry,
                                               BundleManifest &manifest);

} // namespace mlir::magicube

#endif // MAGICUBE_LIB_SERIALIZE_ENTRYPRODUCT_H
