//===- Runner.h - Runs the kernels of an artifact ---------------*- C++ -*-===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_TEST_CONFORMANCE_RUNNER_H
#define MAGICUBE_TEST_CONFORMANCE_RUNNER_H

#include "Artifact.h"

#include "magicube/Runtime/Device.h"

namespace mlir::magicube::conformance {

/// Launches a kernel of a loaded module on `input` (row.inputWords words);
/// returns the output, row.expectedWords words.
Result<std::vector<uint32_t>> runKernel(Device &device, ModuleHandle *module,
                                        const KernelRow &row,
                                        const uint32_t *input);

} // namespace mlir::magicube::conformance

#endif // MAGICUBE_TEST_CONFORMANCE_RUNNER_H
