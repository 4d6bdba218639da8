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

#include "SimulatorLoader.h"

using namespace mlir::magicube;

Device::~Device() = default;

namespace {

using Creator = Result<std::unique_ptr<Device>> (*)(const DeviceOptions &);

struct DeviceRow {
  std::string_view name;
  /// Null: a name that users know but that this build does not offer.
  Creator create;
};

constexpr DeviceRow deviceRows[] = {
    {"sim", createSimulatorDevice},
    {"cuda", nullptr},
};

std::string availableDevices() {
  std::string list;
  for (const DeviceRow &row : deviceRows)
    if (row.create)
      list += (list.empty() ? "'" : ", '") + std::string(row.name) + "'";
  return list;
}

} // namespace

Result<std::unique_ptr<Device>>
mlir::magicube::createDevice(std::string_view name,
                             const DeviceOptions &options) {
  for (const DeviceRow &row : deviceRows) {
    if (row.name != name)
      continue;
    if (row.create)
      return row.create(options);
    return Error{"device '" + std::string(name) +
                     "' is not available in this build",
                 "use one of: " + availableDevices()};
  }
  return Error{"unknown device '" + std::string(name) + "'",
               "use one of: " + availableDevices()};
}
