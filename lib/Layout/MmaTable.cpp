//===- MmaTable.cpp - Warp-level MMA instructions as data -----------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rows, and the one rule that yields all their fragments.
//
//===----------------------------------------------------------------------===//

#include "magicube/Layout/MmaTable.h"

using namespace mlir::magicube;

namespace {
struct MmaRow {
  int32_t m, n, k;
  int32_t operandBits;
  int32_t minComputeCapability;
  const char *reference;
};
} // namespace

/// Shapes and lowest chips: PTX ISA, "mma" ("Target ISA Notes"). Figures are
/// numbered as in PTX ISA 9.2; the section titles have been stable.
static constexpr MmaRow kRows[] = {
    // m,  n,  k, bits, chip, fragments of A; B; C
    {16, 8, 32, 8, 80,
     "Matrix Fragments for mma.m16n8k32, figures 88; 90, 91; 92"},
    {16, 8, 16, 8, 80,
     "Matrix Fragments for mma.m16n8k16 with integer type, figures 84; 85; 86"},
    {8, 8, 16, 8, 75, "Matrix Fragments for mma.m8n8k16, figures 56; 57; 58"},
    {16, 8, 64, 4, 80,
     "Matrix Fragments for mma.m16n8k64, figures 93; 94, 95; 96"},
    {16, 8, 32, 4, 80, "Matrix Fragments for mma.m16n8k32, figures 87; 89; 92"},
    {8, 8, 32, 4, 75, "Matrix Fragments for mma.m8n8k32, figures 59; 60; 61"},
};

/// All integer fragments follow one rule. A register holds consecutive k of one
/// row (column) of A (B), the four lanes of a group continue along k, the
/// groups are the rows (columns); further registers are, in A, first 8 rows on
/// and then the next stretch of k, in B only the latter. In C a register is one
/// element: two consecutive n per lane, four lanes along n, groups along m,
/// then 8 rows on.
static MmaInstruction buildMma(const MmaRow &row) {
  using L = LinearLayout;
  int32_t elements = 32 / row.operandBits;
  int32_t kRegisters = row.k / (kMmaGroupLanes * elements);
  int32_t mRegisters = row.m / kMmaGroups;
  int32_t nPerLane = row.n / kMmaGroupLanes;

  L alongK = L::identity1D(elements, dim::element, dim::k) *
             L::identity1D(kMmaGroupLanes, dim::lane, dim::k);
  L a = alongK * L::identity1D(kMmaGroups, dim::lane, dim::m) *
        L::identity1D(mRegisters, dim::reg, dim::m) *
        L::identity1D(kRegisters, dim::reg, dim::k);
  L b = alongK * L::identity1D(kMmaGroups, dim::lane, dim::n) *
        L::identity1D(kRegisters, dim::reg, dim::k);
  L c = L::identity1D(nPerLane, dim::reg, dim::n) *
        L::identity1D(kMmaGroupLanes, dim::lane, dim::n) *
        L::identity1D(kMmaGroups, dim::lane, dim::m) *
        L::identity1D(mRegisters, dim::reg, dim::m);

  MmaInstruction mma;
  mma.name = "m" + std::to_string(row.m) + "n" + std::to_string(row.n) + "k" +
             std::to_string(row.k);
  mma.m = row.m;
  mma.n = row.n;
  mma.k = row.k;
  mma.operandBits = row.operandBits;
  mma.minComputeCapability = row.minComputeCapability;
  mma.reference = row.reference;
  mma.a = a.sublayout({dim::lane, dim::reg, dim::element}, {dim::m, dim::k});
  mma.b = b.sublayout({dim::lane, dim::reg, dim::element}, {dim::k, dim::n});
  mma.c = c.sublayout({dim::lane, dim::reg}, {dim::m, dim::n});
  return mma;
}

const std::vector<MmaInstruction> &mlir::magicube::mmaTable() {
  static const std::vector<MmaInstruction> table = [] {
    std::vector<MmaInstruction> rows;
    for (const MmaRow &row : kRows)
      rows.push_back(buildMma(row));
    return rows;
  }();
  return table;
}

bool MmaInstruction::isNativeOn(const GpuTarget &target) const {
  return target.computeCapability >= minComputeCapability &&
         (operandBits == 8 || target.nativeInt4Mma);
}

const MmaInstruction *mlir::magicube::lookupMma(std::string_view name,
                                                int32_t operandBits) {
  for (const MmaInstruction &mma : mmaTable())
    if (mma.name == name && mma.operandBits == operandBits)
      return &mma;
  return nullptr;
}

const MmaInstruction *mlir::magicube::largestNativeMma(const GpuTarget &target,
                                                       int32_t operandBits) {
  // The table lists larger shapes first.
  for (const MmaInstruction &mma : mmaTable())
    if (mma.operandBits == operandBits && mma.isNativeOn(target))
      return &mma;
  return nullptr;
}

LinearLayout mlir::magicube::ldmatrixTransLayout() {
  using L = LinearLayout;
  constexpr int32_t bytesPerUnit = 2;     // .b16
  constexpr int32_t unitsPerRegister = 2; // of two adjacent rows
  constexpr int32_t matrices = 4;         // .x4
  L layout = L::identity1D(bytesPerUnit, dim::element, dim::column) *
             L::identity1D(unitsPerRegister, dim::element, dim::row) *
             L::identity1D(kMmaGroupLanes, dim::lane, dim::row) *
             L::identity1D(kMmaGroups, dim::lane, dim::column) *
             L::identity1D(matrices, dim::reg, dim::row);
  return layout.sublayout({dim::lane, dim::reg, dim::element},
                          {dim::row, dim::column});
}
