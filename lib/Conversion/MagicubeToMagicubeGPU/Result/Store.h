//===- Store.h - The result part of a kernel ------------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exchange between lanes, epilogue and store of a warp's sums.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_CONVERSION_MAGICUBETOMAGICUBEGPU_RESULT_STORE_H
#define MAGICUBE_LIB_CONVERSION_MAGICUBETOMAGICUBEGPU_RESULT_STORE_H

#include "dialect/magicube_gpu/MagicubeGPUDialect.h"
#include "magicube/Layout/OperandPlanes.h"

namespace mlir::magicube {

/// Whether sums are stored as they are, without a body.
bool isPlain(const Epilogue<BroadcastAxis> &epilogue);

/// Makes the body of a store: the epilogue of an element.
void createStoreBody(OpBuilder &b, Location loc, Region &body,
                     const Epilogue<BroadcastAxis> &epilogue,
                     ValueRange operands);

/// How a kernel stores its result.
struct ResultStore {
  /// How lanes hold the sums.
  const StepLayout &step;
  const DenseOperand &dense;
  SRBCRSAttr encoding;
  /// What becomes of them, and the kernel's parameters for its operands.
  const Epilogue<BroadcastAxis> &epilogue;
  ValueRange epilogueOperands;
  /// The result in memory, see StoreResultOp.
  Value base, stride, limit;
  int64_t alignment = 1;
  bool isStreaming = false;
  bool accumulates = false;

  /// Stores the sums of a group of chunks, one fragment per column set, of
  /// n-fragment `fragment` of the vector components: from row `row` of the
  /// result's and column `column` on.
  void create(OpBuilder &b, Location loc, ArrayRef<Value> sums,
              int64_t fragment, Value row, Value column) const;

private:
  /// The lane's number, as what addresses are computed of.
  Value createLane(OpBuilder &b, Location loc) const;
  SmallVector<Value> createExchange(OpBuilder &b, Location loc,
                                    ArrayRef<Value> sums, Value lane) const;
};

} // namespace mlir::magicube

#endif // MAGICUBE_LIB_CONVERSION_MAGICUBETOMAGICUBEGPU_RESULT_STORE_H
