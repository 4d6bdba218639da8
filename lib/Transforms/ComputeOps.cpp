//===- ComputeOps.cpp - What each operation chooses
//------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table: a row per operation.
//
//===----------------------------------------------------------------------===//

#include "ComputeOps.h"

using namespace mlir;
using namespace mlir::magicube;

static constexpr ComputeOpChoices kChoices[] = {
    {"magicube.sddmm", chooseSddmmComputeBits, /*chooseSchedule=*/nullptr},
    {"magicube.spmm", chooseSpmmComputeBits, chooseSpmmSchedule},
};

const ComputeOpChoices *mlir::magicube::getChoices(Operation *op) {
  return findRow<ComputeOpChoices>(kChoices, op);
}
