//===- SpmmKernelBody.h - What the parts of a kernel start from  -*- C++
//-*-===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The body of a kernel that is being made, for the CTAs whose tile is inside of
// the result. One function for each placement of the dense rows composes it.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_CONVERSION_SPMMKERNELBODY_H
#define MAGICUBE_LIB_CONVERSION_SPMMKERNELBODY_H

#include "MainLoop/SpmmStep.h"
#include "Placement/DenseTile.h"
#include "Placement/RowReader.h"
#include "Placement/SparseRegisters.h"
#include "SpmmKernelSpec.h"
#include "WorkPartition/StoredPointers.h"

namespace mlir::magicube {

/// What a vector-row costs a warp besides its k-steps (its pointers, the
/// latency of its first loads, its sums), in stored positions.
inline constexpr int64_t kRowCost = 2 * kStepPositions;

struct SpmmKernelBody {
  Arithmetic e;
  const SpmmKernelSpec &spec;
  gpu::GPUFuncOp kernel;
  SpmmStep step;
  /// First column of the CTA's tile.
  Value column;

  MLIRContext *getContext() const { return kernel->getContext(); }
  Value get(SpmmParameter which) const {
    return kernel->getRegion(0).getArgument(static_cast<unsigned>(which));
  }
  int64_t warps() const { return spec.schedule.getWarps(); }

  StoredPointers getPointers() const {
    return {get(SpmmParameter::Pointers), spec.segments,
            spec.encoding.getStride()};
  }
  DenseTile getDenseTile() const;
  /// Reads of the chunks from `firstChunk` on.
  RowReader getReader(Value firstChunk) const;
  SparseRegisters getSparseRegisters() const;

  /// Finishes and stores the sums of vector-row `row`: of columns from chunk
  /// `firstChunk` of the tile on.
  void store(ArrayRef<Value> sums, Value row, Value firstChunk) const;
};

void createGatheredBody(const SpmmKernelBody &body);
void createStationaryBody(const SpmmKernelBody &body);
void createKTiledBody(const SpmmKernelBody &body);

} // namespace mlir::magicube

#endif // MAGICUBE_LIB_CONVERSION_SPMMKERNELBODY_H
