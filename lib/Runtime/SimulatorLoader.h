//===- SimulatorLoader.h - Finds the simulator library ----------*- C++ -*-===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_RUNTIME_SIMULATORLOADER_H
#define MAGICUBE_LIB_RUNTIME_SIMULATORLOADER_H

#include "magicube/Runtime/Device.h"

namespace mlir::magicube {

/// Loads libmagicube_simulator.so and creates its device. The library is taken
/// from MAGICUBE_SIMULATOR_LIBRARY if set, else from the folder of the runtime
/// library, else from the loader's search path.
Result<std::unique_ptr<Device>>
createSimulatorDevice(const DeviceOptions &options);

} // namespace mlir::magicube

#endif // MAGICUBE_LIB_RUNTIME_SIMULATORLOADER_H
