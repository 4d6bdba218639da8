//===- Reference.h - What a bundle should compute -----------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_TOOLS_MAGICUBE_LAUNCH_REFERENCE_H
#define MAGICUBE_TOOLS_MAGICUBE_LAUNCH_REFERENCE_H

#include "magicube/Format/ProgramArguments.h"
#include "magicube/Runtime/BundleProgram.h"

namespace mlir::magicube {

/// The results of the plain reference. Errors: an operation without one, and
/// operands that are none of its.
Result<std::vector<ProgramValue>>
evaluateReference(const BundleManifest &manifest,
                  const std::vector<ProgramValue> &arguments);

/// Compares sums with the reference by projections of both.
Status compareProjections(const BundleManifest &manifest,
                          const std::vector<ProgramValue> &arguments,
                          const ProgramValue &actual, uint64_t seed);

} // namespace mlir::magicube

#endif // MAGICUBE_TOOLS_MAGICUBE_LAUNCH_REFERENCE_H
