//===- OperandPlanes.cpp - MMA operands of other widths than 8 bits -------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Planes of both operands from the byte permutes of a step and DigitPlanes.
//
//===----------------------------------------------------------------------===//

#include "magicube/Layout/OperandPlanes.h"

#include "magicube/Layout/DigitPlanes.h"

using namespace mlir::magicube;

/// Digits are bytes: the MMAs' operand width.
static constexpr int32_t kRadixBits = 8;

/// Selectors for the even and the odd bytes of two registers, in order: the low
/// and high halves of four 16-bit values.
static constexpr uint16_t kEvenBytes = 0x6420;
static constexpr uint16_t kOddBytes = 0x7531;

//===----------------------------------------------------------------------===//
// Dense operand
//===----------------------------------------------------------------------===//

/// The step's registers for a chunk.
static std::vector<OperandRegister> getByteRegisters(const StepLayout &step,
                                                     ByteHalf half) {
  std::vector<OperandRegister> registers;
  for (BytePermute permute : step.permutes)
    registers.push_back({/*chunk=*/0, permute, half});
  if (registers.empty()) // raw registers are the operand
    for (int32_t i = 0; i < step.mma->aRegisters(); ++i)
      registers.push_back({/*chunk=*/0, {i, i, kIdentitySelector}, half});
  return registers;
}

/// 16 bits: byte columns 2n and 2n + 1 are low and high byte of column n. Where
/// the step makes MMA rows g and g + 8 of the even and the odd bytes of one
/// chunk, a plane takes the same bytes of two chunks: the register for the even
/// bytes of chunk 0, then that of chunk 1, and so on.
static OperandPlane getWordPlane(const StepLayout &step,
                                 const DigitPlane &digit) {
  bool isHigh = digit.shift != 0;
  OperandPlane plane{{}, digit.shift, isHigh, /*columnSet=*/0};
  for (size_t i = 0; i < step.permutes.size(); ++i) {
    int32_t chunk = i % 2; // MMA rows g, then g + 8
    BytePermute permute = step.permutes[i - chunk + isHigh];
    plane.registers.push_back({chunk, permute, ByteHalf::Whole});
  }
  return plane;
}

/// (m) -> (column) of 16-bit columns: g in chunk 0, then chunk 1.
static Result<LinearLayout> getWordRows(const MmaInstruction &mma) {
  return LinearLayout::identity1D(mma.m, dim::m, dim::column);
}

/// (part, fragment, lane, register) -> (vector, column) of a step whose MMA
/// rows are columns `rows`.
static Result<LinearLayout> buildOutput(const StepLayout &step,
                                        const LinearLayout &rows) {
  LinearLayout problem =
      rows * LinearLayout::identity1D(step.mma->n, dim::n, dim::vector);
  Result<LinearLayout> output = step.mma->c.compose(problem);
  if (!output)
    return output.error();
  LinearLayout all =
      *output *
      LinearLayout::identity1D(step.fragments(), dim::fragment, dim::vector);
  return all.sublayout({dim::part, dim::fragment, dim::lane, dim::reg},
                       {dim::vector, dim::column});
}

/// `output` of bytes as that of their halves: the low column bit is the part.
static LinearLayout splitColumns(const LinearLayout &output) {
  LinearLayout split =
      LinearLayout::identity1D(2, dim::part, dim::column) * output;
  return split.sublayout({dim::part, dim::fragment, dim::lane, dim::reg},
                         {dim::vector, dim::column});
}

Result<DenseOperand> mlir::magicube::getDenseOperand(const StepLayout &step,
                                                     int32_t bits) {
  if (bits == 8) {
    OperandPlane plane{getByteRegisters(step, ByteHalf::Whole), /*shift=*/0,
                       /*isTop=*/true, /*columnSet=*/0};
    return DenseOperand{
        bits, step.chunks(), {plane}, step.output, step.exchange};
  }
  if (step.permutes.empty())
    return Error{"recipe '" + step.recipe +
                     "' takes a dense operand of 8 bits, but got " +
                     std::to_string(bits),
                 "use recipe 'transpose'"};
  if (bits == 4)
    return DenseOperand{
        bits,
        /*chunks=*/1,
        {{getByteRegisters(step, ByteHalf::Low), 0, true, /*columnSet=*/0},
         {getByteRegisters(step, ByteHalf::High), 0, true, /*columnSet=*/1}},
        splitColumns(step.output),
        std::nullopt};
  if (bits != 16)
    return Error{"a dense operand has 4, 8 or 16 bits, but got " +
                 std::to_string(bits)};
  Result<LinearLayout> rows = getWordRows(*step.mma);
  if (!rows)
    return rows.error();
  Result<LinearLayout> output = buildOutput(step, *rows);
  if (!output)
    return output.error();
  DenseOperand operand{bits, /*chunks=*/2, {}, *output, std::nullopt};
  for (const DigitPlane &digit : digitPlanes(bits, true, kRadixBits))
    operand.planes.push_back(getWordPlane(step, digit));
  return operand;
}

//===----------------------------------------------------------------------===//
// Sparse operand
//===----------------------------------------------------------------------===//

std::string_view mlir::magicube::getRequiredRecipe(int32_t sparseBits) {
  return sparseBits == 4 ? "transpose-nibble" : "";
}

Result<SparseOperand> mlir::magicube::getSparseOperand(const StepLayout &step,
                                                       int32_t bits) {
  bool isNibbleRecipe = step.recipe == getRequiredRecipe(4);
  if (isNibbleRecipe != (bits == 4))
    return Error{"recipe '" + step.recipe + "' takes a sparse operand of " +
                     (isNibbleRecipe ? "4 bits" : "8 bits or more") +
                     ", but got " + std::to_string(bits),
                 "use recipe 'transpose' from 8 bits on, 'transpose-nibble' "
                 "below"};
  if (!step.lhsPermutes.empty() && bits != 8)
    return Error{"recipe '" + step.recipe +
                     "' takes a sparse operand of 8 bits, but got " +
                     std::to_string(bits),
                 "use recipe 'transpose'"};
  auto whole = [](int32_t word) {
    return OperandRegister{0, {word, word, kIdentitySelector}, ByteHalf::Whole};
  };
  switch (bits) {
  case 4: // positions alternate between the registers
    return SparseOperand{bits,
                         1,
                         {{{{0, {0, 0, kIdentitySelector}, ByteHalf::Low},
                            {0, {0, 0, kIdentitySelector}, ByteHalf::High}},
                           0,
                           true,
                           0}}};
  case 8:
    return SparseOperand{bits, 2, {{{whole(0), whole(1)}, 0, true, 0}}};
  case 12: // stored in 16
  case 16: {
    SparseOperand operand{bits, 4, {}};
    for (const DigitPlane &digit : digitPlanes(bits, true, kRadixBits)) {
      uint16_t selector = digit.shift ? kOddBytes : kEvenBytes;
      operand.planes.push_back({{{0, {0, 1, selector}, ByteHalf::Whole},
                                 {0, {2, 3, selector}, ByteHalf::Whole}},
                                digit.shift,
                                digit.shift != 0,
                                0});
    }
    return operand;
  }
  default:
    return Error{"a sparse operand has 4, 8, 12 or 16 bits, but got " +
                 std::to_string(bits)};
  }
}
