//===- BundleFixture.h - A small bundle for tests ---------------*- C++ -*-===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Made by hand, without the compiler: images that only begin as such.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_TEST_UNIT_RUNTIME_BUNDLEFIXTURE_H
#define MAGICUBE_TEST_UNIT_RUNTIME_BUNDLEFIXTURE_H

#include "magicube/Runtime/Bundle.h"

namespace mlir::magicube::test {

inline constexpr std::string_view elfImage = "\x7f"
                                             "ELFcode";
inline constexpr std::string_view ptxImage = ".version 7.8 ...";
inline constexpr std::string_view bitcodeImage = "BC\xc0\xde....";

/// One kernel for rows of 16 bytes (tile of 128 columns), one for any (64).
inline std::vector<BundleKernel> makeKernels() {
  BundleKernel aligned;
  aligned.name = "k16";
  aligned.rule = std::string(kSpmmRule);
  aligned.parameters.assign(kSpmmParameterNames.begin(),
                            kSpmmParameterNames.end());
  aligned.threads = 64;
  aligned.tile = {/*vectorRows=*/1, /*columns=*/128};
  aligned.alignment = {/*rhs=*/16, /*result=*/8};
  aligned.sharedMemoryBytes = 1024;
  BundleKernel any = aligned;
  any.name = "k1";
  any.threads = 128;
  any.tile.columns = 64;
  any.alignment = {/*rhs=*/1, /*result=*/1};
  any.sharedMemoryBytes = 65536;
  return {aligned, any};
}

/// A product of a ?x96 and a 96x? matrix, plus a third one.
inline BundleManifest makeManifest(const std::vector<std::string> &chips) {
  BundleManifest manifest;
  manifest.entry = "spmm";
  MatrixType lhs, rhs, sum;
  lhs.encoding = SRBCRSEncoding();
  lhs.encoding->vector = 4;
  lhs.encoding->order = VectorOrder::BankAware;
  lhs.encoding->index = IndexWidth::U16;
  lhs.cols = rhs.rows = 96;
  rhs.element.isSigned = false;
  sum.element.bits = 32;
  manifest.arguments = {lhs, rhs, sum};
  manifest.results = {sum};
  manifest.product = {/*lhs=*/0, /*rhs=*/1, /*init=*/2};
  for (const std::string &name : chips) {
    BundleChip chip;
    chip.chip = chip.compiledFor = name;
    chip.irHash = "00ff";
    chip.kernels = makeKernels();
    if (name == kSimulatorChip)
      chip.images = {{ImageFormat::Bitcode}};
    else
      chip.images = {{ImageFormat::Elf}, {ImageFormat::Ptx}};
    manifest.chips.push_back(std::move(chip));
  }
  return manifest;
}

inline std::string makeBundle(const std::vector<std::string> &chips) {
  std::vector<std::vector<std::string>> images;
  for (const std::string &name : chips)
    images.push_back(name == kSimulatorChip
                         ? std::vector<std::string>{std::string(bitcodeImage)}
                         : std::vector<std::string>{std::string(elfImage),
                                                    std::string(ptxImage)});
  return writeBundle(makeManifest(chips), images);
}

} // namespace mlir::magicube::test

#endif // MAGICUBE_TEST_UNIT_RUNTIME_BUNDLEFIXTURE_H
