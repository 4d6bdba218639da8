//===- SpmmStep.h - What a k-step of spmm does ---------------- -*- C++ -*-===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 32 stored positions of a vector-row: a few MMAs on swapped operands, wherever
// the operands are.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_CONVERSION_MAINLOOP_SPMMSTEP_H
#define MAGICUBE_LIB_CONVERSION_MAINLOOP_SPMMSTEP_H

#include "SpmmOperands.h"

#include "dialect/magicube_gpu/MagicubeGPUDialect.h"
#include "magicube/GPU/Utils/Arithmetic.h"

namespace mlir::magicube {

/// The k-steps of one warp.
struct SpmmStep {
  KernelOperands operands;
  /// Chunks of 16 bytes of a dense row that a warp multiplies.
  int64_t chunks;
  /// Digits of wide operands are recombined in f32.
  bool hasFloatSums;

  static SpmmStep get(const SpmmKernelSpec &spec);

  const StepLayout &getLayout() const { return operands.step; }
  /// Groups of chunks that the operand layout handles together.
  int64_t numGroups() const { return chunks / operands.dense.chunks; }
  /// Fragments of the sums: by group, fragment and column set (fastest).
  int64_t numSums() const {
    return numGroups() * getLayout().fragments() * operands.dense.columnSets();
  }
  magicube_gpu::FragmentType getSumType(MLIRContext *context) const;
  /// Types of the fragments of the sparse operand.
  SmallVector<Type> getSparseTypes(MLIRContext *context) const;

  /// Sums, and accumulators (of all weights, and corrections), all zero.
  SmallVector<Value> createZeroSums(Arithmetic e) const;
  SmallVector<Value> createZeros(Arithmetic e) const;

  /// Reads `ldmatrix` fragment `call` of the group of chunks from a chunk of
  /// the warp's part on.
  using ReadRows = function_ref<Value(int64_t chunk, int64_t call)>;
  /// The accumulators with the products of a k-step.
  SmallVector<Value> createProducts(Arithmetic e, ValueRange sparse,
                                    ValueRange accumulators,
                                    ReadRows readRows) const;
  /// The sums of all weights.
  SmallVector<Value> createSums(Arithmetic e, ValueRange accumulators) const;
};

} // namespace mlir::magicube

#endif // MAGICUBE_LIB_CONVERSION_MAINLOOP_SPMMSTEP_H
