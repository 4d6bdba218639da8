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
#include "gtest/gtest.h"

#include <array>
#include <bitset>
#include <set>

using namespace mlir::magicube;

StepLayout test::getStep(std::string_view words, int32_t vectorLength,
                         OperandWidths widths) {
  Result<OperandLayout> layout = parseOperandLayout(words);
  EXPECT_TRUE(bool(layout)) << words;
  Result<StepLayout> step = getStepLayout(*layout, widths, vectorLength);
  EXPECT_TRUE(bool(step)) << step.error().message;
  return *step;
}

std::vector<OperandWidths> test::getAllWidths() {
  std::vector<OperandWidths> all;
  for (int32_t sparse : {8, 16, 12, 4})
    for (int32_t dense : {8, 16, 4})
      all.push_back({sparse, dense});
  return all;
}

OperandWidths test::getSomeWidths(OperandLayout layout) {
  for (OperandWidths widths : getAllWidths())
    if (verifyOperands(layout, widths, /*vectorLength=*/1))
      return widths;
  return {};
}

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
using SparseRegister = std::array<SparseTag, 4>;

using MatrixA = std::vector<std::vector<DenseTag>>;  // m x k
using MatrixB = std::vector<std::vector<SparseTag>>; // k x n

/// What an accumulator is the sum of; vector -1 if B was zero throughout.
struct Sum {
  int32_t vector = -1, column = -1;
  std::bitset<kStepPositions> positions;
};
/// By lane and register.
using Accumulators = std::vector<std::vector<Sum>>;
} // namespace

/// ldmatrix.m8n8.x4.trans.b16 of the 16-byte rows that the lanes supply. Matrix
/// i has the rows of lanes 8i..8i+7; lane l receives row l / 4 of the
/// transposed matrix, elements 2 (l % 4) and 2 (l % 4) + 1, low half first.
static std::vector<RawRegisters> loadTransposed(const StepLayout &step,
                                                int32_t call) {
  std::vector<RawRegisters> raw(kWarpSize);
  for (int32_t lane = 0; lane < kWarpSize; ++lane) {
    for (int32_t matrix = 0; matrix < 4; ++matrix) {
      for (int32_t half = 0; half < 2; ++half) {
        int32_t matrixRow = 2 * (lane % 4) + half;
        int32_t unit = lane / 4;
        LayoutPoint source = step.gather.apply(
            {{dim::call, call}, {dim::lane, 8 * matrix + matrixRow}});
        for (int32_t byte = 0; byte < 2; ++byte)
          raw[lane][matrix][2 * half + byte] = {
              source[dim::position],
              kLdmatrixRowBytes * source[dim::chunk] + 2 * unit + byte};
      }
    }
  }
  return raw;
}

/// prmt.b32 in its default mode: selector nibble i picks the source of byte i.
template <typename RegisterT>
static RegisterT permute(const RegisterT &a, const RegisterT &b,
                         uint16_t selector) {
  RegisterT result;
  for (int32_t i = 0; i < 4; ++i) {
    int32_t source = (selector >> (4 * i)) & 7;
    result[i] = source < 4 ? a[source] : b[source - 4];
  }
  return result;
}

/// Operand A of a call as the MMA sees it.
static MatrixA assembleA(const StepLayout &step, int32_t call) {
  const MmaInstruction &mma = *step.mma;
  MatrixA matrix(mma.m, std::vector<DenseTag>(mma.k));
  std::vector<RawRegisters> raw = loadTransposed(step, call);
  for (int32_t lane = 0; lane < kWarpSize; ++lane) {
    for (int32_t reg = 0; reg < mma.aRegisters(); ++reg) {
      DenseRegister bytes = raw[lane][reg];
      if (!step.permutes.empty()) {
        BytePermute source = step.permutes[reg];
        bytes = permute(raw[lane][source.sourceA], raw[lane][source.sourceB],
                        source.selector);
      }
      for (int32_t i = 0; i < 4; ++i) {
        LayoutPoint place = mma.a.apply(
            {{dim::lane, lane}, {dim::reg, reg}, {dim::element, i}});
        matrix[place[dim::m]][place[dim::k]] = bytes[i];
      }
    }
  }
  return matrix;
}

/// A loaded register of the sparse operand.
static SparseRegister loadValues(const StepLayout &step, int32_t fragment,
                                 int32_t lane, int32_t reg) {
  SparseRegister bytes;
  for (int32_t i = 0; i < 4; ++i) {
    LayoutPoint value = step.lhs.apply({{dim::fragment, fragment},
                                        {dim::lane, lane},
                                        {dim::reg, reg},
                                        {dim::element, i}});
    if (value[dim::vector] < step.vectorLength)
      bytes[i] = {value[dim::vector], value[dim::position]};
  }
  return bytes;
}

/// Operand B of a call and fragment.
static MatrixB assembleB(const StepLayout &step, int32_t call,
                         int32_t fragment) {
  const MmaInstruction &mma = *step.mma;
  MatrixB matrix(mma.k, std::vector<SparseTag>(mma.n));
  for (int32_t lane = 0; lane < kWarpSize; ++lane) {
    for (int32_t reg = 0; reg < mma.bRegisters(); ++reg) {
      SparseRegister bytes = loadValues(step, fragment, lane, reg);
      if (!step.lhsPermutes.empty()) {
        LhsPermute source = step.lhsPermutes[call];
        bool isOdd = lane >> step.parityLaneBit & 1;
        bytes = permute(bytes, SparseRegister(),
                        isOdd ? source.oddSelector : source.evenSelector);
      }
      for (int32_t i = 0; i < 4; ++i) {
        LayoutPoint place = mma.b.apply(
            {{dim::lane, lane}, {dim::reg, reg}, {dim::element, i}});
        matrix[place[dim::k]][place[dim::n]] = bytes[i];
      }
    }
  }
  return matrix;
}

/// Adds a dot product to what an accumulator is the sum of.
static std::string accumulate(const std::vector<DenseTag> &a, const MatrixB &b,
                              int32_t n, Sum &sum) {
  for (size_t k = 0; k < a.size(); ++k) {
    SparseTag factor = b[k][n];
    if (factor.vector < 0)
      continue;
    if (sum.vector < 0)
      sum = {factor.vector, a[k].column, {}};
    if (a[k].column != sum.column)
      return "an accumulator mixes columns";
    if (factor.vector != sum.vector)
      return "an accumulator mixes vectors";
    if (a[k].position != factor.position)
      return "slot " + std::to_string(k) + " multiplies position " +
             std::to_string(a[k].position) + " with " +
             std::to_string(factor.position);
    if (sum.positions[factor.position])
      return "a position is counted twice";
    sum.positions.set(factor.position);
  }
  return "";
}

/// Swaps registers between lanes as LaneExchange says.
static Accumulators exchangeLanes(const Accumulators &sums, LaneExchange bits) {
  Accumulators result = sums;
  for (size_t lane = 0; lane < sums.size(); ++lane) {
    for (size_t reg = 0; reg < sums[lane].size(); ++reg) {
      bool laneBit = lane >> bits.laneBit & 1;
      bool registerBit = reg >> bits.registerBit & 1;
      if (laneBit != registerBit)
        result[lane][reg] = sums[lane ^ size_t(1) << bits.laneBit]
                                [reg ^ size_t(1) << bits.registerBit];
    }
  }
  return result;
}

/// The accumulators of a fragment after all calls and the exchange.
static std::string multiply(const StepLayout &step, int32_t fragment,
                            Accumulators &sums) {
  const MmaInstruction &mma = *step.mma;
  sums.assign(kWarpSize, std::vector<Sum>(mma.cRegisters()));
  for (int32_t call = 0; call < step.calls(); ++call) {
    MatrixA a = assembleA(step, call);
    MatrixB b = assembleB(step, call, fragment);
    for (int32_t lane = 0; lane < kWarpSize; ++lane) {
      for (int32_t reg = 0; reg < mma.cRegisters(); ++reg) {
        LayoutPoint place = mma.c.apply({{dim::lane, lane}, {dim::reg, reg}});
        std::string fault =
            accumulate(a[place[dim::m]], b, place[dim::n], sums[lane][reg]);
        if (!fault.empty())
          return fault;
      }
    }
  }
  if (step.exchange)
    sums = exchangeLanes(sums, *step.exchange);
  return "";
}

std::string test::findFault(const StepLayout &step) {
  if (!step.permutes.empty() &&
      int32_t(step.permutes.size()) != step.mma->aRegisters())
    return "wrong number of A registers";
  std::set<std::pair<int32_t, int32_t>> results;
  for (int32_t fragment = 0; fragment < step.fragments(); ++fragment) {
    Accumulators sums;
    std::string fault = multiply(step, fragment, sums);
    if (!fault.empty())
      return fault;
    for (int32_t lane = 0; lane < kWarpSize; ++lane) {
      for (int32_t reg = 0; reg < step.mma->cRegisters(); ++reg) {
        const Sum &sum = sums[lane][reg];
        LayoutPoint owner = step.output.apply(
            {{dim::fragment, fragment}, {dim::lane, lane}, {dim::reg, reg}});
        bool isResult = owner[dim::vector] < step.vectorLength;
        if (isResult != (sum.vector >= 0) ||
            (isResult && owner[dim::vector] != sum.vector))
          return "an accumulator holds another vector than `output` says";
        if (!isResult)
          continue;
        if (owner[dim::column] != sum.column)
          return "an accumulator holds another column than `output` says";
        if (!sum.positions.all())
          return "a position is left out";
        if (!results.insert({sum.vector, sum.column}).second)
          return "a result is computed twice";
      }
    }
  }
  if (int32_t(results.size()) != step.vectorLength * step.columns())
    return "a result is missing";
  return "";
}
