//===- DeviceOperands.h - Values of a program in device memory ----------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_TOOLS_MAGICUBE_LAUNCH_DEVICEOPERANDS_H
#define MAGICUBE_TOOLS_MAGICUBE_LAUNCH_DEVICEOPERANDS_H

#include "magicube/Format/ProgramArguments.h"
#include "magicube/Runtime/BundleProgram.h"

namespace mlir::magicube {

/// Device memory that is freed at the end.
class Buffers {
public:
  explicit Buffers(Device &device) : device(device) {}
  ~Buffers() {
    // A failed kernel fails here once more; it has been reported.
    for (void *buffer : buffers)
      (void)device.free(buffer, /*stream=*/nullptr);
  }

  Result<void *> allocate(uint64_t bytes) {
    Result<void *> buffer =
        device.allocate(bytes, MemoryKind::Device, /*stream=*/nullptr);
    if (buffer) {
      buffers.push_back(*buffer);
      total += bytes;
    }
    return buffer;
  }
  Result<void *> upload(const void *data, uint64_t bytes) {
    Result<void *> buffer = allocate(bytes);
    if (!buffer)
      return buffer;
    if (Status s = device.copy(*buffer, data, bytes, /*stream=*/nullptr); !s)
      return s.error();
    return buffer;
  }

  /// Bytes of all buffers.
  uint64_t size() const { return total; }

private:
  Device &device;
  std::vector<void *> buffers;
  uint64_t total = 0;
};

/// Arguments and results that are not in device memory yet.
std::vector<ProgramOperand>
describeArguments(const std::vector<ProgramValue> &arguments);
std::vector<ProgramOperand>
describeResults(const BundleManifest &manifest,
                const std::vector<ProgramOperand> &arguments,
                const std::vector<ProgramShape> &shapes);

/// Copies the arguments to the device and makes results of the given shapes:
/// copies of their inits, or memory that holds no element of a result.
Result<ProgramOperands> upload(const BundleManifest &manifest,
                               const std::vector<ProgramValue> &arguments,
                               const std::vector<ProgramShape> &shapes,
                               Buffers &buffers, Device &device);

/// Copies the results to the host. Sparse ones get pointers and indices of
/// their arguments.
Result<std::vector<ProgramValue>>
download(const BundleManifest &manifest,
         const std::vector<ProgramValue> &arguments,
         const ProgramOperands &operands, Device &device);

} // namespace mlir::magicube

#endif // MAGICUBE_TOOLS_MAGICUBE_LAUNCH_DEVICEOPERANDS_H
