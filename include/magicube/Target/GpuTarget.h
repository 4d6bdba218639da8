//===- GpuTarget.h - The chips we compile for, as data --------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one home of hardware facts that are not fragment layouts (those are in
// Layout/MmaTable.h). A new chip is a new row of the table in GpuTarget.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_TARGET_GPUTARGET_H
#define MAGICUBE_TARGET_GPUTARGET_H

#include "magicube/Support/Result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mlir::magicube {

/// Threads of a warp; the same on every chip (PTX ISA, "WARP_SZ").
inline constexpr int32_t kWarpSize = 32;

/// Shared memory has 32 banks; successive 4-byte words lie in successive banks
/// (CUDA C++ Programming Guide, "Shared Memory", compute capability 5.x on).
inline constexpr int32_t kSharedMemoryBanks = 32;
inline constexpr int32_t kSharedMemoryBankBytes = 4;

/// One `ldmatrix` row: 8 elements of 16 bits (PTX ISA, "ldmatrix").
inline constexpr int32_t kLdmatrixRowBytes = 16;
/// Rows of one 8x8 matrix. The hardware reads shared memory one matrix, that is
/// 8 rows of 16 bytes = all 32 banks once, at a time: a *phase*.
inline constexpr int32_t kLdmatrixPhaseRows = 8;
/// Clocks of ldmatrix.x4 without bank conflicts: 512 bytes, 128 a clock.
inline constexpr int32_t kLdmatrixClocks = 4;

/// Shared memory that a kernel may use without raising its limit at launch
/// (CUDA C++ Programming Guide, "Technical Specifications per Compute
/// Capability"). More needs cuFuncSetAttribute, up to maxSharedMemoryPerBlock.
inline constexpr int32_t kDefaultSharedMemoryPerBlock = 48 * 1024;

/// Measured throughput of one warp-level MMA, counting a multiply and an add as
/// two operations.
struct MmaRate {
  /// As in PTX: element type and shape, e.g. "s8.m16n8k32".
  std::string_view instruction;
  /// 10^12 operations a second of the whole chip.
  double teraOpsPerSecond;
};

/// What the compiler has to know about one chip.
struct GpuTarget {
  /// As LLVM and ptxas spell it: "sm_80".
  std::string_view name;
  /// 10 * major + minor: 80, 86, 120.
  int32_t computeCapability;
  /// Opt-in limit of shared memory of one block, in bytes.
  int32_t maxSharedMemoryPerBlock;
  /// LLVM subtarget feature with the lowest PTX ISA version that knows both the
  /// chip and every instruction we emit: "+ptx70". A lower one aborts LLVM's
  /// NVPTX backend, a higher one needs a newer driver for no gain.
  std::string_view ptxFeature;
  /// True if int4 `mma.sync` is one Tensor Core instruction. From sm_90 on
  /// ptxas expands it to 48-216 instructions, so int4 is a storage type there.
  bool nativeInt4Mma;
  /// Multiprocessors, and their boost clock in GHz, of the product that the
  /// table names: chips of one compute capability differ.
  int32_t multiprocessors;
  double clockGigahertz;
  /// Clocks of a multiprocessor from one int8 m16n8k32 MMA to the next: by the
  /// vendor's peak, on sm_90 by measuredMmaRates. The ldmatrix.x4 that reads
  /// its operand A takes kLdmatrixClocks.
  double int8MmaClocks;
  /// Empty where nobody has measured.
  std::vector<MmaRate> measuredMmaRates = {};
};

/// The lowest compute capability we compile for.
inline constexpr int32_t kMinComputeCapability = 80;

/// All supported chips by ascending compute capability.
const std::vector<GpuTarget> &gpuTargets();

/// Names of the supported chips, "sm_80, sm_86, ...", for messages and help.
std::string gpuTargetNames();

/// Finds a chip by name. Errors: an "sm_<number>" below the minimum ("chip
/// sm_75 is below the minimum sm_80"), and any other unknown name (lists the
/// known ones). The pointer is never null and lives as long as the program.
Result<const GpuTarget *> lookupGpuTarget(std::string_view chip);

} // namespace mlir::magicube

#endif // MAGICUBE_TARGET_GPUTARGET_H
