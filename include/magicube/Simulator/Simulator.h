//===- Simulator.h - Entry point of the simulator library -------*- C++ -*-===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libmagicube_simulator.so is loaded by the runtime with dlopen, so that only
// those who simulate need LLVM. This is the one symbol it exports.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_SIMULATOR_SIMULATOR_H
#define MAGICUBE_SIMULATOR_SIMULATOR_H

#include "magicube/Runtime/Device.h"

namespace mlir::magicube {

/// Creates the host SIMT device, owned by the caller; on failure returns null
/// and fills `error`.
using CreateSimulatorFunction = Device *(const DeviceOptions &options,
                                         Error &error);

/// The name of the exported factory below.
inline constexpr const char *createSimulatorSymbol = "magicubeCreateSimulator";

} // namespace mlir::magicube

extern "C" __attribute__((visibility("default"))) mlir::magicube::Device *
magicubeCreateSimulator(const mlir::magicube::DeviceOptions &options,
                        mlir::magicube::Error &error);

#endif // MAGICUBE_SIMULATOR_SIMULATOR_H
