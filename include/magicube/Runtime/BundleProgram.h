//===- BundleProgram.h - Running a bundle -----------------------*- C++ -*-===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A bundle loaded on a device: picks image and kernel, computes the grid, and
// launches on operands in device memory.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_RUNTIME_BUNDLEPROGRAM_H
#define MAGICUBE_RUNTIME_BUNDLEPROGRAM_H

#include "magicube/Runtime/Bundle.h"

namespace mlir::magicube {

/// Operands of C = A * B + C0 in device memory; C holds C0 before the launch
/// if the product has an `init`. Components of A as StorageLayout says.
struct SpmmOperands {
  const void *pointers = nullptr;
  const void *indices = nullptr;
  const void *values = nullptr;
  const void *rhs = nullptr;
  void *result = nullptr;
  /// Operands of the epilogue, as far as the product has them. A scale that is
  /// a number is one of `numbers`.
  const void *sumBias = nullptr;
  const void *scales[kNumSpmmScales] = {};
  float numbers[kNumSpmmScales] = {};
  const void *bias = nullptr;
  /// M / V.
  int64_t vectorRows = 0;
  /// N.
  int64_t columns = 0;
  /// Bytes from one row of B to the next.
  int64_t rhsStride = 0;
  /// Elements from one row of C to the next; bytes if they have 4 bits.
  int64_t resultStride = 0;
};

/// A kernel and its grid for given operands. No kernel: there is nothing to
/// compute.
struct SpmmLaunch {
  const BundleKernel *kernel = nullptr;
  Dim3 grid;
  Dim3 block;
};

/// Must not outlive its device.
class MAGICUBE_RUNTIME_EXPORT BundleProgram {
public:
  /// Loads the best image of the bundle.
  static Result<std::unique_ptr<BundleProgram>> load(Device &device,
                                                     const Bundle &bundle);
  ~BundleProgram();
  BundleProgram(const BundleProgram &) = delete;
  BundleProgram &operator=(const BundleProgram &) = delete;

  const BundleManifest &manifest() const { return content; }
  /// The chip and the format of the image that was loaded.
  const BundleChip &chip() const { return content.chips[chipIndex]; }
  ImageFormat format() const { return imageFormat; }

  /// The kernel and grid that launch() uses. Errors: a size beyond the kernel's
  /// 32-bit parameters; a bundle whose kernels all need more alignment than the
  /// operands have.
  Result<SpmmLaunch> plan(const SpmmOperands &operands) const;
  /// Starts the product on `stream`.
  Status launch(const SpmmOperands &operands, StreamHandle *stream);
  /// Times it (Device::timeLaunch); nothing to compute takes no time. Several
  /// copies of the operands, all of one shape, are used in turn.
  Result<LaunchTiming> time(const std::vector<SpmmOperands> &copies,
                            unsigned replays);

private:
  BundleProgram(Device &device, BundleManifest content)
      : device(device), content(std::move(content)) {}

  Device &device;
  BundleManifest content;
  size_t chipIndex = 0;
  ImageFormat imageFormat = ImageFormat::Unknown;
  ModuleHandle *module = nullptr;
};

} // namespace mlir::magicube

#endif // MAGICUBE_RUNTIME_BUNDLEPROGRAM_H
