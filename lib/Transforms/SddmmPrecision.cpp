//===- SddmmPrecision.cpp - The MMAs of a sampled product -----------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ComputeOps.h"

#include "magicube/Target/GpuTarget.h"

using namespace mlir;
using namespace mlir::magicube;

unsigned mlir::magicube::chooseSddmmComputeBits(Operation *operation,
                                                const GpuTarget &target) {
  auto op = cast<SddmmOp>(operation);
  constexpr unsigned int4 = 4, int8 = 8;
  // Operands of MMAs of 4 bits are the words as they are stored.
  bool isInt4 = op.getLhsElementType().isInteger(int4) &&
                op.getRhsElementType().isInteger(int4);
  return isInt4 && target.nativeInt4Mma ? int4 : int8;
}
