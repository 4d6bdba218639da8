//===- StepLayoutTest.cpp - Proofs of steps
//---------------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each layout is proved twice: by moving tagged bytes (StepProof) and by layout
// algebra; and a damaged MMA table or permute must fail the proof.
//
//===----------------------------------------------------------------------===//

#include "StepProof.h"
#include "gtest/gtest.h"

#include <map>
#include <set>

using namespace mlir::magicube;
using namespace mlir::magicube::test;

namespace {

const int32_t kLengths[] = {1, 2, 4, 8, 16};

/// A step for bytes, or for what its layout takes instead.
StepLayout get(std::string_view words, int32_t vectorLength) {
  return getStep(words, vectorLength,
                 getSomeWidths(*parseOperandLayout(words)));
}

TEST(StepLayout, EveryLayoutComputesTheProduct) {
  const std::map<std::string, int32_t> maxLengths = {
      {"transposed", 16},
      {"transposed,digits", 4},
      {"transposed,paired", 16},
      {"transposed,stored", 16},
      {"interleaved", 4},
      {"interleaved,paired", 4},
      {"raw", 16},
      {"interleaved,paired,digits", 2},
      {"raw,digits", 4},
      {"spread", 16},
      {"merged", 16},
      {"merged,stored", 16}};
  EXPECT_EQ(operandLayouts().size(), maxLengths.size());
  for (OperandLayout layout : operandLayouts())
    for (int32_t length : kLengths)
      for (OperandWidths widths : getAllWidths()) {
        Result<StepLayout> step = getStepLayout(layout, widths, length);
        EXPECT_FALSE(step && length > maxLengths.at(spelling(layout)));
        if (!step)
          continue;
        SCOPED_TRACE(spelling(layout) + ", V = " + std::to_string(length) +
                     ", L" + std::to_string(widths.sparse) + "-R" +
                     std::to_string(widths.dense));
        if (layout.isInt4())
          EXPECT_EQ(findNibbleFault(*step, *getDenseOperand(*step),
                                    *getSparseOperand(*step)),
                    "");
        // Digits are not bytes of their own: OperandPlanesTest.
        else if (step->slots != SlotKind::Digits && step->foldShift == 0)
          EXPECT_EQ(findFault(*step), "");
      }
}

/// kernel-forms: p(l), s(p) and the phases, as listed there.
TEST(StepLayout, GoldenMaps) {
  StepLayout step = get("transposed", 8);
  const int32_t position[] = {0,  2,  8,  10, 16, 18, 24, 26, 1,  3,  9,
                              11, 17, 19, 25, 27, 4,  6,  12, 14, 20, 22,
                              28, 30, 5,  7,  13, 15, 21, 23, 29, 31};
  for (int32_t i = 0; i < 32; ++i) {
    EXPECT_EQ(step.gather.apply({{dim::lane, i}}, dim::position), position[i]);
    // Lane i reads row i of the tile.
    EXPECT_EQ(step.tileRow.apply({{dim::position, position[i]}}, dim::row), i);
    EXPECT_EQ(step.reader.apply({{dim::lane, i}}, dim::row), i);
    EXPECT_EQ(step.phase.apply({{dim::position, i}}, dim::phase),
              (i >> 2 & 1) * 2 + (i & 1));
  }
  const int32_t paired[] = {0,  1,  8,  9,  16, 17, 24, 25, 2,  3,  10,
                            11, 18, 19, 26, 27, 4,  5,  12, 13, 20, 21,
                            28, 29, 6,  7,  14, 15, 22, 23, 30, 31};
  StepLayout other = get("transposed,paired", 8);
  for (int32_t i = 0; i < 32; ++i)
    EXPECT_EQ(other.gather.apply({{dim::lane, i}}, dim::position), paired[i]);
  // That map is an involution.
  LinearLayout once = other.gather.sublayout({dim::lane}, {dim::position});
  EXPECT_EQ(*once.compose(once.renameInput(dim::lane, dim::position)),
            LinearLayout::identity1D(32, dim::lane, dim::position));
}

/// kernel-forms: lane l = (p2 c p4 p3 p1) of call p0; the tile's rows are in
/// the order of the transposed form, so one copy serves both.
TEST(StepLayout, InterleavedGather) {
  StepLayout step = get("interleaved", 4), transpose = get("transposed", 4);
  EXPECT_EQ(step.calls(), 2);
  EXPECT_EQ(step.chunks(), 2);
  EXPECT_EQ(step.columns(), 32);
  EXPECT_EQ(step.tileRow, transpose.tileRow);
  EXPECT_EQ(step.phase, transpose.phase);
  for (int32_t call = 0; call < 2; ++call)
    for (int32_t l = 0; l < 32; ++l)
      EXPECT_EQ(
          step.gather.apply({{dim::call, call}, {dim::lane, l}}),
          (LayoutPoint{{dim::position, (l >> 4 & 1) * 4 + (l >> 1 & 3) * 8 +
                                           (l & 1) * 2 + call},
                       {dim::chunk, l >> 3 & 1}}));
}

/// kernel-forms: v = (2t + j) & 3, n = 16 half + 2g + (t >> 1), before lanes
/// that differ in bit 1 trade: after it a lane has two neighbouring columns.
TEST(StepLayout, InterleavedOutput) {
  StepLayout step = get("interleaved", 4);
  EXPECT_TRUE(step.output.isBijective());
  for (int32_t lane = 0; lane < 32; ++lane) {
    int32_t g = lane / 4, t = lane % 4;
    for (int32_t reg = 0; reg < 4; ++reg)
      EXPECT_EQ(
          step.output.apply({{dim::lane, lane}, {dim::reg, reg}}),
          (LayoutPoint{{dim::vector, 2 * (t & 1) + (reg & 1)},
                       {dim::column, 16 * (t >> 1) + 2 * g + (reg >> 1)}}));
  }
}

TEST(StepLayout, LhsIsTheStorageOrder) {
  for (int32_t length : kLengths) {
    StepLayout step = get("transposed", length);
    EXPECT_EQ(step.fragments(), length == 16 ? 2 : 1);
    EXPECT_EQ(step.calls(), 1);
    EXPECT_EQ(step.columns(), 16);
    EXPECT_TRUE(step.lhs.isBijective());
    for (int32_t fragment = 0; fragment < step.fragments(); ++fragment)
      for (int32_t lane = 0; lane < 32; ++lane)
        for (int32_t byte = 0; byte < 8; ++byte)
          EXPECT_EQ(step.lhs.apply({{dim::fragment, fragment},
                                    {dim::lane, lane},
                                    {dim::reg, byte / 4},
                                    {dim::element, byte % 4}}),
                    (LayoutPoint{{dim::vector, 8 * fragment + lane / 4},
                                 {dim::position, 8 * (lane % 4) + byte}}));
  }
}

TEST(StepLayout, OutputOwnership) {
  for (int32_t length : kLengths) {
    StepLayout step = get("transposed", length);
    EXPECT_TRUE(step.output.isBijective());
    for (int32_t fragment = 0; fragment < step.fragments(); ++fragment)
      for (int32_t lane = 0; lane < 32; ++lane)
        for (int32_t reg = 0; reg < 4; ++reg)
          EXPECT_EQ(step.output.apply({{dim::fragment, fragment},
                                       {dim::lane, lane},
                                       {dim::reg, reg}}),
                    (LayoutPoint{{dim::vector,
                                  8 * fragment + 2 * (lane % 4) + (reg & 1)},
                                 {dim::column, 2 * (lane / 4) + (reg >> 1)}}));
  }
}

/// A phase is what one matrix of ldmatrix reads: lanes 8i..8i+7 of a call, from
/// rows of the tile whose low bits all differ.
TEST(StepLayout, PhasesAreTheMatricesOfLdmatrix) {
  for (OperandLayout layout : operandLayouts()) {
    StepLayout step = get(spelling(layout), 2);
    EXPECT_EQ(step.phase.outputSize(dim::phase), 4);
    EXPECT_TRUE(step.tileRow.isBijective());
    for (int32_t call = 0; call < step.calls(); ++call) {
      for (int32_t matrix = 0; matrix < 4; ++matrix) {
        std::set<int32_t> phases, rows;
        for (int32_t i = 0; i < kLdmatrixPhaseRows; ++i) {
          LayoutPoint lane = {{dim::call, call},
                              {dim::lane, kLdmatrixPhaseRows * matrix + i}};
          phases.insert(step.phase.apply(
              {{dim::position, step.gather.apply(lane, dim::position)}},
              dim::phase));
          rows.insert(step.reader.apply(lane, dim::row) % kLdmatrixPhaseRows);
        }
        EXPECT_EQ(phases.size(), 1u);
        EXPECT_EQ(rows.size(), size_t(kLdmatrixPhaseRows));
      }
    }
  }
}

/// The permutes by algebra alone. What the MMA wants, (lane, register, element)
/// -> (column, position), and what ldmatrix delivers are both bijections onto
/// the same values; the second's inverse after the first says from where each
/// byte has to come. It must come from the same lane, and the bytes of a
/// register from two raw registers: that is the permute.
TEST(StepLayout, PermutesFollowFromTheLayouts) {
  for (const char *words : {"transposed", "transposed,paired"}) {
    StepLayout step = get(words, 8);
    // Which position the MMA multiplies in slot k, from B's side.
    LinearLayout positionOfSlot =
        *step.mma->b.invert()->compose(step.lhs.sublayout(
            {dim::lane, dim::reg, dim::element}, {dim::vector, dim::position}));
    positionOfSlot = positionOfSlot.sublayout({dim::k}, {dim::position});
    LinearLayout wanted = *step.mma->a.compose(step.rowColumn * positionOfSlot);
    LinearLayout rowPosition =
        step.gather.sublayout({dim::lane}, {dim::position})
            .renameInput(dim::lane, dim::row);
    LinearLayout delivered = *ldmatrixTransLayout().compose(
        rowPosition * LinearLayout::identity1D(16, dim::column, dim::column));
    LinearLayout source = *wanted.compose(*delivered.invert());
    for (int32_t lane = 0; lane < 32; ++lane) {
      for (int32_t reg = 0; reg < 4; ++reg) {
        BytePermute permute = step.permutes[reg];
        for (int32_t i = 0; i < 4; ++i) {
          int32_t byte = permute.selector >> (4 * i) & 7;
          EXPECT_EQ(
              source.apply(
                  {{dim::lane, lane}, {dim::reg, reg}, {dim::element, i}}),
              (LayoutPoint{
                  {dim::lane, lane},
                  {dim::reg, byte < 4 ? permute.sourceA : permute.sourceB},
                  {dim::element, byte & 3}}));
        }
      }
    }
  }
}

/// The gather as it is emitted: l = (p2 p0 p4 p3 p1) takes four masks.
TEST(StepLayout, GatherTakesFewInstructions) {
  StepLayout step = get("transposed", 8);
  EXPECT_EQ(
      step.gather.fields(dim::lane, dim::position),
      (std::vector<BitField>{{0x01, 1}, {0x06, 2}, {0x08, -3}, {0x10, -2}}));
  EXPECT_TRUE(step.gather.isDisjoint(dim::position));
}

/// A copy of an MMA with two lane strides of one operand exchanged.
MmaInstruction swapLaneBits(const MmaInstruction &mma,
                            LinearLayout MmaInstruction::*operand, int32_t bitA,
                            int32_t bitB) {
  LinearLayout permutation;
  LayoutBasis basis{dim::lane, {}};
  for (int32_t bit = 0; bit < 5; ++bit)
    basis.images.push_back({1 << (bit == bitA   ? bitB
                                  : bit == bitB ? bitA
                                                : bit)});
  permutation = *LinearLayout::create({basis}, {{dim::lane, 32}});
  for (const LayoutDim &in : mma.a.inputs())
    if (in.name != dim::lane && (mma.*operand).inputSize(in.name) > 1)
      permutation = permutation *
                    LinearLayout::identity1D((mma.*operand).inputSize(in.name),
                                             in.name, in.name);
  MmaInstruction wrong = mma;
  wrong.*operand = *permutation.compose(mma.*operand);
  return wrong;
}

/// Mutation check: a wrong entry of the MMA table must break the proof.
TEST(StepLayout, ProofNoticesAWrongMmaTable) {
  StepLayout step = get("transposed", 8);
  const MmaInstruction &right = *step.mma;
  for (LinearLayout MmaInstruction::*operand :
       {&MmaInstruction::a, &MmaInstruction::b, &MmaInstruction::c}) {
    for (int32_t bitA = 0; bitA < 5; ++bitA) {
      for (int32_t bitB = bitA + 1; bitB < 5; ++bitB) {
        MmaInstruction wrong = swapLaneBits(right, operand, bitA, bitB);
        step.mma = &wrong;
        EXPECT_NE(findFault(step), "") << bitA << " " << bitB;
      }
    }
  }
}

/// Mutation check: so must a wrong selector, source or gather.
TEST(StepLayout, ProofNoticesAWrongPermute) {
  for (size_t reg = 0; reg < 4; ++reg) {
    StepLayout step = get("transposed", 8);
    step.permutes[reg].selector = reg % 2 ? 0x7531 : 0x6420;
    EXPECT_NE(findFault(step), "");
    step = get("transposed", 8);
    std::swap(step.permutes[reg].sourceA, step.permutes[reg].sourceB);
    EXPECT_NE(findFault(step), "");
  }
  StepLayout step = get("transposed", 8);
  step.gather = get("transposed,paired", 8).gather;
  EXPECT_NE(findFault(step), "");
  step = get("transposed", 8);
  std::swap(step.permutes[1], step.permutes[2]);
  EXPECT_NE(findFault(step), "");
}

TEST(StepLayout, ProofNoticesAWrongInterleaving) {
  StepLayout step = get("interleaved", 4);
  std::swap(step.lhsPermutes[0], step.lhsPermutes[1]);
  EXPECT_NE(findFault(step), "");
  step = get("interleaved", 4);
  std::swap(step.lhsPermutes[0].evenSelector, step.lhsPermutes[0].oddSelector);
  EXPECT_NE(findFault(step), "");
  step = get("interleaved", 4);
  step.exchange = std::nullopt;
  EXPECT_NE(findFault(step), "");
  step = get("interleaved", 4);
  step.exchange->laneBit = 0;
  EXPECT_NE(findFault(step), "");
}

/// Mutation check of the layouts for 4-bit MMAs.
TEST(StepLayout, ProofNoticesAWrongNibble) {
  for (const char *words : {"merged", "spread"})
    for (int32_t length : {4, 8}) {
      StepLayout step = get(words, length);
      DenseOperand dense = *getDenseOperand(step);
      SparseOperand sparse = *getSparseOperand(step);
      EXPECT_EQ(findNibbleFault(step, dense, sparse), "");
      SparseOperand wrong = sparse;
      std::vector<NibbleSource> &nibbles = wrong.planes[0].registers[0].nibbles;
      std::swap(nibbles[0], nibbles[2]);
      EXPECT_NE(findNibbleFault(step, dense, wrong), "");
      wrong = sparse;
      std::swap(wrong.planes.front().shift, wrong.planes.back().shift);
      EXPECT_NE(findNibbleFault(step, dense, wrong), "");
      // Lanes of a merged operand B that have no odd columns.
      wrong = sparse;
      wrong.raisesOddLanes = !wrong.raisesOddLanes;
      if (length == 8 || step.layout.form == OperandForm::Spread)
        EXPECT_NE(findNibbleFault(step, dense, wrong), "") << length << words;
      DenseOperand other = dense;
      std::swap(other.planes[0].registers[0], other.planes[0].registers[1]);
      EXPECT_NE(findNibbleFault(step, other, sparse), "");
      StepLayout moved = step;
      moved.gather = get("transposed,paired", length).gather;
      EXPECT_NE(findNibbleFault(moved, dense, sparse), "");
    }
  StepLayout step = get("spread", 4);
  DenseOperand dense = *getDenseOperand(step);
  dense.exchange = std::nullopt;
  EXPECT_NE(findNibbleFault(step, dense, *getSparseOperand(step)), "");
  // The table of MMAs.
  for (int32_t bits : {8, 4}) {
    StepLayout damaged = getStep("spread", 8, {bits, 4});
    const MmaInstruction &right = *damaged.mma;
    for (LinearLayout MmaInstruction::*operand :
         {&MmaInstruction::a, &MmaInstruction::b, &MmaInstruction::c})
      for (int32_t bitA = 0; bitA < 5; ++bitA)
        for (int32_t bitB = bitA + 1; bitB < 5; ++bitB) {
          MmaInstruction wrong = swapLaneBits(right, operand, bitA, bitB);
          damaged.mma = &wrong;
          EXPECT_NE(findNibbleFault(damaged, *getDenseOperand(damaged),
                                    *getSparseOperand(damaged)),
                    "")
              << bits << " " << bitA << " " << bitB;
          damaged.mma = &right;
        }
  }
}

} // namespace
