//===- EpiloguePlan.h - Epilogues in launch plans -------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parameters and checks that plans of operations with an epilogue share.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_CONVERSION_MAGICUBETOMAGICUBEGPU_EPILOGUEPLAN_H
#define MAGICUBE_LIB_CONVERSION_MAGICUBETOMAGICUBEGPU_EPILOGUEPLAN_H

#include "magicube/Format/Epilogue.h"
#include "magicube/Runtime/LaunchPlan.h"

namespace mlir::magicube {

/// Adds the kernel's parameters for the operands, in order: a number, or the
/// address of a matrix.
void addEpilogueParameters(std::vector<PlanParameter> &parameters,
                           const Epilogue<BroadcastAxis> &epilogue);

/// Adds that operands have a number for each row or column of the result, which
/// has the extents of the plan's operand `shape`.
void addEpilogueChecks(std::vector<PlanCheck> &checks,
                       const Epilogue<BroadcastAxis> &epilogue,
                       const std::string &shape);

} // namespace mlir::magicube

#endif // MAGICUBE_LIB_CONVERSION_MAGICUBETOMAGICUBEGPU_EPILOGUEPLAN_H
