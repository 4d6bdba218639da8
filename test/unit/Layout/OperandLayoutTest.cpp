//===- OperandLayoutTest.cpp - What is computed from a layout -------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lane bits, selectors and MMAs as they were found by hand, form by form,
// before they were computed; words; and what is refused.
//
//===----------------------------------------------------------------------===//

#include "StepProof.h"
#include "gtest/gtest.h"

using namespace mlir::magicube;
using namespace mlir::magicube::test;

namespace {

/// A form by hand. Letters as in kernel-forms: bits of the supplying lane from
/// high to low, in the position p and the chunk c, such as "p2 c p4 p3 p1".
struct Row {
  const char *layout;
  OperandWidths widths;
  const char *laneBits;
  const char *callBits;
  const char *rowBits;
  /// Permutes of raw registers 0 and 1, and the same of 2 and 3.
  std::vector<uint16_t> permutes;
  /// By call, even and odd.
  std::vector<std::pair<uint16_t, uint16_t>> lhsPermutes;
  bool registersAlternate;
  const char *mma;
  int32_t operandBits;
};

const std::vector<uint16_t> kSelectors = {0x6240, 0x7351};
const std::vector<uint16_t> kInOrder = {0x6420, 0x7531};
const std::vector<std::pair<uint16_t, uint16_t>> kApart = {{0x4240, 0x2404},
                                                           {0x4341, 0x3414}};
const std::vector<std::pair<uint16_t, uint16_t>> kInPairs = {{0x4140, 0x1404},
                                                             {0x4342, 0x3424}};

const Row kRows[] = {{"transposed",
                      {8, 8},
                      "p2 p0 p4 p3 p1",
                      "",
                      "n0 n3 n2 n1",
                      kSelectors,
                      {},
                      false,
                      "m16n8k32",
                      8},
                     {"transposed",
                      {16, 16},
                      "p2 p0 p4 p3 p1",
                      "",
                      "n0 n3 n2 n1",
                      kSelectors,
                      {},
                      false,
                      "m16n8k32",
                      8},
                     {"transposed",
                      {4, 8},
                      "p0 p2 p4 p3 p1",
                      "",
                      "n0 n3 n2 n1",
                      kInOrder,
                      {},
                      true,
                      "m16n8k32",
                      8},
                     {"transposed,paired",
                      {8, 8},
                      "p2 p1 p4 p3 p0",
                      "",
                      "n0 n3 n2 n1",
                      kInOrder,
                      {},
                      false,
                      "m16n8k32",
                      8},
                     {"transposed,stored",
                      {4, 8},
                      "p2 p0 p4 p3 p1",
                      "",
                      "n0 n3 n2 n1",
                      kSelectors,
                      {},
                      false,
                      "m16n8k32",
                      8},
                     {"transposed,digits",
                      {16, 8},
                      "p2 p0 p4 p3 p1",
                      "",
                      "n0 n3 n2 n1",
                      kSelectors,
                      {},
                      false,
                      "m16n8k32",
                      8},
                     {"interleaved",
                      {8, 8},
                      "p2 c p4 p3 p1",
                      "p0",
                      "n4 n3 n2 n1",
                      {},
                      kApart,
                      false,
                      "m16n8k32",
                      8},
                     {"interleaved",
                      {4, 4},
                      "p0 c p4 p3 p1",
                      "p2",
                      "n4 n3 n2 n1",
                      {},
                      kInPairs,
                      true,
                      "m16n8k32",
                      8},
                     {"interleaved,paired",
                      {16, 8},
                      "p2 c p4 p3 p0",
                      "p1",
                      "n4 n3 n2 n1",
                      {},
                      kInPairs,
                      false,
                      "m16n8k32",
                      8},
                     {"interleaved,paired,digits",
                      {12, 8},
                      "p2 c p4 p3 p0",
                      "p1",
                      "n4 n3 n2 n1",
                      {},
                      kInPairs,
                      false,
                      "m16n8k32",
                      8},
                     {"raw",
                      {8, 16},
                      "p2 c p4 p3 p1",
                      "p0",
                      "n3 n2 n1 n0",
                      {},
                      kApart,
                      false,
                      "m16n8k32",
                      8},
                     {"raw",
                      {4, 16},
                      "p0 c p4 p3 p1",
                      "p2",
                      "n3 n2 n1 n0",
                      {},
                      kInPairs,
                      true,
                      "m16n8k32",
                      8},
                     {"raw,digits",
                      {8, 16},
                      "p2 c p4 p3 p1",
                      "p0",
                      "n3 n2 n1 n0",
                      {},
                      kApart,
                      false,
                      "m16n8k32",
                      8},
                     {"spread",
                      {8, 4},
                      "p2 p0 p4 p3 p1",
                      "",
                      "n1 n4 n3 n2",
                      kSelectors,
                      {},
                      false,
                      "m16n8k64",
                      4},
                     {"spread",
                      {4, 4},
                      "p0 p2 p4 p3 p1",
                      "",
                      "n1 n4 n3 n2",
                      kInOrder,
                      {},
                      true,
                      "m16n8k64",
                      4},
                     {"merged",
                      {8, 4},
                      "p2 p0 p4 p3 p1",
                      "",
                      "n1 n4 n3 n2",
                      kSelectors,
                      {},
                      false,
                      "m16n8k32",
                      4},
                     {"merged",
                      {4, 4},
                      "p0 p2 p4 p3 p1",
                      "",
                      "n1 n4 n3 n2",
                      kInOrder,
                      {},
                      false,
                      "m16n8k32",
                      4},
                     {"merged,stored",
                      {4, 4},
                      "p2 p1 p4 p3 p0",
                      "",
                      "n1 n4 n3 n2",
                      kInOrder,
                      {},
                      false,
                      "m16n8k32",
                      4}};

/// Bits of `layout`'s input `input` from high to low, as letters of `outputs`.
std::string
getBits(const LinearLayout &layout, const char *input,
        const std::vector<std::pair<const char *, const char *>> &outputs) {
  std::string text;
  for (int32_t bit = 0; 1 << bit < layout.inputSize(input); ++bit) {
    std::string word;
    for (auto [output, letter] : outputs)
      if (int32_t value = layout.basis(input, bit, output))
        word = letter + (*letter == 'c'
                             ? ""
                             : std::to_string(__builtin_ctz(unsigned(value))));
    text = word + (text.empty() ? "" : " ") + text;
  }
  return text;
}

TEST(OperandLayout, ComputesWhatWasFoundByHand) {
  for (const Row &row : kRows) {
    SCOPED_TRACE(std::string(row.layout) + ", L" +
                 std::to_string(row.widths.sparse));
    StepLayout step = getStep(row.layout, 2, row.widths);
    std::vector<std::pair<const char *, const char *>> outputs = {
        {dim::position, "p"}, {dim::chunk, "c"}};
    EXPECT_EQ(getBits(step.gather, dim::lane, outputs), row.laneBits);
    EXPECT_EQ(getBits(step.gather, dim::call, outputs), row.callBits);
    EXPECT_EQ(getBits(step.rowColumn, dim::m, {{dim::column, "n"}}),
              row.rowBits);
    std::vector<BytePermute> permutes;
    if (!row.permutes.empty())
      permutes = {{0, 1, row.permutes[0]},
                  {0, 1, row.permutes[1]},
                  {2, 3, row.permutes[0]},
                  {2, 3, row.permutes[1]}};
    EXPECT_EQ(step.permutes, permutes);
    ASSERT_EQ(step.lhsPermutes.size(), row.lhsPermutes.size());
    for (size_t call = 0; call < row.lhsPermutes.size(); ++call) {
      EXPECT_EQ(step.lhsPermutes[call].evenSelector,
                row.lhsPermutes[call].first);
      EXPECT_EQ(step.lhsPermutes[call].oddSelector,
                row.lhsPermutes[call].second);
    }
    EXPECT_EQ(step.registersAlternate, row.registersAlternate);
    EXPECT_EQ(step.mma->name, row.mma);
    EXPECT_EQ(step.mma->operandBits, row.operandBits);
  }
}

TEST(OperandLayout, Words) {
  for (OperandLayout layout : operandLayouts())
    EXPECT_EQ(*parseOperandLayout(spelling(layout)), layout);
  EXPECT_EQ(parseOperandLayout("shuffled").error().message,
            "unknown operand layout 'shuffled', expected one of transposed; "
            "transposed,digits; transposed,paired; transposed,stored; "
            "interleaved; interleaved,paired; interleaved,paired,digits; raw; "
            "raw,digits; spread; merged; merged,stored");
}

TEST(OperandLayout, RefusesWhatItDoesNotTake) {
  auto message = [](std::string_view words, OperandWidths widths,
                    int32_t vectorLength) {
    return getStepLayout(*parseOperandLayout(words), widths, vectorLength)
        .error()
        .message;
  };
  for (int32_t length : {0, -1, 3, 5, 32, 1 << 30})
    EXPECT_EQ(message("transposed", {}, length),
              "vector length must be one of 1, 2, 4, 8, 16, but got " +
                  std::to_string(length));
  EXPECT_EQ(message("interleaved", {}, 8),
            "operand layout 'interleaved' takes vectors of length up to 4, but "
            "got 8");
  EXPECT_EQ(message("transposed", {8, 12}, 8),
            "a dense operand has 4, 8 or 16 bits, but got 12");
  EXPECT_EQ(message("transposed", {7, 8}, 8),
            "a sparse operand has 4, 8, 12 or 16 bits, but got 7");
  EXPECT_EQ(message("interleaved", {8, 16}, 4),
            "operand layout 'interleaved' takes a dense operand of 4 or 8 "
            "bits, but got 16");
  EXPECT_EQ(message("raw", {8, 8}, 8),
            "operand layout 'raw' takes a dense operand of 16 bits, but got 8");
  EXPECT_EQ(message("transposed,paired", {4, 8}, 8),
            "operand layout 'transposed,paired' takes a sparse operand of 8, "
            "12 or 16 bits, but got 4");
  EXPECT_EQ(message("merged,stored", {8, 4}, 8),
            "operand layout 'merged,stored' takes a sparse operand of 4 bits, "
            "but got 8");
  Status status = verifyLayout({OperandForm::Raw, GatherOrder::Paired});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "there is no operand layout 'raw,paired'");
}

/// Digits share MMA columns only if their signs are the same.
TEST(OperandLayout, DigitsInIdleColumnsAreUnsigned) {
  OperandLayout sparse = *parseOperandLayout("interleaved,paired,digits");
  OperandLayout dense = *parseOperandLayout("raw,digits");
  EXPECT_TRUE(bool(checkSigns(sparse, /*unsignedSparse=*/true, false)));
  EXPECT_TRUE(bool(checkSigns(dense, false, /*unsignedDense=*/true)));
  EXPECT_TRUE(bool(checkSigns({}, false, false)));
  EXPECT_EQ(checkSigns(sparse, false, true).error().message,
            "operand layout 'interleaved,paired,digits' takes an unsigned "
            "sparse operand, but got a signed one");
  EXPECT_EQ(checkSigns(dense, true, false).error().message,
            "operand layout 'raw,digits' takes an unsigned dense operand, but "
            "got a signed one");
}

} // namespace
