//===- Artifact.h - What travels to the GPU machine -------------*- C++ -*-===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A folder with a manifest (JSON), device images, and one file of input and
// expected words. Written by magicube-conformance-pack, read by
// magicube-conformance.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_TEST_CONFORMANCE_ARTIFACT_H
#define MAGICUBE_TEST_CONFORMANCE_ARTIFACT_H

#include "magicube/Support/Json.h"

namespace mlir::magicube::conformance {

inline constexpr const char *kManifestFile = "conformance.json";
inline constexpr const char *kDataFile = "data.bin";

/// What an output word holds before the launch.
inline constexpr uint32_t kPoison = 0xCDCDCDCD;

/// Images with the same kernels.
struct ModuleRow {
  /// The lowest compute capability that can run it.
  unsigned minCapability = 0;
  /// A fatbin, and LLVM bitcode for device 'sim'.
  std::string fatbin, bitcode;
};

/// A kernel and its data; offsets and sizes in words of the data file.
struct KernelRow {
  std::string name;
  size_t module = 0;
  unsigned threads = 0, blocks = 0, sharedBytes = 0;
  uint64_t input = 0, inputWords = 0;
  uint64_t expected = 0, expectedWords = 0;
};

struct Artifact {
  std::vector<ModuleRow> modules;
  std::vector<KernelRow> kernels;
  std::vector<uint32_t> data;
};

/// Writes the manifest and the data; images are there already.
Status writeArtifact(const std::string &folder, const Artifact &artifact);
/// Reads and checks both.
Result<Artifact> readArtifact(const std::string &folder);

} // namespace mlir::magicube::conformance

#endif // MAGICUBE_TEST_CONFORMANCE_ARTIFACT_H
