//===- BundleProgram.h - Running a bundle -----------------------*- C++ -*-===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A bundle loaded on a device: picks an image, evaluates its launch plan, and
// launches on operands in device memory.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_RUNTIME_BUNDLEPROGRAM_H
#define MAGICUBE_RUNTIME_BUNDLEPROGRAM_H

#include "magicube/Runtime/Bundle.h"

namespace mlir::magicube {

/// Rows and columns.
using ProgramShape = std::array<int64_t, 2>;

/// An argument or a result: a dense or sparse matrix in device memory, or a
/// number.
struct ProgramOperand {
  ProgramShape shape = {1, 1};
  /// Of a dense matrix: its first element, and how many storage elements (bytes
  /// for 4-bit elements) lie from one row to the next. Results are written.
  const void *data = nullptr;
  int64_t rowStride = 1;
  /// Of a sparse matrix: stored vectors, with padding, and its components, as
  /// StorageLayout says. Results are written to `values`; pointers and indices
  /// of a result are those of its pattern, whatever stands here.
  int64_t stored = 0;
  const void *pointers = nullptr;
  const void *indices = nullptr;
  const void *values = nullptr;
  float number = 0;
};

/// All arguments and results of the manifest, in order. A result with an `init`
/// holds that argument's contents before the launch; of the argument itself
/// only the shape is looked at.
struct ProgramOperands {
  std::vector<ProgramOperand> arguments;
  std::vector<ProgramOperand> results;
};

/// A kernel with its grid and the values of its parameters, 8 bytes each.
struct PlannedLaunch {
  const PlanKernel *kernel = nullptr;
  Dim3 grid;
  Dim3 block;
  std::vector<uint64_t> parameters;
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

  /// The shapes that results must have for these arguments. Errors: arguments
  /// that do not have the types of the manifest.
  Result<std::vector<ProgramShape>>
  getResultShapes(const std::vector<ProgramOperand> &arguments) const;

  /// What launch() starts, in order; nothing if there is nothing to compute.
  /// Errors: operands that do not fit types or one another, values beyond the
  /// kernels' parameters, and operands that are aligned for no kernel.
  /// Addresses of scratch buffers are 0.
  Result<std::vector<PlannedLaunch>>
  plan(const ProgramOperands &operands) const;
  /// Starts the program on `stream`.
  Status launch(const ProgramOperands &operands, StreamHandle *stream);
  /// Times it, all launches together (Device::timeLaunches); nothing to compute
  /// takes no time. Several copies of the operands, all of one shape, are used
  /// in turn.
  Result<LaunchTiming> time(const std::vector<ProgramOperands> &copies,
                            unsigned replays);

private:
  BundleProgram(Device &device, BundleManifest content)
      : device(device), content(std::move(content)) {}

  Result<std::vector<PlannedLaunch>>
  planWith(const ProgramOperands &operands,
           const std::vector<const void *> &buffers) const;
  Result<std::vector<int64_t>> getBufferSizes(const ProgramOperands &) const;
  Result<FunctionHandle *> getFunction(const PlanKernel &kernel,
                                       size_t numParameters);

  Device &device;
  BundleManifest content;
  size_t chipIndex = 0;
  ImageFormat imageFormat = ImageFormat::Unknown;
  ModuleHandle *module = nullptr;
};

} // namespace mlir::magicube

#endif // MAGICUBE_RUNTIME_BUNDLEPROGRAM_H
