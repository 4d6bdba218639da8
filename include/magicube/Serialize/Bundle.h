//===- Bundle.h - Compiling bundles and fatbins ---------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One module for several chips, in one file.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_SERIALIZE_BUNDLE_H
#define MAGICUBE_SERIALIZE_BUNDLE_H

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace mlir::magicube {

/// The bundle (Runtime/Bundle.h) of the function `entry` (empty: the module's
/// only one) for `chips`: a cubin and PTX for each, and LLVM bitcode of the
/// first one's kernels for "sim". The function must be one product of its
/// arguments. Does not change the module; reports errors.
FailureOr<std::string> compileBundle(ModuleOp module, StringRef entry,
                                     const std::vector<std::string> &chips);

/// A fatbin of all kernels of the module: cubin and PTX for each chip.
FailureOr<std::string> compileFatbin(ModuleOp module,
                                     const std::vector<std::string> &chips);

} // namespace mlir::magicube

#endif // MAGICUBE_SERIALIZE_BUNDLE_H
