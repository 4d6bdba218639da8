//===- JoinPlans.h - One launch plan of several ---------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_SERIALIZE_JOINPLANS_H
#define MAGICUBE_LIB_SERIALIZE_JOINPLANS_H

#include "EntryProduct.h"

namespace mlir::magicube {

/// The operands of a step's plan, in the order that plans want: results last.
std::vector<PlanOperand> getPlanOperands(const EntryStep &step);

/// The plan of all steps, one after another, of the plan of each: what one
/// makes for another is in a scratch buffer. `numResults` are returned.
LaunchPlan joinPlans(const std::vector<EntryStep> &steps,
                     const std::vector<LaunchPlan> &plans, size_t numResults,
                     const BundleManifest &manifest);

} // namespace mlir::magicube

#endif // MAGICUBE_LIB_SERIALIZE_JOINPLANS_H
