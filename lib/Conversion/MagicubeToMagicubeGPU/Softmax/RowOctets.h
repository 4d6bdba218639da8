//===- RowOctets.h - A thread's entries of a vector-row ---------*- C++ -*-===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which thread of a block has which octet of which row, and where it lies.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_CONVERSION_SOFTMAX_ROWOCTETS_H
#define MAGICUBE_LIB_CONVERSION_SOFTMAX_ROWOCTETS_H

#include "../SoftmaxKernelSpec.h"

#include "magicube/GPU/Utils/Arithmetic.h"

namespace mlir::magicube {

/// Octets are numbered from the vector-row's start; those of a row are dealt to
/// its threads one by one. A *group* is one of each thread: a run of whole
/// strides, so that a thread's octets of all groups lie equally far apart.
///
/// Neighbouring threads have neighbouring octets: 32 lanes load whole sectors
/// of memory for every V.
struct RowOctets {
  const SoftmaxKernelSpec &spec;
  /// Of u16 or i32, with slabs; else null.
  Value indices;
  /// Component v of the vector-row, and the thread's octet of the first group.
  Value component, octet;
  /// Positions: the first, and the end of those that count where there are no
  /// slabs.
  Value start, end;
  /// Octets of a row, padding included, and groups that they make.
  Value octets, groups;
  /// i64, from the start of the values: of the first group's octet, or of the
  /// last one that there is; and its first position.
  Value firstElement, firstPosition;

  static RowOctets get(Arithmetic e, const SoftmaxKernelSpec &spec,
                       Value pointers, Value indices, Value vectorRow);

  /// Whether the thread has an octet in `group` (i32).
  Value isInside(Arithmetic e, Value group) const;
  /// i64: the octet's first element; of one that is not inside, another one of
  /// the row, of which there is one at least.
  Value getElement(Arithmetic e, Value group) const;
  /// Which of the positions of the octet count: not padding, nor any of one
  /// that is not inside.
  SmallVector<Value> getValid(Arithmetic e, Value group) const;

private:
  RowOctets(const SoftmaxKernelSpec &spec, Value indices)
      : spec(spec), indices(indices) {}
  Value select(Arithmetic e, Value group, int64_t groupSize) const;
};

/// The values of an octet of elements of `type`, i32, f32 or f16, which start
/// at element `element` of `base`.
SmallVector<Value> loadOctet(Arithmetic e, Value base, Type type,
                             Value element);

/// Stores words, 1, 2 or 4 at once, as the octet at `element` (i64) of `bits`
/// bits an element.
void storeOctet(Arithmetic e, Value base, int64_t bits, Value element,
                ArrayRef<Value> words);

} // namespace mlir::magicube

#endif // MAGICUBE_LIB_CONVERSION_SOFTMAX_ROWOCTETS_H
