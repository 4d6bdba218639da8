//===- MmaTable.h - Warp-level MMA instructions as data -------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The only MMA facts of the compiler: shape, element width, which lane and
// register holds which element. The simulator must not include this file: it is
// written from the PTX ISA on its own, so that a wrong row here shows.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LAYOUT_MMATABLE_H
#define MAGICUBE_LAYOUT_MMATABLE_H

#include "magicube/Layout/LinearLayout.h"
#include "magicube/Target/GpuTarget.h"

namespace mlir::magicube {

/// The PTX figures split a warp into 8 groups of 4 lanes: lane = 4 groupID +
/// threadID_in_group, written 4g + t here.
inline constexpr int32_t kMmaGroups = 8;
inline constexpr int32_t kMmaGroupLanes = 4;

/// One integer `mma.sync.aligned.<shape>.row.col.s32.<a>.<b>.s32`: D = A B + C
/// with A m x k, B k x n, C and D m x n in 32-bit integers. Signs are free per
/// operand and change no layout.
struct MmaInstruction {
  /// "m16n8k32"; not unique, see operandBits.
  std::string name;
  int32_t m, n, k;
  /// Width of an element of A and B: 8 or 4.
  int32_t operandBits;
  /// 75 or 80.
  int32_t minComputeCapability;
  /// PTX ISA section and figures of the fragments.
  std::string reference;

  /// (lane, register, element) -> (m, k)
  LinearLayout a;
  /// (lane, register, element) -> (k, n)
  LinearLayout b;
  /// (lane, register) -> (m, n), for C and D.
  LinearLayout c;

  /// Elements of A or B in a 32-bit register.
  int32_t elementsPerRegister() const { return 32 / operandBits; }
  int32_t aRegisters() const { return a.inputSize(dim::reg); }
  int32_t bRegisters() const { return b.inputSize(dim::reg); }
  int32_t cRegisters() const { return c.inputSize(dim::reg); }

  /// True if the chip executes it on Tensor Cores as one instruction (ptxas
  /// accepts int4 on every chip, but expands it from sm_90 on).
  bool isNativeOn(const GpuTarget &target) const;
};

/// All rows: int8, then int4, each from the largest shape to the smallest.
const std::vector<MmaInstruction> &mmaTable();

/// The row of that shape name and operand width, or null.
const MmaInstruction *lookupMma(std::string_view name, int32_t operandBits);

/// The largest shape of that operand width that is native on the chip, or null
/// if there is none (int4 from sm_90 on).
const MmaInstruction *largestNativeMma(const GpuTarget &target,
                                       int32_t operandBits);

/// What `ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16` delivers, in bytes:
/// (lane, register, element) -> (row, column). `row` is the lane that supplied
/// the address of a 16-byte row (register r gets the rows of lanes 8r..8r+7),
/// `column` the byte in that row. PTX ISA, "ldmatrix": lane 4g + t holds, of
/// the transposed matrix, row g, elements 2t and 2t+1.
LinearLayout ldmatrixTransLayout();

} // namespace mlir::magicube

#endif // MAGICUBE_LAYOUT_MMATABLE_H
