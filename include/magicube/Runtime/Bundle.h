//===- Bundle.h - Compiled programs in one file -----------------*- C++ -*-===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What magicube-compile --emit=bundle writes and the runtime alone loads: one
// function compiled for one or several chips, with all that a launch must know.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_RUNTIME_BUNDLE_H
#define MAGICUBE_RUNTIME_BUNDLE_H

#include "magicube/Format/MatrixType.h"
#include "magicube/Runtime/Image.h"
#include "magicube/Runtime/LaunchPlan.h"

#include <map>

namespace mlir::magicube {

// The file, version 2:
//
//   magicube-bundle 2 BYTES\n     BYTES: length of the manifest in decimal
//   manifest                      JSON, UTF-8
//   images                        each at a multiple of 16 bytes in the file
//
// All gaps are zero bytes. The manifest:
//
//   {"entry": NAME,
//    "arguments": [MATRIX...],
//    "results": [MATRIX with "init": I or null and, if sparse,
//                "pattern": I...],
//    "operands": [{"name": NAME, "argument": I} or
//                 {"name": NAME, "result": I}...],
//    "reference": {"op": NAME, "attributes": {NAME: TEXT...}},
//    "chips": [{"chip": "sm_80",           or "sim": for device 'sim'
//               "compiled_for": "sm_80",   the chip whose schedule it has
//               "ir_sha256": HEX,          of the module after stage `schedule`
//               "plan": PLAN,              see PlanJson.h
//               "images": [{"format": "cubin", "offset": N, "bytes": N,
//                           "crc32": N}, ...]},
//              ...]}
//
// MATRIX is {"element": "i8", "rows": N or null, "columns": N or null} and, if
// sparse, "sparse": {"vector": N, "stride": N, "order": "natural", "slab": N,
// "index": "i32"}; null is an extent that is known only at run time. Elements
// are integers, "i1" (sparse arguments: a pattern without values), "f32"
// (numbers too: "number": true) and, of results and sparse matrices, "f16" and
// "bf16". I counts arguments or results from 0. "init" is the argument whose
// contents a result holds before the launch; "pattern" is the one whose
// pointers and indices are those of a sparse result too, which is of the same
// encoding, in natural order; its values alone are written. Operands give
// arguments and results the names that plans know, results last and in order;
// "reference" says what is computed, for those who check it. Offsets count from
// the first multiple of 16 after the manifest. Formats of images: cubin, ptx,
// fatbin, bitcode.

/// Where the bytes of an image lie, from the start of all images.
struct BundleImage {
  ImageFormat format = ImageFormat::Unknown;
  uint64_t offset = 0;
  uint64_t bytes = 0;
  /// Of the bytes: loaders of damaged images may end the process.
  uint32_t crc32 = 0;
};

/// How to launch on one chip, and images that each hold all kernels for it.
struct BundleChip {
  std::string chip;
  std::string compiledFor;
  std::string irHash;
  LaunchPlan plan;
  std::vector<BundleImage> images;
};

struct BundleResult {
  MatrixType type;
  /// The argument whose contents it holds before the launch.
  std::optional<size_t> init = {};
  /// Of a sparse result: the argument whose pointers and indices it has.
  std::optional<size_t> pattern = {};
};

/// What the plans call an argument or a result.
struct BundleOperand {
  std::string name;
  bool isResult = false;
  size_t index = 0;
};

/// The name of what several operations compute.
inline constexpr std::string_view kSequenceReference = "sequence";

/// What is computed, as data for a check. The runtime does not look at it.
struct BundleReference {
  std::string op;
  std::map<std::string, std::string> attributes;
};

struct BundleManifest {
  std::string entry;
  std::vector<MatrixType> arguments;
  std::vector<BundleResult> results;
  std::vector<BundleOperand> operands;
  BundleReference reference;
  std::vector<BundleChip> chips;

  /// The operand of that name; null if there is none.
  const BundleOperand *findOperand(std::string_view name) const {
    for (const BundleOperand &operand : operands)
      if (operand.name == name)
        return &operand;
    return nullptr;
  }
};

/// Operands as plans know them, in the order of the manifest.
MAGICUBE_RUNTIME_EXPORT std::vector<PlanOperand>
getPlanOperands(const BundleManifest &manifest);

/// The chip name of kernels for the host SIMT device.
inline constexpr std::string_view kSimulatorChip = "sim";

/// A bundle in memory.
class MAGICUBE_RUNTIME_EXPORT Bundle {
public:
  /// Reads a file. Errors name it and the place in it.
  static Result<Bundle> read(const std::string &path);
  /// The same from memory; `name` stands for the file in messages. Everything
  /// is checked: header, manifest, and that each image lies inside and has the
  /// format that the manifest says.
  static Result<Bundle> parse(std::string bytes, const std::string &name);

  const BundleManifest &manifest() const { return content; }
  std::string_view image(const BundleImage &image) const {
    return std::string_view(file).substr(imagesStart + image.offset,
                                         image.bytes);
  }

private:
  Bundle() = default;

  BundleManifest content;
  std::string file;
  uint64_t imagesStart = 0;
};

/// Makes a bundle, byte for byte the same for the same input. `images[i][j]`
/// are the bytes of image j of chip i; offsets, sizes and checksums in
/// `manifest` are filled in.
MAGICUBE_RUNTIME_EXPORT std::string
writeBundle(BundleManifest manifest,
            const std::vector<std::vector<std::string>> &images);

/// What a device runs of a bundle.
struct BundleChoice {
  const BundleChip *chip = nullptr;
  const BundleImage *image = nullptr;
};

/// The best image for the device: machine code for its chip or the nearest one
/// before it of the same major number (binary compatibility: CUDA C++
/// Programming Guide, "Binary Compatibility"), else the PTX of the nearest chip
/// before it. Device 'sim' takes bitcode. An Error names what there is.
MAGICUBE_RUNTIME_EXPORT Result<BundleChoice>
chooseImage(const BundleManifest &manifest, const Device &device);

} // namespace mlir::magicube

#endif // MAGICUBE_RUNTIME_BUNDLE_H
