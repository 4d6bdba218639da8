//===- PrintStep.cpp - A step of 32 stored vectors ------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who gathers what, how operands come about and who ends with which result,
// from StepLayout.
//
//===----------------------------------------------------------------------===//

#include "Grid.h"
#include "Printers.h"

#include "magicube/Layout/StepLayout.h"

#include <cstdio>
#include <ostream>

using namespace mlir::magicube;

static std::string hexadecimal(uint16_t selector) {
  char text[8];
  std::snprintf(text, sizeof(text), "0x%04x", selector);
  return text;
}

/// The position that each lane supplies, one row per 8x8 matrix of ldmatrix.
static void printGather(const StepLayout &step, std::ostream &os) {
  bool hasChunks = step.chunks() > 1;
  os << "\ngather: position" << (hasChunks ? "/chunk" : "")
     << " of the dense row whose 16 bytes a lane supplies to "
        "ldmatrix.x4.trans\n";
  std::vector<std::string> columns;
  for (int lane = 0; lane < kLdmatrixPhaseRows; ++lane)
    columns.push_back("+" + std::to_string(lane));
  columns.push_back("phase");
  Grid grid("call, lane", std::move(columns));
  for (int call = 0; call < step.calls(); ++call)
    for (int first = 0; first < step.gather.inputSize(dim::lane);
         first += kLdmatrixPhaseRows) {
      std::vector<std::string> cells;
      int position = 0;
      for (int row = 0; row < kLdmatrixPhaseRows; ++row) {
        LayoutPoint at =
            step.gather.apply({{dim::call, call}, {dim::lane, first + row}});
        position = at[dim::position];
        cells.push_back(
            std::to_string(position) +
            (hasChunks ? "/" + std::to_string(at[dim::chunk]) : ""));
      }
      // All rows of a matrix are of one phase.
      cells.push_back(std::to_string(
          step.phase.apply({{dim::position, position}}, dim::phase)));
      grid.addRow(std::to_string(call) + ", " + std::to_string(first),
                  std::move(cells));
    }
  grid.print(os);
}

/// Where the gathered rows lie in a tile, one row per phase.
static void printTile(const StepLayout &step, std::ostream &os) {
  os << "\ntile: row of shared memory that the dense row of a position is "
        "copied "
        "to\n";
  Grid grid("position", rangeLabels(kLdmatrixPhaseRows));
  for (int first = 0; first < kStepPositions; first += kLdmatrixPhaseRows) {
    std::vector<std::string> cells;
    for (int i = 0; i < kLdmatrixPhaseRows; ++i)
      cells.push_back(std::to_string(
          step.tileRow.apply({{dim::position, first + i}}, dim::row)));
    grid.addRow(std::to_string(first) + " +", std::move(cells));
  }
  grid.print(os);
}

/// What MMAs of 4 bits make of the permuted registers p0 to p3 and of the
/// loaded values, in place of taking them as they are.
static const char *describeNibbles(OperandLayout layout) {
  if (layout.form == OperandForm::Spread)
    return "  a0 to a3 = p0 to p3: low nibbles even columns, high ones odd\n"
           "\noperand B (the sparse values): a digit in the low nibbles of "
           "bytes for the even\ncolumns, in the high ones for the odd\n";
  if (layout.order != GatherOrder::Stored)
    return "  even columns: a0, a1 = low nibbles of p0 and p2, of p1 and p3, "
           "alternating\n"
           "  odd columns: the same of the high nibbles, one nibble to the "
           "left "
           "(cyclically)\n"
           "\noperand B (the sparse values): nibbles of a digit in that order, "
           "for the odd\ncolumns one to the left (cyclically)\n";
  return "  even columns: a0, a1 = low nibbles of p0, then p2; of p1, then "
         "p3\n"
         "  odd columns: the same of the high nibbles\n"
         "\noperand B (the sparse values): the loaded registers\n";
}

static void printPermutes(const StepLayout &step, std::ostream &os) {
  bool hasNibbles = step.layout.isInt4();
  os << "\noperand A (" << (hasNibbles ? "32" : "16")
     << " columns of the dense operand)\n";
  if (step.permutes.empty())
    os << "  the raw registers of ldmatrix\n";
  for (size_t reg = 0; reg < step.permutes.size(); ++reg) {
    const BytePermute &permute = step.permutes[reg];
    os << (hasNibbles ? "  p" : "  a") << reg << " = prmt(raw"
       << permute.sourceA << ", raw" << permute.sourceB << ", "
       << hexadecimal(permute.selector) << ")\n";
  }
  if (hasNibbles) {
    os << describeNibbles(step.layout);
    return;
  }
  os << "\noperand B (the sparse values"
     << (step.widths.sparse == 8 ? "" : ", in bytes") << ")\n";
  if (step.needsUnsignedSparse())
    os << "  high digits in lanes with bit " << step.digitLaneBit
       << " set, low ones in the others\n";
  if (step.lhsPermutes.empty())
    os << "  the loaded registers\n";
  bool isByLane = step.slots == SlotKind::Columns || step.foldShift != 0;
  for (size_t call = 0; call < step.lhsPermutes.size(); ++call) {
    const LhsPermute &permute = step.lhsPermutes[call];
    os << "  call " << call << ": prmt(loaded, 0, "
       << hexadecimal(permute.evenSelector) << "), ";
    if (isByLane)
      os << "in lanes with bit "
         << (step.slots == SlotKind::Columns ? step.parityLaneBit
                                             : step.digitLaneBit)
         << " set ";
    else
      os << "for the high bytes ";
    os << hexadecimal(permute.oddSelector) << '\n';
  }
}

/// Which lanes load which stored values: T<lanes>.r<register>, a cell per
/// register of consecutive positions.
static void printLhs(const StepLayout &step, std::ostream &os) {
  const LinearLayout &lhs = step.lhs;
  // Of 4 bits the halves of bytes may be registers of their own.
  bool alternate = lhs.apply({{dim::element, 1}}, dim::position) == 2;
  int registers = lhs.inputSize(dim::reg);
  int run = lhs.inputSize(dim::element) * (alternate ? registers : 1);
  os << "\nload of the sparse values: T<lane>.r<register>, each with " << run
     << " consecutive positions"
     << (alternate ? ", which alternate between them" : "") << '\n';
  std::vector<std::vector<std::string>> cells(
      lhs.outputSize(dim::vector),
      std::vector<std::string>(kStepPositions / run));
  for (int fragment = 0; fragment < step.fragments(); ++fragment)
    for (int reg = 0; reg < (alternate ? 1 : registers); ++reg)
      for (int lane = 0; lane < lhs.inputSize(dim::lane); ++lane) {
        LayoutPoint at = lhs.apply(
            {{dim::fragment, fragment}, {dim::reg, reg}, {dim::lane, lane}});
        std::string &cell = cells[at[dim::vector]][at[dim::position] / run];
        // Where two lanes load the same, the later lane goes before the
        // register.
        cell = (cell.empty() ? "T" : cell.substr(0, cell.find('.')) + ",") +
               std::to_string(lane) +
               (alternate ? ".r0,r1" : ".r" + std::to_string(reg));
      }
  Grid grid("v \\ position", rangeLabels(kStepPositions, run));
  for (int vector = 0; vector < step.vectorLength; ++vector)
    grid.addRow(std::to_string(vector), cells[vector]);
  grid.print(os);
}

/// Who ends with which element of the result, a grid per fragment.
static void printOutput(const StepLayout &step, std::ostream &os) {
  const LinearLayout &output = step.output;
  int perFragment = output.outputSize(dim::vector) / step.fragments();
  int shown = std::min(perFragment, step.vectorLength);
  for (int fragment = 0; fragment < step.fragments(); ++fragment) {
    int parts = output.inputSize(dim::part);
    os << "\nresult"
       << (step.exchange    ? " after the exchange"
           : step.foldShift ? " after the fold"
                            : "")
       << ": T<lane>.r<register>";
    if (parts > 1)
      os << " of the even columns' MMA, r<register>' of the odd ones'";
    if (step.fragments() > 1)
      os << " of fragment " << fragment;
    os << '\n';
    std::vector<std::vector<std::string>> cells(
        step.columns(), std::vector<std::string>(shown, "?"));
    for (int lane = 0; lane < output.inputSize(dim::lane); ++lane)
      for (int reg = 0; reg < output.inputSize(dim::reg); ++reg)
        for (int part = 0; part < parts; ++part) {
          LayoutPoint at = output.apply({{dim::part, part},
                                         {dim::fragment, fragment},
                                         {dim::lane, lane},
                                         {dim::reg, reg}});
          int vector = at[dim::vector] % perFragment;
          if (vector < shown)
            cells[at[dim::column]][vector] = "T" + std::to_string(lane) + ".r" +
                                             std::to_string(reg) +
                                             (part ? "'" : "");
        }
    Grid grid("column \\ vector",
              rangeLabels(shown, /*run=*/1, fragment * perFragment));
    for (int column = 0; column < step.columns(); ++column)
      grid.addRow(std::to_string(column), cells[column]);
    grid.print(os);
  }
}

/// The k of the MMA that a position is multiplied in, given the permute between
/// the loaded register and operand B, for the slots that are `odd`.
static std::vector<std::string> getSlots(const StepLayout &step,
                                         uint16_t selector, bool odd) {
  constexpr int32_t bytesPerRegister = 4, selectorBits = 4, sourceMask = 7;
  int32_t perByte = step.mma->elementsPerRegister() / bytesPerRegister;
  std::vector<std::string> slots(kStepPositions, "-");
  for (int lane = 0; lane < step.lhs.inputSize(dim::lane); ++lane)
    for (int reg = 0; reg < step.lhs.inputSize(dim::reg); ++reg)
      for (int to = 0; to < step.mma->elementsPerRegister(); ++to) {
        int from = selector >> to / perByte * selectorBits & sourceMask;
        if (from >= bytesPerRegister ||
            (step.slots == SlotKind::Columns &&
             (lane >> step.parityLaneBit & 1) != odd))
          continue; // a zero, or a lane of the other columns
        LayoutPoint loaded = {{dim::lane, lane},
                              {dim::reg, reg},
                              {dim::element, from * perByte + to % perByte}};
        LayoutPoint multiplied = {
            {dim::lane, lane}, {dim::reg, reg}, {dim::element, to}};
        slots[step.lhs.apply(loaded, dim::position)] =
            std::to_string(step.mma->b.apply(multiplied, dim::k));
      }
  return slots;
}

static void printSlotGrid(const std::vector<std::string> &slots,
                          std::ostream &os) {
  Grid grid("position", rangeLabels(kLdmatrixPhaseRows));
  for (int first = 0; first < kStepPositions; first += kLdmatrixPhaseRows)
    grid.addRow(
        std::to_string(first) + " +",
        {slots.begin() + first, slots.begin() + first + kLdmatrixPhaseRows});
  grid.print(os);
}

/// The same for the even columns of MMAs of 4 bits.
static std::vector<std::string> getNibbleSlots(const StepLayout &step) {
  // Spread, an element of the load is a byte of the MMA.
  int perElement =
      step.mma->elementsPerRegister() / step.lhs.inputSize(dim::element);
  std::vector<std::string> slots(kStepPositions);
  for (int lane = 0; lane < kMmaGroupLanes; ++lane)
    for (int reg = 0; reg < step.lhs.inputSize(dim::reg); ++reg)
      for (int i = 0; i < step.lhs.inputSize(dim::element); ++i)
        slots[step.lhs.apply(
            {{dim::lane, lane}, {dim::reg, reg}, {dim::element, i}},
            dim::position)] =
            std::to_string(step.mma->b.apply({{dim::lane, lane},
                                              {dim::reg, reg},
                                              {dim::element, i * perElement}},
                                             dim::k));
  return slots;
}

/// Operands A and B must agree on these.
static void printSlots(const StepLayout &step, std::ostream &os) {
  constexpr uint16_t unchanged = 0x3210;
  if (step.layout.isInt4()) {
    os << "\nslot: k of the MMA in which a position is multiplied, of the even "
          "columns";
    if (step.layout.form == OperandForm::Spread)
      os << "; of the odd ones the next k";
    os << '\n';
    printSlotGrid(getNibbleSlots(step), os);
    return;
  }
  std::string title = "\nslot: k of the MMA in which a position is multiplied";
  if (step.lhsPermutes.empty()) {
    os << title << '\n';
    printSlotGrid(getSlots(step, unchanged, /*odd=*/false), os);
  }
  for (size_t call = 0; call < step.lhsPermutes.size(); ++call)
    for (bool odd : {false, true}) {
      const LhsPermute &permute = step.lhsPermutes[call];
      const char *slots = step.slots == SlotKind::Columns
                              ? (odd ? "odd columns" : "even columns")
                              : (odd ? "high bytes" : "low bytes");
      os << title << ", call " << call << ", " << slots << '\n';
      printSlotGrid(
          getSlots(step, odd ? permute.oddSelector : permute.evenSelector, odd),
          os);
    }
}

static void printExchange(const StepLayout &step, std::ostream &os) {
  if (step.foldShift)
    os << "\nfold: register i becomes register 2i + (register 2i+1 << "
       << step.foldShift << ")\n";
  if (!step.exchange)
    return;
  os << "\nexchange: lanes that differ in bit " << step.exchange->laneBit
     << " trade the registers whose bit " << step.exchange->registerBit
     << " is not that bit of the lane\n";
}

/// Bytes, or what the layout takes instead.
static OperandWidths getTypicalWidths(OperandLayout layout) {
  for (int32_t sparse : {8, 16, 4})
    for (int32_t dense : {8, 16, 4})
      if (verifyOperands(layout, {sparse, dense}, /*vectorLength=*/1))
        return {sparse, dense};
  return {};
}

Status mlir::magicube::printStep(const Options &options, std::ostream &os) {
  Result<int> vector = options.getNumber("vector", 8, 1, 16);
  if (!vector)
    return vector.error();
  Result<OperandLayout> layout = parseOperandLayout(options.get("step", ""));
  if (!layout)
    return layout.error();
  OperandWidths widths = getTypicalWidths(*layout);
  Result<int> lhs = options.getNumber("lhs-bits", widths.sparse, 4, 16);
  if (!lhs)
    return lhs.error();
  Result<int> rhs = options.getNumber("rhs-bits", widths.dense, 4, 16);
  if (!rhs)
    return rhs.error();
  Result<StepLayout> step = getStepLayout(*layout, {*lhs, *rhs}, *vector);
  if (!step)
    return step.error();
  os << "step '" << spelling(step->layout) << "' for L" << step->widths.sparse
     << "-R" << step->widths.dense << ", V = " << step->vectorLength << ": "
     << kStepPositions << " positions times " << step->columns() << " columns, "
     << step->calls() * step->fragments() * step->output.inputSize(dim::part)
     << " x mma.sync " << step->mma->name << '\n';
  printGather(*step, os);
  printTile(*step, os);
  printPermutes(*step, os);
  printLhs(*step, os);
  printSlots(*step, os);
  printExchange(*step, os);
  printOutput(*step, os);
  return Status::success();
}
