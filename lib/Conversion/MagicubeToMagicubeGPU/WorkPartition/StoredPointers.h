//===- StoredPointers.h - Pointers of stored vector-rows --------*- C++ -*-===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where vector-rows of a sparse operand lie in storage.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_CONVERSION_WORKPARTITION_STOREDPOINTERS_H
#define MAGICUBE_LIB_CONVERSION_WORKPARTITION_STOREDPOINTERS_H

#include "magicube/GPU/Utils/Arithmetic.h"

namespace mlir::magicube {

/// A range of stored positions.
struct StoredRange {
  Value start, end;
};

/// Pointers in global memory: a vector-row has `segments` pairs of first
/// position and end, one after another. Ends are not padded; the next pair
/// starts at the next multiple of `stride`.
struct StoredPointers {
  Value pointers;
  int64_t segments;
  int64_t stride;

  /// A vector-row's first position, and its padded end.
  Value loadStart(Arithmetic e, Value row) const;
  Value loadEnd(Arithmetic e, Value row) const;
  /// From a vector-row's first position to its unpadded end.
  StoredRange loadRange(Arithmetic e, Value row) const;
  /// Address of the first pair of a vector-row, or of pair `pair` of all.
  Value getPairAddress(Arithmetic e, Value pair) const;

  /// The next multiple of the stride.
  Value pad(Arithmetic e, Value end) const {
    return e.bitAnd(e.add(end, stride - 1), uint32_t(-stride));
  }
  /// Steps that whole strides of positions are.
  static Value toSteps(Arithmetic e, Value positions);
};

} // namespace mlir::magicube

#endif // MAGICUBE_LIB_CONVERSION_WORKPARTITION_STOREDPOINTERS_H
