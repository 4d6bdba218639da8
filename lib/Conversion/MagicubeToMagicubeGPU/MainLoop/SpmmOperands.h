//===- SpmmOperands.h - Planes and accumulators of an SpMM kernel ---------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What operands of two widths and signs are multiplied as: the planes of both,
// and which accumulator each pair of planes adds to.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_CONVERSION_MAGICUBETOMAGICUBEGPU_SPMMOPERANDS_H
#define MAGICUBE_LIB_CONVERSION_MAGICUBETOMAGICUBEGPU_SPMMOPERANDS_H

#include "../SpmmKernelSpec.h"

#include "magicube/Layout/OperandPlanes.h"

#include "llvm/ADT/SmallVector.h"

namespace mlir::magicube {

/// The planes of a product's operands and the accumulators of a warp. Pairs of
/// planes with equal weights (2^shift) share an accumulator.
struct KernelOperands {
  StepLayout step;
  DenseOperand dense;
  SparseOperand sparse;
  bool unsignedLhs, unsignedRhs;
  /// Rows are short enough for scaled nibbles, see NibbleForm.
  bool shortRows;
  /// Shifts that pairs of planes have, ascending.
  SmallVector<int32_t> shifts;

  /// The product's verifier has checked that the operands exist.
  static KernelOperands get(const SpmmKernelSpec &spec);

  /// Nibbles in 8-bit MMAs.
  bool hasHalves() const { return dense.bits < step.mma->operandBits; }
  /// Signed ones are multiplied as n + 8, see kNibbleBias.
  bool isBiased() const { return hasHalves() && !unsignedRhs; }
  bool isBiased(const OperandPlane &plane) const {
    return isBiased() && plane.isHalf();
  }
  /// The column set that the product of two planes adds to; none if they are
  /// not multiplied.
  std::optional<int32_t> getColumnSet(const OperandPlane &rhs,
                                      const OperandPlane &lhs) const;
  /// Whether an MMA takes a plane's digits as unsigned.
  bool isUnsigned(const OperandPlane &plane, bool isDense) const {
    if (!isDense)
      return !plane.isTop || unsignedLhs;
    return !plane.isTop || unsignedRhs || isBiased(plane);
  }
  /// Raw operands of one transpose: layouts with several calls take each alone.
  int32_t chunksPerTranspose() const {
    return step.calls() > 1 ? 1 : dense.chunks;
  }

  /// Accumulators of `groups` groups of chunks, without corrections: by group,
  /// column set, shift and fragment (fastest).
  int64_t numSums(int64_t groups) const {
    return groups * dense.columnSets() * shifts.size() * step.fragments();
  }
  int64_t sumIndex(int64_t group, int32_t columnSet, int32_t shift,
                   int32_t fragment) const;
  /// The first plane of a column set; with more than one set, each has one.
  const OperandPlane &getDensePlane(int32_t columnSet) const;
  /// Accumulators of the bias, by sparse plane and fragment.
  int64_t numCorrections() const {
    return isBiased() ? sparse.planes.size() * step.fragments() : 0;
  }
};

} // namespace mlir::magicube

#endif // MAGICUBE_LIB_CONVERSION_MAGICUBETOMAGICUBEGPU_SPMMOPERANDS_H
