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

#include "StepProof.h"
#include "gtest/gtest.h"

#include <array>
#include <map>
#include <optional>
#include <random>

using namespace mlir::magicube;
using namespace mlir::magicube::test;

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
  case ByteHalf::HighInPlace:
    return word & ~lowNibbles;
  case ByteHalf::Whole:
    break;
  }
  return word;
}

/// ldmatrix.x4.trans number `call` of the group of chunks from `chunk` on of
/// the 32 gathered rows (see StepProof).
Registers loadChunk(const StepLayout &step,
                    const std::vector<std::vector<uint8_t>> &rows, int32_t call,
                    int32_t chunk) {
  Registers raw(kWarpSize, std::vector<uint32_t>(4));
  for (int32_t lane = 0; lane < kWarpSize; ++lane)
    for (int32_t matrix = 0; matrix < 4; ++matrix)
      for (int32_t i = 0; i < 4; ++i) {
        int32_t supplier = 8 * matrix + 2 * (lane % 4) + i / 2;
        LayoutPoint from =
            step.gather.apply({{dim::call, call}, {dim::lane, supplier}});
        int32_t first = kLdmatrixRowBytes * (chunk + from[dim::chunk]);
        uint32_t byte =
            rows[from[dim::position]][first + 2 * (lane / 4) + i % 2];
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

/// Operand B of a call, of a sparse plane's registers.
Registers spread(const SparseOperand &operand, const OperandPlane &plane,
                 int32_t call, const Registers &sources) {
  Registers result(kWarpSize);
  for (int32_t lane = 0; lane < kWarpSize; ++lane) {
    size_t laneCase = 0;
    for (size_t i = 0; i < operand.caseLaneBits.size(); ++i)
      laneCase |= (lane >> operand.caseLaneBits[i] & 1) << i;
    auto read = [&](int32_t source) {
      return source == kZeroSource ? 0 : sources[lane][source];
    };
    for (const LanePermute &step : plane.lanePermutes[call])
      result[lane].push_back(permute(read(step.sourceA), read(step.sourceB),
                                     step.selectors[laneCase]));
  }
  return result;
}

/// Neighbouring registers as digits of one value.
void fold(int32_t shift, Registers &sums) {
  for (std::vector<uint32_t> &registers : sums) {
    std::vector<uint32_t> folded;
    for (size_t i = 0; i < registers.size(); i += 2)
      folded.push_back(registers[i] + (registers[i + 1] << shift));
    registers = folded;
  }
}

/// Swaps registers between lanes as LaneExchange says.
Registers exchangeLanes(const Registers &sums, LaneExchange bits) {
  Registers result = sums;
  for (size_t lane = 0; lane < sums.size(); ++lane)
    for (size_t reg = 0; reg < sums[lane].size(); ++reg)
      if ((lane >> bits.laneBit & 1) != (reg >> bits.registerBit & 1))
        result[lane][reg] = sums[lane ^ size_t(1) << bits.laneBit]
                                [reg ^ size_t(1) << bits.registerBit];
  return result;
}

/// Lanes of odd columns take their nibbles one place further up.
void raiseOddLanes(const StepLayout &step, Registers &registers) {
  for (int32_t lane = 0; lane < kWarpSize; ++lane)
    if (lane >> step.parityLaneBit & 1)
      for (uint32_t &word : registers[lane])
        word <<= 4;
}

/// The column set that two planes' product belongs to, if they have one.
std::optional<int32_t> getColumnSet(const StepLayout &step,
                                    const OperandPlane &dense,
                                    const OperandPlane &sparse) {
  if (!sparse.multiplies(dense))
    return std::nullopt;
  if (dense.columnSet == kBothColumnSets)
    return sparse.columnSet;
  if (step.mma->operandBits == 4 && dense.columnSet != sparse.columnSet)
    return std::nullopt;
  return dense.columnSet;
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
    if (place[dim::vector] >= step.vectorLength) {
      words[lane].assign(operand.words, 0x9A7B3C5D); // must not matter
      continue;
    }
    std::vector<uint8_t> bytes =
        lhs.bytes(place[dim::vector], place[dim::position], lanePositions);
    for (size_t i = 0; i < bytes.size(); ++i)
      words[lane][i / 4] |= uint32_t(bytes[i]) << (8 * (i % 4));
  }
  return words;
}

void subtract(Registers &sums, const Registers &others) {
  for (size_t lane = 0; lane < sums.size(); ++lane)
    for (size_t reg = 0; reg < sums[lane].size(); ++reg)
      sums[lane][reg] -= others[lane][reg];
}

/// Takes the factor 2^scale off.
void divide(Registers &sums, int32_t scale, bool isSigned) {
  for (std::vector<uint32_t> &registers : sums)
    for (uint32_t &sum : registers)
      sum = isSigned ? uint32_t(int32_t(sum) >> scale) : sum >> scale;
}

/// The accumulators of one fragment, by column set, with all weights.
std::vector<Registers> accumulate(const StepLayout &step,
                                  const DenseOperand &dense,
                                  const SparseOperand &sparse,
                                  const Values &lhs, const Values &rhs,
                                  int32_t fragment) {
  const MmaInstruction &mma = *step.mma;
  std::vector<std::vector<uint8_t>> memory;
  for (int32_t row = 0; row < kStepPositions; ++row)
    memory.push_back(rhs.bytes(row, 0, dense.columns()));
  bool isBiased = dense.bits < mma.operandBits && rhs.isSigned;
  Registers bias(kWarpSize,
                 std::vector<uint32_t>(mma.aRegisters(), kNibbleBias));
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
  for (int32_t call = 0; call < step.calls(); ++call) {
    std::vector<Registers> chunks;
    int32_t loads = step.calls() > 1 ? 1 : dense.chunks;
    for (int32_t chunk = 0; chunk < loads; ++chunk)
      chunks.push_back(loadChunk(step, memory, call, chunk));
    for (const OperandPlane &lhsPlane : sparse.planes) {
      bool lhsSigned = lhsPlane.isTop && lhs.isSigned;
      Registers b =
          spread(sparse, lhsPlane, call,
                 makePlane(lhsPlane, {words}, /*bias=*/0,
                           lhsSigned && sparse.bits < mma.operandBits));
      if (sparse.raisesOddLanes)
        raiseOddLanes(step, b);
      for (const OperandPlane &plane : dense.planes) {
        std::optional<int32_t> set = getColumnSet(step, plane, lhsPlane);
        if (!set)
          continue;
        bool hasBias = isBiased && plane.isHalf();
        Registers a =
            makePlane(plane, chunks, hasBias ? kNibbleBias : 0, false);
        Registers sums = zeros(mma);
        multiply(mma, a, plane.isTop && rhs.isSigned && !hasBias, b, lhsSigned,
                 sums);
        if (plane.includesLow) {
          Registers low = makePlane(dense.planes.front(), chunks, 0, false);
          Registers lowSums = zeros(mma);
          multiply(mma, low, false, b, lhsSigned, lowSums);
          subtract(sums, lowSums);
        }
        divide(sums, plane.scale, lhsSigned || rhs.isSigned);
        add(*set, sums, plane.shift + lhsPlane.shift, false);
      }
      if (!isBiased)
        continue;
      Registers sums = zeros(mma);
      multiply(mma, bias, /*aSigned=*/false, b, lhsSigned, sums);
      for (const OperandPlane &plane : dense.planes)
        if (plane.isHalf())
          add(plane.columnSet, sums, lhsPlane.shift, true);
    }
  }
  return totals;
}

/// The results of one step, by (vector, column); fails if one comes twice.
std::map<std::pair<int32_t, int32_t>, uint32_t>
runStep(const StepLayout &step, const DenseOperand &dense,
        const SparseOperand &sparse, const Values &lhs, const Values &rhs) {
  std::map<std::pair<int32_t, int32_t>, uint32_t> results;
  for (int32_t fragment = 0; fragment < step.fragments(); ++fragment) {
    std::vector<Registers> totals =
        accumulate(step, dense, sparse, lhs, rhs, fragment);
    for (int32_t set = 0; set < dense.columnSets(); ++set) {
      if (dense.foldShift)
        fold(dense.foldShift, totals[set]);
      if (dense.exchange)
        totals[set] = exchangeLanes(totals[set], *dense.exchange);
      for (int32_t lane = 0; lane < kWarpSize; ++lane)
        for (size_t reg = 0; reg < totals[set][lane].size(); ++reg) {
          LayoutPoint place = dense.output.apply({{dim::part, set},
                                                  {dim::fragment, fragment},
                                                  {dim::lane, lane},
                                                  {dim::reg, int32_t(reg)}});
          if (place[dim::vector] >= step.vectorLength)
            continue;
          bool isNew = results
                           .insert({{place[dim::vector], place[dim::column]},
                                    totals[set][lane][reg]})
                           .second;
          EXPECT_TRUE(isNew);
        }
    }
  }
  return results;
}

/// Every result of a step against plain arithmetic.
void checkPair(const StepLayout &step, Values lhs, Values rhs, bool isShort) {
  DenseOperand dense =
      *getDenseOperand(step, getNibbleForm(isShort, rhs.isSigned));
  SparseOperand sparse = *getSparseOperand(step);
  int32_t vectorLength = step.vectorLength;
  auto results = runStep(step, dense, sparse, lhs, rhs);
  for (int32_t vector = 0; vector < vectorLength; ++vector)
    for (int32_t column = 0; column < dense.columns(); ++column) {
      int64_t want = 0;
      for (int32_t p = 0; p < kStepPositions; ++p)
        want += lhs.rows[vector][p] * rhs.rows[p][column];
      auto found = results.find({vector, column});
      ASSERT_NE(found, results.end());
      ASSERT_EQ(found->second, static_cast<uint32_t>(want))
          << spelling(step.layout) << ", V = " << vectorLength << ", L"
          << lhs.bits << " x R" << rhs.bits << ", vector " << vector
          << ", column " << column;
    }
}

/// One step for all signs and fills that it takes; their number.
int32_t checkStep(const StepLayout &step, uint32_t &seed) {
  constexpr int32_t maxColumns = 64;
  auto [lhsBits, rhsBits] = step.widths;
  int32_t checked = 0;
  for (int32_t signs = 0; signs < 4; ++signs)
    for (Fill fill : {Fill::Random, Fill::Least, Fill::Greatest}) {
      if (!checkSigns(step.layout, !(signs & 1), !(signs >> 1)))
        continue;
      for (bool isShort : {false, true}) {
        if (isShort && rhsBits != 4)
          continue;
        checkPair(step,
                  Values(lhsBits, signs & 1, step.vectorLength, kStepPositions,
                         fill, seed),
                  Values(rhsBits, signs >> 1, kStepPositions, maxColumns, fill,
                         seed + 1),
                  isShort);
      }
      seed += 2;
      ++checked;
    }
  return checked;
}

TEST(OperandPlanes, EveryPairOfEveryLayoutComputesTheProduct) {
  uint32_t seed = 0;
  std::map<std::string, int32_t> checked;
  for (OperandLayout layout : operandLayouts())
    for (int32_t vectorLength : {1, 2, 4, 8, 16})
      for (OperandWidths widths : getAllWidths())
        if (Result<StepLayout> step =
                getStepLayout(layout, widths, vectorLength))
          checked[spelling(layout)] += checkStep(*step, seed);
  // Lengths x widths x widths x signs x fills.
  EXPECT_EQ(checked, (std::map<std::string, int32_t>{
                         {"transposed", 5 * 4 * 3 * 4 * 3},
                         {"transposed,digits", 3 * 2 * 3 * 2 * 3},
                         {"transposed,paired", 5 * 3 * 3 * 4 * 3},
                         {"transposed,stored", 5 * 1 * 3 * 4 * 3},
                         {"interleaved", 3 * 4 * 2 * 4 * 3},
                         {"interleaved,paired", 3 * 2 * 2 * 4 * 3},
                         {"interleaved,paired,digits", 2 * 2 * 2 * 2 * 3},
                         {"raw", 5 * 4 * 1 * 4 * 3},
                         {"raw,digits", 3 * 3 * 1 * 2 * 3},
                         {"spread", 5 * 4 * 1 * 4 * 3},
                         {"merged", 5 * 4 * 1 * 4 * 3},
                         {"merged,stored", 5 * 1 * 1 * 4 * 3}}));
}

/// Whether a step of random operands computes the product.
bool isExact(const StepLayout &step, const DenseOperand &dense,
             const SparseOperand &sparse) {
  Values lhs(sparse.bits, !step.needsUnsignedSparse(), step.vectorLength,
             kStepPositions, Fill::Random, 1);
  Values rhs(dense.bits, !step.needsUnsignedDense(), kStepPositions,
             dense.columns(), Fill::Random, 2);
  auto results = runStep(step, dense, sparse, lhs, rhs);
  for (int32_t vector = 0; vector < step.vectorLength; ++vector)
    for (int32_t column = 0; column < dense.columns(); ++column) {
      int64_t want = 0;
      for (int32_t p = 0; p < kStepPositions; ++p)
        want += lhs.rows[vector][p] * rhs.rows[p][column];
      auto found = results.find({vector, column});
      if (found == results.end() ||
          found->second != static_cast<uint32_t>(want))
        return false;
    }
  return true;
}

/// Every selector of operand B of a step must matter.
void damagePermutes(const StepLayout &step) {
  DenseOperand dense = *getDenseOperand(step);
  SparseOperand right = *getSparseOperand(step);
  ASSERT_TRUE(isExact(step, dense, right));
  for (size_t plane = 0; plane < right.planes.size(); ++plane)
    for (int32_t call = 0; call < step.calls(); ++call)
      for (int32_t reg = 0; reg < step.mma->bRegisters(); ++reg) {
        size_t cases =
            right.planes[plane].lanePermutes[call][reg].selectors.size();
        for (size_t laneCase = 0; laneCase < cases; ++laneCase) {
          SparseOperand wrong = right;
          LanePermute &permute = wrong.planes[plane].lanePermutes[call][reg];
          uint16_t &selector = permute.selectors[laneCase];
          bool isZero = permute.sourceB == kZeroSource && (selector & 0xF) >= 4;
          selector ^= isZero ? selector & 0xF : 2; // another byte
          EXPECT_FALSE(isExact(step, dense, wrong));
        }
      }
}

/// Mutation check.
TEST(OperandPlanes, ProofNoticesAWrongPermute) {
  for (OperandLayout layout : operandLayouts())
    for (OperandWidths widths :
         {OperandWidths{16, 16}, {16, 4}, {8, 16}, {4, 16}, {4, 4}})
      if (Result<StepLayout> step = getStepLayout(layout, widths, 2)) {
        SCOPED_TRACE(spelling(layout) + ", L" + std::to_string(widths.sparse) +
                     "-R" + std::to_string(widths.dense));
        damagePermutes(*step);
      }
}

/// Mutation check: so do the fold of stacked digits and the lane bits.
TEST(OperandPlanes, ProofNoticesWrongDigitColumns) {
  for (const char *words :
       {"transposed,digits", "interleaved,paired,digits", "raw,digits"}) {
    StepLayout step =
        getStep(words, 2, getSomeWidths(*parseOperandLayout(words)));
    DenseOperand dense = *getDenseOperand(step);
    SparseOperand sparse = *getSparseOperand(step);
    ASSERT_TRUE(isExact(step, dense, sparse)) << words;
    dense.foldShift = 4;
    EXPECT_FALSE(isExact(step, dense, sparse)) << words;
    dense.foldShift = step.foldShift;
    sparse.caseLaneBits.back() = 3;
    EXPECT_FALSE(isExact(step, dense, sparse)) << words;
  }
}

/// NibbleForm: the largest products, kMaxScaledVectors times, scaled by 16 and
/// summed modulo 2^32, still give the sum; the other operand's digit has 8
/// bits.
TEST(OperandPlanes, ScaledNibblesAreExactInShortRows) {
  for (bool lhsSigned : {false, true})
    for (bool rhsSigned : {false, true})
      for (int64_t lhs : {lhsSigned ? -128 : 0, lhsSigned ? 127 : 255})
        for (int64_t rhs : {rhsSigned ? -8 : 0, rhsSigned ? 7 : 15})
          for (int64_t low : {0, 15}) { // ScaledUnsigned adds and subtracts it
            auto sum = [&](int64_t factor) {
              return static_cast<uint32_t>(kMaxScaledVectors * lhs * factor);
            };
            Registers scaled = {{sum(16 * rhs + low)}}, lows = {{sum(low)}};
            subtract(scaled, lows);
            divide(scaled, 4, lhsSigned || rhsSigned);
            EXPECT_EQ(scaled[0][0], sum(rhs)) << lhs << " * " << rhs;
          }
  // The first length that is too long for one of the signs.
  constexpr int64_t tooMany = 65794;
  EXPECT_LE(kMaxScaledVectors, tooMany - 1);
  Registers scaled = {{static_cast<uint32_t>(tooMany * 255 * -128)}};
  divide(scaled, 4, true);
  EXPECT_NE(scaled[0][0], static_cast<uint32_t>(tooMany * 255 * -8));
}

/// Columns of a group, and MMA operands of it, by width.
TEST(OperandPlanes, ShapesByWidth) {
  struct Expected {
    int32_t bits, chunks, planes, columns, columnSets;
  };
  for (Expected row :
       {Expected{4, 1, 2, 32, 2}, {8, 1, 1, 16, 1}, {16, 2, 2, 16, 1}}) {
    DenseOperand dense =
        *getDenseOperand(getStep("transposed", 8, {8, row.bits}));
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
    DenseOperand dense =
        *getDenseOperand(getStep("spread", vectorLength, {8, 4}));
    EXPECT_EQ(dense.planes.size(), 1u);
    EXPECT_EQ(dense.columnSets(), isShared ? 1 : 2);
    EXPECT_EQ(dense.columns(), 32);
    EXPECT_EQ(dense.exchange.has_value(), isShared);
    DenseOperand merged =
        *getDenseOperand(getStep("merged", vectorLength, {8, 4}));
    EXPECT_EQ(merged.planes.size(), 2u);
    EXPECT_EQ(merged.columnSets(), 2);
    for (int32_t bits : {8, 12, 16}) {
      SparseOperand sparse =
          *getSparseOperand(getStep("spread", vectorLength, {bits, 4}));
      EXPECT_EQ(sparse.words, bits == 8 ? 2 : 4);
      EXPECT_EQ(int32_t(sparse.planes.size()), bits / 4 * (isShared ? 1 : 2));
      EXPECT_EQ(sparse.raisesOddLanes, isShared);
      sparse = *getSparseOperand(getStep("merged", vectorLength, {bits, 4}));
      EXPECT_EQ(int32_t(sparse.planes.size()), bits / 4 * 2);
    }
  }
  // A loaded word of 4-bit values is a merged operand as it is.
  std::vector<NibbleSource> nibbles =
      getSparseOperand(getStep("merged", 8, {4, 4}))
          ->planes[0]
          .registers[0]
          .nibbles;
  for (int32_t i = 0; i < kRegisterNibbles; ++i)
    EXPECT_EQ(nibbles[i].nibble, i);
}

/// MMAs of a group of chunks and byte permutes of operand B, both for one step.
TEST(OperandPlanes, CostsByLayout) {
  struct Expected {
    const char *layout;
    int32_t vectorLength, lhsBits, rhsBits, mmas, permutes;
  };
  for (Expected row : {Expected{"transposed", 8, 8, 8, 1, 0},
                       {"transposed", 8, 16, 8, 2, 4},
                       {"transposed", 8, 16, 16, 4, 4},
                       {"transposed,digits", 4, 16, 8, 1, 2},
                       {"transposed,digits", 4, 16, 16, 2, 2},
                       {"interleaved", 4, 8, 8, 2, 4},
                       {"interleaved", 4, 16, 8, 4, 12},
                       {"interleaved,paired", 4, 16, 8, 4, 8},
                       {"interleaved,paired,digits", 2, 16, 8, 2, 4},
                       {"interleaved", 4, 4, 4, 4, 4},
                       {"raw", 8, 8, 16, 4, 8},
                       {"raw", 8, 16, 16, 8, 24},
                       {"raw", 8, 4, 16, 4, 8},
                       {"raw,digits", 4, 8, 16, 2, 4}}) {
    StepLayout step =
        getStep(row.layout, row.vectorLength, {row.lhsBits, row.rhsBits});
    DenseOperand dense = *getDenseOperand(step);
    SparseOperand sparse = *getSparseOperand(step);
    int32_t mmas = 0, permutes = 0;
    for (const OperandPlane &plane : sparse.planes) {
      for (const OperandPlane &other : dense.planes)
        mmas += step.calls() * plane.multiplies(other);
      for (const OperandRegister &source : plane.registers)
        permutes += source.permute.selector != kIdentitySelector;
      for (const std::vector<LanePermute> &registers : plane.lanePermutes)
        for (const LanePermute &permute : registers)
          permutes += permute.selectors.front() != kIdentitySelector;
    }
    EXPECT_EQ(mmas, row.mmas) << row.layout << " L" << row.lhsBits;
    EXPECT_EQ(permutes, row.permutes) << row.layout << " L" << row.lhsBits;
  }
}

} // namespace
