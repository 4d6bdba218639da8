//===- SddmmChunks.h - Products of chunks of K ------------------*- C++ -*-===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a warp does along K in a step of 32 stored positions.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_CONVERSION_MAINLOOP_SDDMMCHUNKS_H
#define MAGICUBE_LIB_CONVERSION_MAINLOOP_SDDMMCHUNKS_H

#include "../SddmmKernelSpec.h"

#include "dialect/magicube_gpu/MagicubeGPUDialect.h"
#include "magicube/GPU/Utils/Arithmetic.h"

namespace mlir::magicube {

/// Chunks of K of the rows of one vector-row and of those that its stored
/// positions name.
///
/// Accumulators are by tile, fragment (of 8 vector components) and weight
/// (fastest); those of the bias (kNibbleBias), by fragment and plane of the
/// lhs, follow.
class SddmmChunks {
public:
  SddmmChunks(const SddmmKernelSpec &spec, Value inner);

  /// Pointers to the lane's part of the vector-row's rows of the lhs, one a
  /// fragment.
  SmallVector<Value> getLhsRows(Arithmetic e, Value lhs, Value stride,
                                Value vectorRow) const;
  /// Bytes of a lane's part before the first of its words.
  Value getLaneBytes(Arithmetic e, const ChunkOperand &operand) const;

  /// Operands B of all chunks, and the accumulators of the bias, if the lhs
  /// stays in registers: see isResident.
  struct Resident {
    SmallVector<SmallVector<Value>> operands;
    SmallVector<Value> corrections;
  };
  bool isResident() const { return resident; }
  Resident loadResident(Arithmetic e, ValueRange lhsRows) const;

  /// The sums of a step: by fragment and tile (fastest). `kept` is not looked
  /// at unless isResident().
  SmallVector<Value> createSums(Arithmetic e, ValueRange lhsRows,
                                const Resident &kept, ValueRange rows) const;

  int64_t fragments() const { return numFragments; }

private:
  /// Words of the four rows, and operands B, of a chunk.
  struct Loaded {
    SmallVector<Value> words, operands;
  };
  /// A chunk whose place is `chunk` chunks behind the pointers; `left` elements
  /// of K follow the pointers, if that is where K ends.
  struct Place {
    int64_t chunk = 0;
    Value left;
  };

  bool isBiased() const;
  int64_t numSums() const;
  int64_t numCorrections() const;
  magicube_gpu::FragmentType getSumType(MLIRContext *context) const;
  magicube_gpu::FragmentType getPlaneType(MLIRContext *context,
                                          const OperandPlane &plane,
                                          magicube_gpu::MmaOperand side) const;
  SmallVector<Value> createZeros(Arithmetic e, int64_t count) const;

  /// Bytes of a row from the lane's pointer to the end of `left` elements.
  Value getLimit(Arithmetic e, const ChunkOperand &operand, Value left) const;
  Value loadWords(Arithmetic e, const ChunkOperand &operand, Value row,
                  const Place &place) const;
  SmallVector<Value> loadLhs(Arithmetic e, ValueRange lhsRows,
                             const Place &place) const;
  SmallVector<Value> loadRhs(Arithmetic e, ValueRange rows,
                             const Place &place) const;

  void multiply(Arithmetic e, ValueRange words, ValueRange operands,
                MutableArrayRef<Value> sums) const;
  void correct(Arithmetic e, ValueRange operands,
               MutableArrayRef<Value> corrections) const;
  /// Products of `chunks` chunks, which are loaded some ahead; `left` elements
  /// follow the pointers if the last one is cut, else it is null.
  void createRun(Arithmetic e, int64_t chunks, Value left, ValueRange lhsRows,
                 const Resident &kept, ValueRange rows,
                 MutableArrayRef<Value> sums) const;
  /// Products of all chunks, in loops.
  SmallVector<Value> createLoops(Arithmetic e, ValueRange lhsRows,
                                 ValueRange rows) const;
  Value combine(Arithmetic e, ValueRange sums, int64_t tile,
                int64_t fragment) const;

  const SddmmKernelSpec &spec;
  ChunkLayout chunk;
  Value inner;
  int64_t numFragments;
  /// Shifts that pairs of planes have, ascending.
  SmallVector<int32_t> shifts;
  bool resident;
};

} // namespace mlir::magicube

#endif // MAGICUBE_LIB_CONVERSION_MAINLOOP_SDDMMCHUNKS_H
