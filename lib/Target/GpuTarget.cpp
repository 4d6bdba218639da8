//===- GpuTarget.cpp - The table of chips ---------------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One row per supported chip.
//
//===----------------------------------------------------------------------===//

#include "magicube/Target/GpuTarget.h"

using namespace mlir::magicube;

/// Shared memory per block: CUDA C++ Programming Guide, "Technical
/// Specifications per Compute Capability". PTX versions: PTX ISA, "PTX Module
/// Directives: .target", checked with llc 22 and ptxas 13.0 on a kernel with
/// cp.async, ldmatrix, prmt, shfl and the int8 and int4 MMAs; one version less
/// is refused by llc for each chip. Rates: measured on an H200.
///
/// Multiprocessors and boost clocks: the vendor's data sheets of the products
/// named.
const std::vector<GpuTarget> &mlir::magicube::gpuTargets() {
  constexpr int32_t kib = 1024;
  static const std::vector<GpuTarget> table = {
      // name, capability, shared memory, PTX, native int4, measured MMA rates,
      // clocks of an MMA, multiprocessors, GHz
      {"sm_80", 80, 163 * kib, "+ptx70", true, {}, 2, 108, 1.41}, // A100 SXM
      {"sm_86", 86, 99 * kib, "+ptx71", true, {}, 4, 84, 1.74},   // A40
      {"sm_89", 89, 99 * kib, "+ptx78", true, {}, 4, 142, 2.52},  // L40S
      {"sm_90",
       90,
       227 * kib,
       "+ptx78",
       false,
       {{"s8.m16n8k32", 1278},
        {"s8.m16n8k16", 940},
        {"s8.m8n8k16", 477},
        {"s4.m16n8k64", 44},
        {"s4.m8n8k32", 31}},
       2,
       132, // H200 SXM
       1.98},
      {"sm_100", 100, 227 * kib, "+ptx86", false, {}, 0, 148, 1.965}, // B200
      // GeForce RTX 5090
      {"sm_120", 120, 99 * kib, "+ptx87", false, {}, 4, 170, 2.407},
  };
  return table;
}

std::string mlir::magicube::gpuTargetNames() {
  std::string names;
  for (const GpuTarget &target : gpuTargets()) {
    if (!names.empty())
      names += ", ";
    names += target.name;
  }
  return names;
}

/// True for "sm_<digits>" with a number below the minimum: a real chip, but one
/// that we do not compile for.
static bool isBelowMinimum(std::string_view chip) {
  constexpr std::string_view prefix = "sm_";
  if (chip.substr(0, prefix.size()) != prefix)
    return false;
  std::string_view digits = chip.substr(prefix.size());
  if (digits.empty() || digits.size() > 2)
    return false;
  int32_t capability = 0;
  for (char c : digits) {
    if (c < '0' || c > '9')
      return false;
    capability = capability * 10 + (c - '0');
  }
  return capability < kMinComputeCapability;
}

Result<const GpuTarget *>
mlir::magicube::lookupGpuTarget(std::string_view chip) {
  for (const GpuTarget &target : gpuTargets())
    if (target.name == chip)
      return &target;
  std::string name(chip);
  if (isBelowMinimum(chip))
    return Error{"chip " + name + " is below the minimum sm_" +
                     std::to_string(kMinComputeCapability),
                 "use one of " + gpuTargetNames()};
  return Error{"unknown chip '" + name + "', expected one of " +
               gpuTargetNames()};
}
