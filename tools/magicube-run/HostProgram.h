//===- HostProgram.h - Running a compiled module --------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Just-in-time compiles the host code and calls the entry function on a
// device's buffers.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_TOOLS_MAGICUBE_RUN_HOSTPROGRAM_H
#define MAGICUBE_TOOLS_MAGICUBE_RUN_HOSTPROGRAM_H

#include "Arguments.h"
#include "magicube/Runtime/Device.h"

#include "mlir/IR/BuiltinOps.h"

namespace mlir::magicube {

/// Calls `entry` of `module`, whose kernels are serialized, with `arguments` in
/// memory of `device`, the runtime's current device. `type` is the function's
/// type before it was compiled, `elements` those of its results. Returns the
/// results on the host. Lowers the module's host code on the way.
Result<std::vector<ProgramValue>>
runHostProgram(ModuleOp module, StringRef entry, FunctionType type,
               ArrayRef<ResultElement> elements,
               const std::vector<ProgramValue> &arguments, Device &device);

} // namespace mlir::magicube

#endif // MAGICUBE_TOOLS_MAGICUBE_RUN_HOSTPROGRAM_H
