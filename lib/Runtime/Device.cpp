//===- Device.cpp - Devices by name ---------------------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One table maps device names to their creators.
//
//===----------------------------------------------------------------------===//

#include "magicube/Runtime/Device.h"

#include "CudaDevice.h"
#include "SimulatorLoader.h"

using namespace mlir::magicube;

Device::~Device() = default;

Status Device::checkParameters(FunctionHandle *, size_t) { return {}; }

Result<LaunchTiming>
Device::timeLaunches(const std::vector<std::vector<KernelLaunch>> &, unsigned) {
  return Error{"device '" + std::string(name()) +
                   "' has no clock worth reading",
               "time kernels on device 'cuda'"};
}

namespace {

using Creator = Result<std::unique_ptr<Device>> (*)(const DeviceOptions &);

struct DeviceRow {
  std::string_view name;
  Creator create;
};

constexpr DeviceRow deviceRows[] = {
    {"sim", createSimulatorDevice},
    {"cuda", createCudaDevice},
};

std::string availableDevices() {
  std::string list;
  for (const DeviceRow &row : deviceRows)
    list += (list.empty() ? "'" : ", '") + std::string(row.name) + "'";
  return list;
}

} // namespace

Result<std::unique_ptr<Device>>
mlir::magicube::createDevice(std::string_view name,
                             const DeviceOptions &options) {
  for (const DeviceRow &row : deviceRows)
    if (row.name == name)
      return row.create(options);
  return Error{"unknown device '" + std::string(name) + "'",
               "use one of: " + availableDevices()};
}
