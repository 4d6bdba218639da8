//===- RowReduction.h - Maxima and sums of rows in a block ------*- C++ -*-===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Combines what the threads of a row have: lanes by shuffles, warps through
// shared memory.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_CONVERSION_SOFTMAX_ROWREDUCTION_H
#define MAGICUBE_LIB_CONVERSION_SOFTMAX_ROWREDUCTION_H

#include "../SoftmaxKernelSpec.h"

#include "magicube/GPU/Utils/Arithmetic.h"

namespace mlir::magicube {

struct RowReduction {
  const SoftmaxKernelSpec &spec;
  /// A word for each row and warp, null with a single warp; one table serves
  /// one reduction.
  Value table;

  /// For `words` words a thread.
  static RowReduction get(Arithmetic e, const SoftmaxKernelSpec &spec,
                          int64_t words = 1);

  /// Combines words (i32 or f32) or several that make a value; every thread of
  /// the row gets the result. All threads of the block take part.
  using Combine =
      function_ref<SmallVector<Value>(ArrayRef<Value>, ArrayRef<Value>)>;
  SmallVector<Value> reduce(Arithmetic e, ArrayRef<Value> words,
                            Value component, Combine combine) const;

private:
  SmallVector<Value> reduceLanes(Arithmetic e, SmallVector<Value> words,
                                 Combine combine) const;
  SmallVector<Value> reduceWarps(Arithmetic e, ArrayRef<Value> words,
                                 Value component, Combine combine) const;
};

} // namespace mlir::magicube

#endif // MAGICUBE_LIB_CONVERSION_SOFTMAX_ROWREDUCTION_H
