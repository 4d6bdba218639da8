//===- StepValues.h - Where a lane finds the values of a step -------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Addresses and loads of sparse values, in shared memory as cp_async_values
// laid them down and in global memory as they are stored.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_CONVERSION_MAGICUBEGPUTONVVM_STEPVALUES_H
#define MAGICUBE_LIB_CONVERSION_MAGICUBEGPUTONVVM_STEPVALUES_H

#include "Lowering.h"

namespace mlir::magicube_gpu {

/// The order of a step's values in a tile, where nothing of others is between
/// them.
magicube::ValueOrder getTileOrder(magicube::SRBCRSAttr encoding);

/// The values of a step of 32 positions: strides, or half of one, one after the
/// other, and in each the positions of one component after those of the one
/// before. A lane loads 8 positions of one component per fragment.
struct StepValues {
  magicube::SRBCRSAttr encoding;
  magicube::StepLayout step;
  magicube::SparseOperand operand;

  StepValues(magicube::SRBCRSAttr encoding, StepAttr step);

  /// First of the lane's positions in the step.
  Value getLanePosition(Emitter &e) const;
  /// Bytes from the step's first value to the lane's, in storage or in a tile.
  Value getLaneOffset(Emitter &e, int32_t fragment,
                      magicube::ValueOrder order) const;
  /// Bytes from the first stored value to that of `position`, where a step
  /// starts, as i64.
  Value getStepOffset(Emitter &e, Value position) const;
  /// A lane's words at `address`.
  SmallVector<Value> load(Emitter &e, Value address) const;

private:
  /// Of a stored value.
  int64_t getStorageBits() const;
};

} // namespace mlir::magicube_gpu

#endif // MAGICUBE_LIB_CONVERSION_MAGICUBEGPUTONVVM_STEPVALUES_H
