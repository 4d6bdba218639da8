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

/// An expression that is right.
inline SizeExpr expr(std::string_view text) { return *SizeExpr::parse(text); }

/// A kernel for rows of `alignment` bytes and tiles of `columns` columns.
inline PlanKernel makeKernel(std::string name, int64_t alignment,
                             int64_t resultAlignment, int64_t columns,
                             int64_t threads) {
  PlanKernel kernel;
  kernel.name = std::move(name);
  if (alignment > 1)
    kernel.alignments = {
        {{expr("rhs.address"), expr("rhs.stride0"), expr("columns")},
         alignment},
        {{expr("result.address"), expr("result.stride0 * 4")},
         resultAlignment}};
  for (const char *pointer : {"lhs.pointers", "lhs.indices", "lhs.values",
                              "rhs.address", "result.address"})
    kernel.parameters.push_back({PlanParameter::Kind::Pointer, expr(pointer)});
  for (const char *size :
       {"columns", "rhs.stride0", "result.stride0", "vector_rows"})
    kernel.parameters.push_back({PlanParameter::Kind::I32, expr(size)});
  SizeExpr tiles = ceilDiv(expr("columns"), columns);
  kernel.grid = {expr("vector_rows"), min(tiles, 65535), ceilDiv(tiles, 65535)};
  kernel.block = {threads, 1, 1};
  return kernel;
}

/// One kernel for rows of 16 bytes (tile of 128 columns), one for any (64).
inline LaunchPlan makePlan() {
  LaunchPlan plan;
  plan.results = {{"result", {expr("lhs.dim0"), expr("rhs.dim1")}}};
  plan.values = {{"columns", expr("result.dim1")},
                 {"vector_rows", expr("result.dim0 floordiv 4")}};
  plan.checks = {{expr("rhs.dim0"), expr("lhs.dim1"),
                  "expected {rhs} to have as many rows as {lhs} has columns",
                  "change one of the two matrices"}};
  PlanKernel aligned = makeKernel("k16", 16, 8, 128, 64);
  aligned.sharedMemoryBytes = 1024;
  PlanKernel any = makeKernel("k1", 1, 1, 64, 128);
  any.sharedMemoryBytes = 65536;
  plan.launches = {{{expr("vector_rows"), expr("columns")}, {aligned, any}}};
  return plan;
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
  manifest.results = {{sum, /*init=*/2}};
  manifest.operands = {{"lhs", /*isResult=*/false, 0},
                       {"rhs", /*isResult=*/false, 1},
                       {"result", /*isResult=*/true, 0}};
  manifest.reference.op = "spmm";
  for (const std::string &name : chips) {
    BundleChip chip;
    chip.chip = chip.compiledFor = name;
    chip.irHash = "00ff";
    chip.plan = makePlan();
    if (name == kSimulatorChip)
      chip.images = {{ImageFormat::Bitcode}};
    else
      chip.images = {{ImageFormat::Elf}, {ImageFormat::Ptx}};
    manifest.chips.push_back(std::move(chip));
  }
  return manifest;
}

/// Images of the formats that the manifest says.
inline std::string writeWithImages(const BundleManifest &manifest) {
  std::vector<std::vector<std::string>> images;
  for (const BundleChip &chip : manifest.chips)
    images.push_back(chip.chip == kSimulatorChip
                         ? std::vector<std::string>{std::string(bitcodeImage)}
                         : std::vector<std::string>{std::string(elfImage),
                                                    std::string(ptxImage)});
  return writeBundle(manifest, images);
}

inline std::string makeBundle(const std::vector<std::string> &chips) {
  return writeWithImages(makeManifest(chips));
}

} // namespace mlir::magicube::test

#endif // MAGICUBE_TEST_UNIT_RUNTIME_BUNDLEFIXTURE_H
