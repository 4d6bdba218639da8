//===- CurrentDevice.cpp - The process-wide device ------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device that host code compiled by gpu-to-llvm acts on: it names none.
//
//===----------------------------------------------------------------------===//

#include "magicube/Runtime/Device.h"

#include <cstdlib>
#include <mutex>

using namespace mlir::magicube;

namespace {

constexpr const char *deviceVariable = "MAGICUBE_DEVICE";
constexpr const char *optionsVariable = "MAGICUBE_DEVICE_OPTIONS";

struct CurrentDevice {
  std::mutex mutex;
  Device *device = nullptr;
  /// Created from the environment on first use. Never destroyed: module
  /// destructors of the host program may still call mgpuModuleUnload at exit.
  Device *fromEnvironment = nullptr;
};

CurrentDevice &currentDevice() {
  static CurrentDevice *current = new CurrentDevice();
  return *current;
}

/// Splits "key=value,key=value".
Result<DeviceOptions> parseOptions(std::string_view text) {
  DeviceOptions options;
  while (!text.empty()) {
    size_t comma = text.find(',');
    std::string_view item = text.substr(0, comma);
    text.remove_prefix(comma == std::string_view::npos ? text.size()
                                                       : comma + 1);
    size_t equals = item.find('=');
    if (equals == std::string_view::npos || equals == 0)
      return Error{
          std::string(optionsVariable) + ": expected key=value, but got '" +
              std::string(item) + "'",
          "separate options by commas, as in warp-order=reverse,seed=1"};
    options.emplace_back(item.substr(0, equals), item.substr(equals + 1));
  }
  return options;
}

Result<Device *> createFromEnvironment() {
  const char *name = std::getenv(deviceVariable);
  const char *text = std::getenv(optionsVariable);
  Result<DeviceOptions> options = parseOptions(text ? text : "");
  if (!options)
    return options.error();
  Result<std::unique_ptr<Device>> device =
      createDevice(name && *name ? name : "sim", *options);
  if (!device)
    return device.error();
  return device->release();
}

} // namespace

Result<Device *> mlir::magicube::getCurrentDevice() {
  CurrentDevice &current = currentDevice();
  std::lock_guard<std::mutex> lock(current.mutex);
  if (current.device)
    return current.device;
  if (!current.fromEnvironment) {
    Result<Device *> created = createFromEnvironment();
    if (!created)
      return created;
    current.fromEnvironment = *created;
  }
  return current.fromEnvironment;
}

void mlir::magicube::setCurrentDevice(Device *device) {
  CurrentDevice &current = currentDevice();
  std::lock_guard<std::mutex> lock(current.mutex);
  current.device = device;
}
