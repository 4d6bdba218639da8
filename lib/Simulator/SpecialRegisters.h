//===- SpecialRegisters.h - Special registers of a thread -------*- C++ -*-===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_SIMULATOR_SPECIALREGISTERS_H
#define MAGICUBE_LIB_SIMULATOR_SPECIALREGISTERS_H

#include "magicube/Runtime/Device.h"

#include <array>
#include <optional>
#include <string_view>

namespace mlir::magicube::sim {

/// The special registers (PTX ISA "Special Registers") that a kernel reads as
/// plain loads from its thread's state.
enum SpecialRegister : unsigned {
  TidX,
  TidY,
  TidZ,
  NtidX,
  NtidY,
  NtidZ,
  CtaidX,
  CtaidY,
  CtaidZ,
  NctaidX,
  NctaidY,
  NctaidZ,
  LaneId,
  WarpId,
  NwarpId,
  WarpSize,
  LaneMaskEq,
  LaneMaskLe,
  LaneMaskLt,
  LaneMaskGe,
  LaneMaskGt,
  DynamicSmemSize,
  TotalSmemSize,
  /// Registers with one value here: a grid of one-block clusters on one SM.
  Zero,
  One,
  NumSpecialRegisters
};

using SpecialRegisters = std::array<uint32_t, NumSpecialRegisters>;

/// The register of an intrinsic's name without "llvm.nvvm.read.ptx.sreg.".
std::optional<SpecialRegister> findSpecialRegister(std::string_view name);

/// Sets what is fixed for thread `thread` (linear) of every block of a launch.
void setThreadRegisters(SpecialRegisters &registers, unsigned thread, Dim3 grid,
                        Dim3 block, uint32_t dynamicSharedBytes,
                        uint64_t sharedBytes);

} // namespace mlir::magicube::sim

#endif // MAGICUBE_LIB_SIMULATOR_SPECIALREGISTERS_H
