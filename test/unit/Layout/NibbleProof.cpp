//===- NibbleProof.cpp - Simulates one step on tagged nibbles -------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The proof of StepProof for MMAs of 4 bits, with the planes of both operands.
//
//===----------------------------------------------------------------------===//

#include "StepProof.h"

#include "magicube/Layout/OperandPlanes.h"

#include <array>
#include <bitset>
#include <set>

using namespace mlir::magicube;

namespace {
/// Which value a nibble is: of the dense operand (row = position) or a digit of
/// the sparse one (row = vector). Row -1: zero.
struct Tag {
  int32_t row = -1, column = -1, digit = 0;
};
using Word = std::array<Tag, 8>; // from the lowest nibble on
using Warp = std::vector<std::vector<Word>>;

/// What an accumulator is the sum of.
struct Sum {
  int32_t vector = -1, column = -1, digit = -1;
  std::bitset<kStepPositions> positions;
};
using Accumulators = std::vector<std::vector<Sum>>;
} // namespace

/// prmt.b32 in its default mode.
static Word permute(const std::vector<Word> &words, BytePermute source) {
  Word result;
  for (int32_t i = 0; i < 4; ++i) {
    int32_t byte = source.selector >> (4 * i) & 7;
    const Word &from = words[byte < 4 ? source.sourceA : source.sourceB];
    for (int32_t half : {0, 1})
      result[2 * i + half] = from[2 * (byte & 3) + half];
  }
  return result;
}

/// ldmatrix.m8n8.x4.trans.b16, see StepProof; a byte has two columns.
static Warp loadTransposed(const StepLayout &step) {
  Warp raw(kWarpSize, std::vector<Word>(4));
  for (int32_t lane = 0; lane < kWarpSize; ++lane)
    for (int32_t matrix = 0; matrix < 4; ++matrix)
      for (int32_t nibble = 0; nibble < 8; ++nibble) {
        int32_t supplier = 8 * matrix + 2 * (lane % 4) + nibble / 4;
        raw[lane][matrix][nibble] = {
            step.gather.apply({{dim::lane, supplier}}, dim::position),
            4 * (lane / 4) + nibble % 4};
      }
  return raw;
}

/// The 8 consecutive positions that a lane loads, in containers of
/// `storageBits`.
static Warp loadValues(const StepLayout &step, int32_t fragment, int32_t bits) {
  int32_t digits = (bits == 12 ? 16 : bits) / 4;
  Warp words(kWarpSize, std::vector<Word>(digits));
  for (int32_t lane = 0; lane < kWarpSize; ++lane) {
    LayoutPoint first =
        step.lhs.apply({{dim::fragment, fragment}, {dim::lane, lane}});
    if (first[dim::vector] >= step.vectorLength)
      continue;
    for (int32_t i = 0; i < 8 * digits; ++i)
      words[lane][i / 8][i % 8] = {
          first[dim::vector], first[dim::position] + i / digits, i % digits};
  }
  return words;
}

/// A plane's registers of the source registers.
static Warp makePlane(const OperandPlane &plane, const Warp &sources) {
  Warp result(kWarpSize);
  for (int32_t lane = 0; lane < kWarpSize; ++lane)
    for (const OperandRegister &source : plane.registers) {
      if (source.nibbles.empty()) {
        result[lane].push_back(permute(sources[lane], source.permute));
        continue;
      }
      Word word;
      for (int32_t i = 0; i < 8; ++i)
        if (source.nibbles[i].nibble != kZeroNibble)
          word[i] = permute(sources[lane],
                            source.nibbles[i].bytes)[source.nibbles[i].nibble];
      result[lane].push_back(word);
    }
  return result;
}

/// Adds the MMA of two planes to what the accumulators are sums of.
static std::string multiply(const MmaInstruction &mma, const Warp &aWords,
                            const Warp &bWords, Accumulators &sums) {
  std::vector<std::vector<Tag>> a(mma.m, std::vector<Tag>(mma.k));
  std::vector<std::vector<Tag>> b(mma.k, std::vector<Tag>(mma.n));
  for (int32_t lane = 0; lane < kWarpSize; ++lane)
    for (int32_t i = 0; i < mma.elementsPerRegister(); ++i) {
      auto at = [&](int32_t reg) {
        return LayoutPoint{
            {dim::lane, lane}, {dim::reg, reg}, {dim::element, i}};
      };
      for (int32_t reg = 0; reg < mma.aRegisters(); ++reg)
        a[mma.a.apply(at(reg), dim::m)][mma.a.apply(at(reg), dim::k)] =
            aWords[lane][reg][i];
      for (int32_t reg = 0; reg < mma.bRegisters(); ++reg)
        b[mma.b.apply(at(reg), dim::k)][mma.b.apply(at(reg), dim::n)] =
            bWords[lane][reg][i];
    }
  for (int32_t lane = 0; lane < kWarpSize; ++lane)
    for (int32_t reg = 0; reg < mma.cRegisters(); ++reg) {
      LayoutPoint place = mma.c.apply({{dim::lane, lane}, {dim::reg, reg}});
      Sum &sum = sums[lane][reg];
      for (int32_t k = 0; k < mma.k; ++k) {
        const Tag &dense = a[place[dim::m]][k];
        const Tag &sparse = b[k][place[dim::n]];
        if (sparse.row < 0)
          continue;
        if (sum.vector < 0)
          sum = {sparse.row, dense.column, sparse.digit, {}};
        if (dense.column != sum.column)
          return "an accumulator mixes columns";
        if (sparse.row != sum.vector)
          return "an accumulator mixes vectors";
        if (sparse.digit != sum.digit)
          return "an accumulator mixes digits";
        if (dense.row != sparse.column)
          return "slot " + std::to_string(k) + " multiplies position " +
                 std::to_string(dense.row) + " with " +
                 std::to_string(sparse.column);
        if (sum.positions[dense.row])
          return "a position is counted twice";
        sum.positions.set(dense.row);
      }
    }
  return "";
}

/// Compares the accumulators of a column set with what `output` says.
static std::string checkOutput(const StepLayout &step,
                               const DenseOperand &dense, int32_t set,
                               int32_t fragment, int32_t digit,
                               const Accumulators &sums,
                               std::set<std::array<int32_t, 3>> &results) {
  for (int32_t lane = 0; lane < kWarpSize; ++lane)
    for (int32_t reg = 0; reg < step.mma->cRegisters(); ++reg) {
      int32_t fromLane = lane, fromReg = reg;
      if (dense.exchange) {
        int32_t laneMask = 1 << dense.exchange->laneBit;
        int32_t regMask = 1 << dense.exchange->registerBit;
        if (!(lane & laneMask) != !(reg & regMask)) {
          fromLane ^= laneMask;
          fromReg ^= regMask;
        }
      }
      const Sum &sum = sums[fromLane][fromReg];
      LayoutPoint owner = dense.output.apply({{dim::part, set},
                                              {dim::fragment, fragment},
                                              {dim::lane, lane},
                                              {dim::reg, reg}});
      bool isResult = owner[dim::vector] < step.vectorLength;
      if (isResult != (sum.vector >= 0) ||
          (isResult && owner[dim::vector] != sum.vector))
        return "an accumulator holds another vector than `output` says";
      if (!isResult)
        continue;
      if (owner[dim::column] != sum.column)
        return "an accumulator holds another column than `output` says";
      if (sum.digit != digit)
        return "a plane holds another digit than its shift says";
      if (!sum.positions.all())
        return "a position is left out";
      if (!results.insert({sum.vector, sum.column, sum.digit}).second)
        return "a result is computed twice";
    }
  return "";
}

std::string test::findNibbleFault(const StepLayout &step,
                                  const DenseOperand &dense,
                                  const SparseOperand &sparse) {
  Warp raw = loadTransposed(step);
  std::set<std::array<int32_t, 3>> results;
  for (int32_t fragment = 0; fragment < step.fragments(); ++fragment) {
    Warp words = loadValues(step, fragment, sparse.bits);
    for (const OperandPlane &lhs : sparse.planes) {
      Warp b = makePlane(lhs, words);
      for (int32_t lane = 0; sparse.raisesOddLanes && lane < kWarpSize; ++lane)
        if (lane >> step.parityLaneBit & 1)
          for (Word &word : b[lane]) { // shifts left by 4
            std::copy_backward(word.begin(), word.end() - 1, word.end());
            word[0] = Tag();
          }
      for (const OperandPlane &rhs : dense.planes) {
        if (rhs.columnSet != kBothColumnSets && rhs.columnSet != lhs.columnSet)
          continue;
        Accumulators sums(kWarpSize, std::vector<Sum>(step.mma->cRegisters()));
        std::string fault = multiply(*step.mma, makePlane(rhs, raw), b, sums);
        if (fault.empty())
          fault = checkOutput(step, dense, lhs.columnSet, fragment,
                              lhs.shift / 4, sums, results);
        if (!fault.empty())
          return fault;
      }
    }
  }
  if (int32_t(results.size()) !=
      step.vectorLength * step.columns() * (sparse.bits / 4))
    return "a result is missing";
  return "";
}
