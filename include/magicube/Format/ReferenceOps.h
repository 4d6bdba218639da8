//===- ReferenceOps.h - What the reference knows of each operation --------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of operations that the reference evaluates, for programs in IR and
// for bundles.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_FORMAT_REFERENCEOPS_H
#define MAGICUBE_FORMAT_REFERENCEOPS_H

#include "magicube/Format/EvaluateEpilogue.h"

#include <map>

namespace mlir::magicube {

/// The operands of an operation, which need not fit one another.
struct ReferenceOperands {
  /// By the names that messages and launch plans have for them, and `init`.
  std::map<std::string, const ProgramValue *, std::less<>> values;
  /// Its element is that of the (first) result.
  ReferenceEpilogue epilogue;

  bool has(std::string_view name) const {
    return values.find(name) != values.end();
  }
  /// The operand of that name, if it is a Matrix, or else null.
  template <typename Matrix>
  const Matrix *find(std::string_view name) const {
    auto found = values.find(name);
    return found == values.end() ? nullptr : std::get_if<Matrix>(found->second);
  }
};

struct ReferenceOp {
  /// Without the dialect's name.
  std::string_view operation;
  /// The results. Errors: operands that are none of the operation.
  Result<std::vector<ProgramValue>> (*evaluate)(const ReferenceOperands &);
  /// Compares a result with the reference by projections of both; null if the
  /// operation has none.
  Status (*compareProjections)(const ReferenceOperands &,
                               const ProgramValue &actual, uint64_t seed);
};

/// The row of an operation, or null.
const ReferenceOp *findReferenceOp(std::string_view operation);

} // namespace mlir::magicube

#endif // MAGICUBE_FORMAT_REFERENCEOPS_H
