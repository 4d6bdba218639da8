//===- Grid.h - Runs the blocks of a launch ---------------------*- C++ -*-===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_SIMULATOR_GRID_H
#define MAGICUBE_LIB_SIMULATOR_GRID_H

#include "Worker.h"

namespace mlir::magicube::sim {

/// An Error if the launch breaks a limit of the CUDA programming model or the
/// device's shared memory limit.
Status checkLimits(const Launch &launch);

/// Runs all blocks on up to options.threads OS threads. `workers` are kept from
/// launch to launch and grow as needed. The error is that of the first block,
/// in the order of block indices, that failed.
Status runGrid(const Launch &launch,
               std::vector<std::unique_ptr<Worker>> &workers);

} // namespace mlir::magicube::sim

#endif // MAGICUBE_LIB_SIMULATOR_GRID_H
