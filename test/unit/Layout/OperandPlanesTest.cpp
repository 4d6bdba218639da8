//===- OperandPlanesTest.cpp - Planes recombine to the product ------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A warp's step on numbers, for every pair of widths and signs: memory bytes
// through ldmatrix.trans, prmt, nibble halves and MMAs as the PTX ISA describes
// them; the result must be the product that plain 64-bit arithmetic gives.
//
//===----------------------------------------------------------------------===//

#include "magicube/Layout/OperandPlanes.h"
#include "gtest/gtest.h"

#include <array>
#include <map>
#include <optional>
#include <random>

using namespace mlir::magicube;

namespace {

/// Registers of a warp by lane.
using Registers = std::vector<std::vector<uint32_t>>;

/// Which values an operand is filled with.
enum class Fill { Random, Least, Greatest };

/// An integer operand.
struct Values {
  int32_t bits;
  bool isSigned;
  std::vector<std::vector<int64_t>> rows;

  Values(int32_t bits, bool isSigned, int32_t rowCount, int32_t columns,
         Fill fill, uint32_t seed)
      : bits(bits), isSigned(isSigned),
        rows(rowCount, std::vector<int64_t>(columns)) {
    std::mt19937 engine(seed);
    int64_t span = int64_t(1) << bits, least = isSigned ? -span / 2 : 0;
    for (auto &row : rows)
      for (int64_t &value : row)
        value = fill == Fill::Random  ? least + int64_t(engine() % span)
                : fill == Fill::Least ? least
                                      : least + span - 1;
  }

  /// 12 bits are stored in 16.
  int32_t storageBits() const { return bits == 12 ? 16 : bits; }

  /// Bytes of a row, little-endian, the first of two nibbles low.
  std::vector<uint8_t> bytes(int32_t row, int32_t first, int32_t count) const {
    std::vector<uint8_t> result(count * storageBits() / 8);
    for (int32_t i = 0; i < count; ++i) {
      auto value = static_cast<uint32_t>(rows[row][first + i]) &
                   ((1u << storageBits()) - 1);
      for (int32_t bit = 0; bit < storageBits(); ++bit)
        if (value >> bit & 1)
          result[(i * storageBits() + bit) / 8] |=
              1 << (i * storageBits() + bit) % 8;
    }
    return result;
  }
};

uint8_t byteOf(uint32_t word, int32_t i) { return word >> (8 * i) & 0xFF; }

/// prmt.b32, default mode.
uint32_t permute(uint32_t a, uint32_t b, uint16_t selector) {
  uint32_t result = 0;
  for (int32_t i = 0; i < 4; ++i) {
    int32_t source = selector >> (4 * i) & 7;
    uint32_t byte = source < 4 ? byteOf(a, source) : byteOf(b, source - 4);
    result |= byte << (8 * i);
  }
  return result;
}

uint32_t takeHalf(uint32_t word, ByteHalf half) {
  constexpr uint32_t lowNibbles = 0x0F0F0F0F;
  switch (half) {
  case ByteHalf::Low:
    return word & lowNibbles;
  case ByteHalf::High:
    return word >> 4 & lowNibbles;
  case ByteHalf::Whole:
    break;
  }
  return word;
}

/// ldmatrix.x4.trans of chunk `chunk` of the 32 gathered rows (see StepProof).
Registers loadChunk(const StepLayout &step,
                    const std::vector<std::vector<uint8_t>> &rows,
                    int32_t chunk) {
  Registers raw(kWarpSize, std::vector<uint32_t>(4));
  for (int32_t lane = 0; lane < kWarpSize; ++lane)
    for (int32_t matrix = 0; matrix < 4; ++matrix)
      for (int32_t i = 0; i < 4; ++i) {
        int32_t supplier = 8 * matrix + 2 * (lane % 4) + i / 2;
        int32_t position =
            step.gather.apply({{dim::lane, supplier}}, dim::position);
        uint32_t byte =
            rows[position][kLdmatrixRowBytes * chunk + 2 * (lane / 4) + i % 2];
        raw[lane][matrix] |= byte << (8 * i);
      }
  return raw;
}

/// The registers of a plane; `sources` by chunk.
Registers makePlane(const OperandPlane &plane,
                    const std::vector<Registers> &sources, uint32_t bias,
                    bool extendsNibbles) {
  Registers result(kWarpSize);
  for (int32_t lane = 0; lane < kWarpSize; ++lane)
    for (const OperandRegister &source : plane.registers) {
      const std::vector<uint32_t> &raw = sources[source.chunk][lane];
      auto permuted = [&](const BytePermute &bytes) {
        return permute(raw[bytes.sourceA], raw[bytes.sourceB], bytes.selector);
      };
      uint32_t word = takeHalf(permuted(source.permute), source.half) ^ bias;
      if (!source.nibbles.empty())
        word = 0;
      for (size_t i = 0; i < source.nibbles.size(); ++i)
        if (int32_t nibble = source.nibbles[i].nibble; nibble != kZeroNibble)
          word |= (permuted(source.nibbles[i].bytes) >> (4 * nibble) & 0xF)
                  << (4 * i);
      for (int32_t i = 0; extendsNibbles && i < 4; ++i)
        if (byteOf(word, i) & 0x8)
          word |= 0xF0u << (8 * i);
      result[lane].push_back(word);
    }
  return result;
}

/// mma.sync: adds to the accumulators.
void multiply(const MmaInstruction &mma, const Registers &a, bool aSigned,
              const Registers &b, bool bSigned, Registers &sums) {
  int32_t bits = mma.operandBits;
  auto number = [bits](uint32_t word, int32_t i, bool isSigned) -> int32_t {
    uint32_t high = word << (32 - bits * (i + 1));
    return isSigned ? int32_t(high) >> (32 - bits)
                    : int32_t(high >> (32 - bits));
  };
  std::vector<std::vector<int32_t>> left(mma.m, std::vector<int32_t>(mma.k));
  std::vector<std::vector<int32_t>> right(mma.k, std::vector<int32_t>(mma.n));
  for (int32_t lane = 0; lane < kWarpSize; ++lane)
    for (int32_t i = 0; i < mma.elementsPerRegister(); ++i) {
      for (int32_t reg = 0; reg < mma.aRegisters(); ++reg) {
        LayoutPoint place = mma.a.apply(
            {{dim::lane, lane}, {dim::reg, reg}, {dim::element, i}});
        left[place[dim::m]][place[dim::k]] = number(a[lane][reg], i, aSigned);
      }
      for (int32_t reg = 0; reg < mma.bRegisters(); ++reg) {
        LayoutPoint place = mma.b.apply(
            {{dim::lane, lane}, {dim::reg, reg}, {dim::element, i}});
        right[place[dim::k]][place[dim::n]] = number(b[lane][reg], i, bSigned);
      }
    }
  for (int32_t lane = 0; lane < kWarpSize; ++lane)
    for (int32_t reg = 0; reg < mma.cRegisters(); ++reg) {
      LayoutPoint place = mma.c.apply({{dim::lane, lane}, {dim::reg, reg}});
      for (int32_t k = 0; k < mma.k; ++k)
        sums[lane][reg] += static_cast<uint32_t>(left[place[dim::m]][k]) *
                           static_cast<uint32_t>(right[k][place[dim::n]]);
    }
}

Registers zeros(const MmaInstruction &mma) {
  return Registers(kWarpSize, std::vector<uint32_t>(mma.cRegisters()));
}

/// The words that lanes load of the sparse operand.
Registers loadSparse(const StepLayout &step, const SparseOperand &operand,
                     const Values &lhs, int32_t fragment) {
  constexpr int32_t lanePositions = 8;
  Registers words(kWarpSize, std::vector<uint32_t>(operand.words));
  for (int32_t lane = 0; lane < kWarpSize; ++lane) {
    LayoutPoint place =
        step.lhs.apply({{dim::fragment, fragment}, {dim::lane, lane}});
    if (place[dim::vector] >= step.vectorLength)
      continue;
    std::vector<uint8_t> bytes =
        lhs.bytes(place[dim::vector], place[dim::position], lanePositions);
    for (size_t i = 0; i < bytes.size(); ++i)
      words[lane][i / 4] |= uint32_t(bytes[i]) << (8 * (i % 4));
  }
  return words;
}

/// Lanes of odd columns take their nibbles one place further up.
void raiseOddLanes(const StepLayout &step, Registers &registers) {
  for (int32_t lane = 0; lane < kWarpSize; ++lane)
    if (lane >> step.parityLaneBit & 1)
      for (uint32_t &word : registers[lane])
        word <<= 4;
}

/// What lanes hold after they have traded registers.
Registers exchangeLanes(const Registers &sums, LaneExchange bits) {
  Registers result = sums;
  for (size_t lane = 0; lane < sums.size(); ++lane)
    for (size_t reg = 0; reg < sums[lane].size(); ++reg)
      if ((lane >> bits.laneBit & 1) != (reg >> bits.registerBit & 1))
        result[lane][reg] = sums[lane ^ size_t(1) << bits.laneBit]
                                [reg ^ size_t(1) << bits.registerBit];
  return result;
}

/// The column set that two planes' product belongs to, if they have one.
std::optional<int32_t> getColumnSet(const StepLayout &step,
                                    const OperandPlane &dense,
                                    const OperandPlane &sparse) {
  if (dense.columnSet == kBothColumnSets)
    return sparse.columnSet;
  if (step.mma->operandBits == 4 && dense.columnSet != sparse.columnSet)
    return std::nullopt;
  return dense.columnSet;
}

/// The results of one step, by (vector, column); fails if one comes twice.
std::map<std::pair<int32_t, int32_t>, uint32_t>
runStep(const StepLayout &step, const DenseOperand &dense,
        const SparseOperand &sparse, const Values &lhs, const Values &rhs) {
  const MmaInstruction &mma = *step.mma;
  std::vector<std::vector<uint8_t>> memory;
  for (int32_t row = 0; row < kStepPositions; ++row)
    memory.push_back(rhs.bytes(row, 0, dense.columns()));
  std::vector<Registers> chunks;
  for (int32_t chunk = 0; chunk < dense.chunks; ++chunk)
    chunks.push_back(loadChunk(step, memory, chunk));
  bool isBiased = dense.bits == 4 && rhs.isSigned && mma.operandBits == 8;
  Registers bias(kWarpSize,
                 std::vector<uint32_t>(mma.aRegisters(), kNibbleBias));

  std::map<std::pair<int32_t, int32_t>, uint32_t> results;
  for (int32_t fragment = 0; fragment < step.fragments(); ++fragment) {
    std::vector<Registers> totals(dense.columnSets(), zeros(mma));
    auto add = [&](int32_t set, const Registers &sums, int32_t shift,
                   bool negate) {
      for (int32_t lane = 0; lane < kWarpSize; ++lane)
        for (int32_t reg = 0; reg < mma.cRegisters(); ++reg) {
          uint32_t term = sums[lane][reg] << shift;
          totals[set][lane][reg] += negate ? 0 - term : term;
        }
    };
    Registers words = loadSparse(step, sparse, lhs, fragment);
    for (const OperandPlane &lhsPlane : sparse.planes) {
      bool lhsSigned = lhsPlane.isTop && lhs.isSigned;
      Registers b =
          makePlane(lhsPlane, {words}, /*bias=*/0,
                    lhsSigned && sparse.bits == 4 && mma.operandBits == 8);
      if (sparse.raisesOddLanes)
        raiseOddLanes(step, b);
      for (const OperandPlane &plane : dense.planes) {
        std::optional<int32_t> set = getColumnSet(step, plane, lhsPlane);
        if (!set)
          continue;
        Registers a =
            makePlane(plane, chunks, isBiased ? kNibbleBias : 0, false);
        Registers sums = zeros(mma);
        multiply(mma, a, plane.isTop && rhs.isSigned && !isBiased, b, lhsSigned,
                 sums);
        add(*set, sums, plane.shift + lhsPlane.shift, false);
      }
      if (!isBiased)
        continue;
      Registers sums = zeros(mma);
      multiply(mma, bias, /*aSigned=*/false, b, lhsSigned, sums);
      for (int32_t set = 0; set < dense.columnSets(); ++set)
        add(set, sums, lhsPlane.shift, true);
    }
    if (dense.exchange)
      for (Registers &total : totals)
        total = exchangeLanes(total, *dense.exchange);
    for (int32_t set = 0; set < dense.columnSets(); ++set)
      for (int32_t lane = 0; lane < kWarpSize; ++lane)
        for (int32_t reg = 0; reg < mma.cRegisters(); ++reg) {
          LayoutPoint place = dense.output.apply({{dim::part, set},
                                                  {dim::fragment, fragment},
                                                  {dim::lane, lane},
                                                  {dim::reg, reg}});
          if (place[dim::vector] >= step.vectorLength)
            continue;
          bool isNew = results
                           .insert({{place[dim::vector], place[dim::column]},
                                    totals[set][lane][reg]})
                           .second;
          EXPECT_TRUE(isNew);
        }
  }
  return results;
}

/// Every result of a step against plain arithmetic.
void checkPair(const std::string &recipe, int32_t vectorLength, Values lhs,
               Values rhs) {
  StepLayout step = *getStepLayout(recipe, vectorLength);
  DenseOperand dense = *getDenseOperand(step, rhs.bits);
  SparseOperand sparse = *getSparseOperand(step, lhs.bits);
  auto results = runStep(step, dense, sparse, lhs, rhs);
  for (int32_t vector = 0; vector < vectorLength; ++vector)
    for (int32_t column = 0; column < dense.columns(); ++column) {
      int64_t want = 0;
      for (int32_t p = 0; p < kStepPositions; ++p)
        want += lhs.rows[vector][p] * rhs.rows[p][column];
      auto found = results.find({vector, column});
      ASSERT_NE(found, results.end());
      ASSERT_EQ(found->second, static_cast<uint32_t>(want))
          << recipe << ", V = " << vectorLength << ", L" << lhs.bits << " x R"
          << rhs.bits << ", vector " << vector << ", column " << column;
    }
}

TEST(OperandPlanes, EveryPairComputesTheProduct) {
  constexpr int32_t maxColumns = 32;
  uint32_t seed = 0;
  for (const char *recipe :
       {"transpose", "transpose-paired", "transpose-nibble",
        "transpose-nibble-ordered", "int4-spread", "int4-spread-nibble",
        "int4-merge", "int4-merge-nibble", "int4-merge-ordered"})
    for (int32_t vectorLength : {1, 2, 4, 8, 16})
      for (int32_t lhsBits : {4, 8, 12, 16})
        for (int32_t rhsBits : {4, 8, 16})
          for (int32_t signs = 0; signs < 4; ++signs)
            for (Fill fill : {Fill::Random, Fill::Least, Fill::Greatest}) {
              StepLayout step = *getStepLayout(recipe, vectorLength);
              bool isInt4 = step.mma->operandBits == 4;
              if (step.isNibbleLhs != (lhsBits == 4) ||
                  (isInt4 && rhsBits != 4))
                continue;
              checkPair(recipe, vectorLength,
                        Values(lhsBits, signs & 1, vectorLength, kStepPositions,
                               fill, seed++),
                        Values(rhsBits, signs >> 1, kStepPositions, maxColumns,
                               fill, seed++));
            }
}

/// Columns of a group, and MMA operands of it, by width.
TEST(OperandPlanes, ShapesByWidth) {
  StepLayout step = *getStepLayout("transpose", 8);
  struct Expected {
    int32_t bits, chunks, planes, columns, columnSets;
  };
  for (Expected row :
       {Expected{4, 1, 2, 32, 2}, {8, 1, 1, 16, 1}, {16, 2, 2, 16, 1}}) {
    DenseOperand dense = *getDenseOperand(step, row.bits);
    EXPECT_EQ(dense.chunks, row.chunks);
    EXPECT_EQ(int32_t(dense.planes.size()), row.planes);
    EXPECT_EQ(dense.columns(), row.columns);
    EXPECT_EQ(dense.columnSets(), row.columnSets);
  }
}

/// The forms for MMAs of 4 bits: planes, column sets and the nibbles that move.
TEST(OperandPlanes, ShapesOnInt4) {
  for (int32_t vectorLength : {1, 2, 4, 8, 16}) {
    bool isShared = vectorLength <= 4;
    StepLayout spread = *getStepLayout("int4-spread", vectorLength);
    DenseOperand dense = *getDenseOperand(spread, 4);
    EXPECT_EQ(dense.planes.size(), 1u);
    EXPECT_EQ(dense.columnSets(), isShared ? 1 : 2);
    EXPECT_EQ(dense.columns(), 32);
    EXPECT_EQ(dense.exchange.has_value(), isShared);
    StepLayout merge = *getStepLayout("int4-merge", vectorLength);
    EXPECT_EQ(getDenseOperand(merge, 4)->planes.size(), 2u);
    EXPECT_EQ(getDenseOperand(merge, 4)->columnSets(), 2);
    for (int32_t bits : {8, 12, 16}) {
      SparseOperand sparse = *getSparseOperand(spread, bits);
      EXPECT_EQ(sparse.words, bits == 8 ? 2 : 4);
      EXPECT_EQ(int32_t(sparse.planes.size()), bits / 4 * (isShared ? 1 : 2));
      EXPECT_EQ(sparse.raisesOddLanes, isShared);
      EXPECT_EQ(int32_t(getSparseOperand(merge, bits)->planes.size()),
                bits / 4 * 2);
    }
  }
  // A loaded word of 4-bit values is a merged operand as it is.
  StepLayout merge = *getStepLayout("int4-merge-nibble", 8);
  std::vector<NibbleSource> nibbles =
      getSparseOperand(merge, 4)->planes[0].registers[0].nibbles;
  for (int32_t i = 0; i < kRegisterNibbles; ++i)
    EXPECT_EQ(nibbles[i].nibble, i);
}

TEST(OperandPlanes, RefusesWhatARecipeDoesNotTake) {
  StepLayout spread = *getStepLayout("int4-spread", 8);
  EXPECT_EQ(getDenseOperand(spread, 8).error().message,
            "recipe 'int4-spread' takes a dense operand of 4 bits, but got 8");
  EXPECT_EQ(getSparseOperand(spread, 4).error().message,
            "recipe 'int4-spread' takes a sparse operand of 8 bits or more, "
            "but got 4");

  StepLayout transpose = *getStepLayout("transpose", 8);
  StepLayout nibble = *getStepLayout("transpose-nibble", 8);
  StepLayout interleave = *getStepLayout("interleave", 4);
  EXPECT_EQ(getDenseOperand(transpose, 12).error().message,
            "a dense operand has 4, 8 or 16 bits, but got 12");
  EXPECT_EQ(getDenseOperand(interleave, 16).error().message,
            "recipe 'interleave' takes a dense operand of 8 bits, but got 16");
  EXPECT_EQ(getSparseOperand(interleave, 16).error().message,
            "recipe 'interleave' takes a sparse operand of 8 bits, but got 16");
  EXPECT_EQ(getSparseOperand(transpose, 4).error().message,
            "recipe 'transpose' takes a sparse operand of 8 bits or more, but "
            "got 4");
  EXPECT_EQ(getSparseOperand(nibble, 8).error().message,
            "recipe 'transpose-nibble' takes a sparse operand of 4 bits, but "
            "got 8");
  EXPECT_EQ(getSparseOperand(transpose, 7).error().message,
            "a sparse operand has 4, 8, 12 or 16 bits, but got 7");
}

} // namespace
