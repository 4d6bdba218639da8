//===- StepProof.cpp - Simulates one step on tagged bytes -----------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Written from the PTX ISA; of the layouts only those under test are used.
//
//===----------------------------------------------------------------------===//

#include "StepProof.h"

#include <array>
#include <bitset>
#include <set>

using namespace mlir::magicube;

namespace {
/// A dense byte: of which position (selected row) and column it is.
struct DenseTag {
  int32_t position = -1, column = -1;
};
/// A byte of the sparse operand; vector -1 is a zero.
struct SparseTag {
  int32_t vector = -1, position = -1;
};

using DenseRegister = std::array<DenseTag, 4>;
using RawRegisters = std::array<DenseRegister, 4>;

using MatrixA = std::vector<std::vector<DenseTag>>;  // m x k
using MatrixB = std::vector<std::vector<SparseTag>>; // k x n
} // namespace

/// ldmatrix.m8n8.x4.trans.b16 of the 16-byte rows that the lanes supply. Matrix
/// i has the rows of lanes 8i..8i+7; lane l receives row l / 4 of the
/// transposed matrix, elements 2 (l % 4) and 2 (l % 4) + 1, low half first.
static std::vector<RawRegisters> loadTransposed(const StepLayout &step) {
  std::vector<RawRegisters> raw(kWarpSize);
  for (int32_t lane = 0; lane < kWarpSize; ++lane) {
    for (int32_t matrix = 0; matrix < 4; ++matrix) {
      for (int32_t half = 0; half < 2; ++half) {
        int32_t matrixRow = 2 * (lane % 4) + half;
        int32_t unit = lane / 4;
        int32_t position = step.gather.apply(
            {{dim::lane, 8 * matrix + matrixRow}}, dim::position);
        for (int32_t byte = 0; byte < 2; ++byte)
          raw[lane][matrix][2 * half + byte] = {position, 2 * unit + byte};
      }
    }
  }
  return raw;
}

/// prmt.b32 in its default mode: selector nibble i picks the source of byte i.
static DenseRegister permute(const DenseRegister &a, const DenseRegister &b,
                             uint16_t selector) {
  DenseRegister result;
  for (int32_t i = 0; i < 4; ++i) {
    int32_t source = (selector >> (4 * i)) & 7;
    result[i] = source < 4 ? a[source] : b[source - 4];
  }
  return result;
}

/// Operand A as the MMA sees it.
static MatrixA assembleA(const StepLayout &step) {
  const MmaInstruction &mma = *step.mma;
  MatrixA matrix(mma.m, std::vector<DenseTag>(mma.k));
  std::vector<RawRegisters> raw = loadTransposed(step);
  for (int32_t lane = 0; lane < kWarpSize; ++lane) {
    for (size_t reg = 0; reg < step.permutes.size(); ++reg) {
      BytePermute recipe = step.permutes[reg];
      DenseRegister bytes = permute(raw[lane][recipe.sourceA],
                                    raw[lane][recipe.sourceB], recipe.selector);
      for (int32_t i = 0; i < 4; ++i) {
        LayoutPoint place = mma.a.apply(
            {{dim::lane, lane}, {dim::reg, int32_t(reg)}, {dim::element, i}});
        matrix[place[dim::m]][place[dim::k]] = bytes[i];
      }
    }
  }
  return matrix;
}

/// Operand B of one fragment. A lane reads 4 bytes per register; registers are
/// consecutive in memory, which is checked through `lhs` covering everything.
static MatrixB assembleB(const StepLayout &step, int32_t fragment) {
  const MmaInstruction &mma = *step.mma;
  MatrixB matrix(mma.k, std::vector<SparseTag>(mma.n));
  for (int32_t lane = 0; lane < kWarpSize; ++lane) {
    for (int32_t reg = 0; reg < mma.bRegisters(); ++reg) {
      for (int32_t i = 0; i < mma.elementsPerRegister(); ++i) {
        LayoutPoint point{{dim::fragment, fragment},
                          {dim::lane, lane},
                          {dim::reg, reg},
                          {dim::element, i}};
        LayoutPoint value = step.lhs.apply(point);
        LayoutPoint place = mma.b.apply(
            {{dim::lane, lane}, {dim::reg, reg}, {dim::element, i}});
        if (value[dim::vector] < step.vectorLength)
          matrix[place[dim::k]][place[dim::n]] = {value[dim::vector],
                                                  value[dim::position]};
      }
    }
  }
  return matrix;
}

/// What one accumulator is the sum of: (vector, column), vector -1 where B is
/// zero. Anything but a full sum over matching positions is a fault.
static std::string checkDotProduct(const std::vector<DenseTag> &a,
                                   const MatrixB &b, int32_t n,
                                   SparseTag &vector, int32_t &column) {
  std::bitset<kStepPositions> seen;
  column = a[0].column;
  vector = b[0][n];
  for (size_t k = 0; k < a.size(); ++k) {
    if (a[k].column != column)
      return "an MMA row mixes columns";
    if (b[k][n].vector != vector.vector)
      return "an MMA column mixes vectors";
    if (vector.vector >= 0 && a[k].position != b[k][n].position)
      return "slot " + std::to_string(k) + " multiplies position " +
             std::to_string(a[k].position) + " with " +
             std::to_string(b[k][n].position);
    seen.set(a[k].position);
  }
  if (!seen.all())
    return "a position is left out";
  return "";
}

std::string test::findFault(const StepLayout &step) {
  const MmaInstruction &mma = *step.mma;
  if (int32_t(step.permutes.size()) != mma.aRegisters())
    return "wrong number of A registers";
  MatrixA a = assembleA(step);
  std::set<std::pair<int32_t, int32_t>> results;
  for (int32_t fragment = 0; fragment < step.fragments(); ++fragment) {
    MatrixB b = assembleB(step, fragment);
    for (int32_t lane = 0; lane < kWarpSize; ++lane) {
      for (int32_t reg = 0; reg < mma.cRegisters(); ++reg) {
        LayoutPoint where{{dim::lane, lane}, {dim::reg, reg}};
        LayoutPoint place = mma.c.apply(where);
        SparseTag vector;
        int32_t column;
        std::string fault =
            checkDotProduct(a[place[dim::m]], b, place[dim::n], vector, column);
        if (!fault.empty())
          return fault;
        where[dim::fragment] = fragment;
        LayoutPoint owner = step.output.apply(where);
        if (owner[dim::column] != column)
          return "an accumulator holds another column than `output` says";
        bool isResult = owner[dim::vector] < step.vectorLength;
        if (isResult != (vector.vector >= 0) ||
            (isResult && owner[dim::vector] != vector.vector))
          return "an accumulator holds another vector than `output` says";
        if (isResult && !results.insert({vector.vector, column}).second)
          return "a result is computed twice";
      }
    }
  }
  if (int32_t(results.size()) != step.vectorLength * step.columns())
    return "a result is missing";
  return "";
}
