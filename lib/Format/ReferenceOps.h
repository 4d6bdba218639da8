//===- ReferenceOps.h - The rows of the reference's table -----------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_FORMAT_REFERENCEOPS_H
#define MAGICUBE_LIB_FORMAT_REFERENCEOPS_H

#include "magicube/Format/ReferenceOps.h"

namespace mlir::magicube {

/// Whether each operand of the epilogue has one number, or one per row or
/// column of a rows x cols result.
Status checkBroadcast(const ReferenceEpilogue &epilogue, int64_t rows,
                      int64_t cols);

// Each operation's functions, in a file of its own.
Result<std::vector<ProgramValue>> evaluateSddmmOp(const ReferenceOperands &);
Result<std::vector<ProgramValue>> evaluateSoftmaxOp(const ReferenceOperands &);
Result<std::vector<ProgramValue>> evaluateSpmmOp(const ReferenceOperands &);
Status compareSpmmProjections(const ReferenceOperands &,
                              const ProgramValue &actual, uint64_t seed);

} // namespace mlir::magicube

#endif // MAGICUBE_LIB_FORMAT_REFERENCEOPS_H
