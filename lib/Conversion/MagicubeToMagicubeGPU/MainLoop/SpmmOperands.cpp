//===- SpmmOperands.cpp - Planes and accumulators of an SpMM kernel -------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands from specifications, and the numbering of accumulators.
//
//===----------------------------------------------------------------------===//

#include "SpmmOperands.h"

#include <set>

using namespace mlir;
using namespace mlir::magicube;

KernelOperands KernelOperands::get(const SpmmKernelSpec &spec) {
  StepLayout step = spec.getStep();
  DenseOperand dense =
      *getDenseOperand(step, getNibbleForm(spec.shortRows, !spec.unsignedRhs));
  SparseOperand sparse = *getSparseOperand(step);
  std::set<int32_t> shifts;
  for (const OperandPlane &rhs : dense.planes)
    for (const OperandPlane &lhs : sparse.planes)
      if (lhs.multiplies(rhs))
        shifts.insert(rhs.shift + lhs.shift);
  return {std::move(step),
          std::move(dense),
          std::move(sparse),
          spec.unsignedLhs,
          spec.unsignedRhs,
          spec.shortRows,
          SmallVector<int32_t>(shifts.begin(), shifts.end())};
}

const OperandPlane &KernelOperands::getDensePlane(int32_t columnSet) const {
  return *llvm::find_if(dense.planes, [&](const OperandPlane &plane) {
    return plane.columnSet == columnSet || plane.columnSet == kBothColumnSets;
  });
}

std::optional<int32_t>
KernelOperands::getColumnSet(const OperandPlane &rhs,
                             const OperandPlane &lhs) const {
  if (!lhs.multiplies(rhs))
    return std::nullopt;
  if (rhs.columnSet == kBothColumnSets)
    return lhs.columnSet;
  // Planes of 4-bit MMAs are made for one set on both sides.
  if (step.layout.isInt4() && lhs.columnSet != rhs.columnSet)
    return std::nullopt;
  return rhs.columnSet;
}

int64_t KernelOperands::sumIndex(int64_t group, int32_t columnSet,
                                 int32_t shift, int32_t fragment) const {
  int64_t place = llvm::find(shifts, shift) - shifts.begin();
  return ((group * dense.columnSets() + columnSet) * shifts.size() + place) *
             step.fragments() +
         fragment;
}
