//===- ResultPackingTest.cpp - Words of narrow results --------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names instead of numbers go through the trades of a warp: every word must be
// neighbouring columns of one component, and every result in one word.
//
//===----------------------------------------------------------------------===//

#include "magicube/Layout/ResultPacking.h"
#include "gtest/gtest.h"

#include <map>

using namespace mlir::magicube;

namespace {

constexpr int32_t lanes = 32;

/// A result by what it is.
struct Place {
  int32_t vector, column;
};

Place placeOf(const LayoutPoint &point) {
  return {point.at(dim::vector), point.at(dim::column)};
}

/// Values of a warp: [lane][position].
using Warp = std::vector<std::vector<Place>>;

Warp trade(const Warp &before, LaneExchange exchange) {
  Warp after = before;
  auto bit = [](size_t value, int32_t index) { return value >> index & 1; };
  for (size_t lane = 0; lane < before.size(); ++lane)
    for (size_t position = 0; position < before[lane].size(); ++position)
      if (bit(lane, exchange.laneBit) != bit(position, exchange.registerBit))
        after[lane][position] =
            before[lane ^ size_t(1) << exchange.laneBit]
                  [position ^ size_t(1) << exchange.registerBit];
  return after;
}

/// The words of a warp, values of the low bits first.
std::vector<std::vector<Place>>
makeWords(const Warp &warp, const ResultPacking &packing, int32_t perWord) {
  std::vector<std::vector<Place>> words;
  for (size_t lane = 0; lane < warp.size(); ++lane) {
    if (packing.halfLaneBit) {
      if (lane >> *packing.halfLaneBit & 1)
        continue;
      std::vector<Place> word = warp[lane];
      const std::vector<Place> &other =
          warp[lane ^ size_t(1) << *packing.halfLaneBit];
      word.insert(word.end(), other.begin(), other.end());
      words.push_back(word);
      continue;
    }
    for (size_t i = 0; i < warp[lane].size(); i += perWord)
      words.emplace_back(warp[lane].begin() + i,
                         warp[lane].begin() + i + perWord);
  }
  return words;
}

void check(const DenseOperand &operand, int32_t bits) {
  Result<ResultPacking> packing = getResultPacking(operand, bits);
  ASSERT_TRUE(packing) << packing.error().message;
  int32_t registers = operand.output.inputSize(dim::reg);
  Warp warp(lanes);
  for (int32_t lane = 0; lane < lanes; ++lane)
    for (int32_t slot : packing->slots)
      warp[lane].push_back(
          placeOf(operand.output.apply({{dim::lane, lane},
                                        {dim::part, slot / registers},
                                        {dim::reg, slot % registers}})));
  for (LaneExchange exchange : packing->exchanges)
    warp = trade(warp, exchange);
  for (int32_t lane = 0; lane < lanes; ++lane)
    for (int32_t i = 0; i < int32_t(warp[lane].size()); ++i) {
      Place named = placeOf(
          packing->output.apply({{dim::lane, lane}, {dim::position, i}}));
      EXPECT_EQ(warp[lane][i].vector, named.vector);
      EXPECT_EQ(warp[lane][i].column, named.column);
    }

  int32_t perWord = 32 / bits;
  std::map<std::pair<int32_t, int32_t>, int> seen;
  auto words = makeWords(warp, *packing, perWord);
  for (const std::vector<Place> &word : words) {
    ASSERT_EQ(word.size(), size_t(perWord));
    EXPECT_EQ(word[0].column % perWord, 0);
    for (int32_t i = 0; i < perWord; ++i) {
      EXPECT_EQ(word[i].vector, word[0].vector);
      EXPECT_EQ(word[i].column, word[0].column + i);
      ++seen[{word[i].vector, word[i].column}];
    }
  }
  int32_t components = operand.output.outputSize(dim::vector) /
                       operand.output.inputSize(dim::fragment);
  EXPECT_EQ(seen.size(), size_t(components) * operand.columns());
  for (auto [place, count] : seen)
    EXPECT_EQ(count, 1) << place.first << ", " << place.second;
}

TEST(ResultPacking, EveryOperand) {
  int32_t checked = 0;
  for (OperandLayout layout : operandLayouts())
    for (int32_t vector : {1, 2, 4, 8, 16})
      for (int32_t sparseBits : {8, 16, 4})
        for (int32_t rhsBits : {4, 8, 16}) {
          Result<StepLayout> step =
              getStepLayout(layout, {sparseBits, rhsBits}, vector);
          if (!step)
            continue;
          DenseOperand operand = *getDenseOperand(*step);
          for (int32_t bits : {4, 8}) {
            SCOPED_TRACE(spelling(layout) + ", " + std::to_string(vector) +
                         ", " + std::to_string(rhsBits) + " to " +
                         std::to_string(bits));
            // Digits in idle columns leave half as many values as registers.
            if (!getResultPacking(operand, bits)) {
              EXPECT_NE(operand.foldShift, 0);
              continue;
            }
            check(operand, bits);
            ++checked;
          }
        }
  EXPECT_GE(checked, 3 * 5 * 3 * 2);
}

/// One shuffle for bytes of 8-bit operands, none for those of 4-bit ones.
TEST(ResultPacking, Trades) {
  auto trades = [&](int32_t rhsBits, int32_t bits) {
    ResultPacking packing = *getResultPacking(
        *getDenseOperand(*getStepLayout({}, {8, rhsBits}, 8)), bits);
    return packing.exchanges.size() + packing.halfLaneBit.has_value();
  };
  EXPECT_EQ(trades(8, 8), 1u);
  EXPECT_EQ(trades(8, 4), 2u);
  EXPECT_EQ(trades(4, 8), 0u);
  EXPECT_EQ(trades(4, 4), 1u);
  EXPECT_EQ(trades(16, 8), 2u);
  EXPECT_EQ(trades(16, 4), 3u);
}

TEST(ResultPacking, OtherWidths) {
  DenseOperand operand = *getDenseOperand(*getStepLayout({}, {8, 8}, 8));
  Result<ResultPacking> packing = getResultPacking(operand, 16);
  ASSERT_FALSE(packing);
  EXPECT_EQ(packing.error().message,
            "packed results have 8 or 4 bits, but got 16");
}

} // namespace
