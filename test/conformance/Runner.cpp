//===- Runner.cpp - Runs the kernels of an artifact -----------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runner.h"

using namespace mlir::magicube;
using namespace mlir::magicube::conformance;

namespace {

/// A buffer of device memory.
struct Buffer {
  Device &device;
  void *address = nullptr;

  ~Buffer() { (void)device.free(address, /*stream=*/nullptr); }
  Status allocate(uint64_t words) {
    Result<void *> memory =
        device.allocate(words * sizeof(uint32_t), MemoryKind::Device, nullptr);
    if (!memory)
      return memory.error();
    address = *memory;
    return {};
  }
};

} // namespace

Result<std::vector<uint32_t>> conformance::runKernel(Device &device,
                                                     ModuleHandle *module,
                                                     const KernelRow &row,
                                                     const uint32_t *input) {
  Result<FunctionHandle *> function =
      device.getFunction(module, row.name.c_str());
  if (!function)
    return function.error();
  Buffer in{device}, out{device};
  Status status = in.allocate(row.inputWords);
  if (status)
    status = out.allocate(row.expectedWords);
  if (status)
    status = device.copy(in.address, input, row.inputWords * sizeof(uint32_t),
                         /*stream=*/nullptr);
  if (status)
    status = device.fill(out.address, kPoison, sizeof(kPoison),
                         row.expectedWords, /*stream=*/nullptr);
  void *parameters[] = {&in.address, &out.address};
  if (status)
    status = device.launch(*function, {row.blocks, 1, 1}, {row.threads, 1, 1},
                           row.sharedBytes, /*stream=*/nullptr, parameters);
  if (status)
    status = device.synchronize();
  std::vector<uint32_t> words(row.expectedWords);
  if (status)
    status = device.copy(words.data(), out.address,
                         words.size() * sizeof(uint32_t), /*stream=*/nullptr);
  if (status)
    status = device.synchronize();
  if (!status)
    return status.error();
  return words;
}
