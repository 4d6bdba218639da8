//===- PrintMma.cpp - Fragments of MMA instructions -----------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which lane and register hold which element, from the layouts of MmaTable.
//
//===----------------------------------------------------------------------===//

#include "Grid.h"
#include "Printers.h"

#include "magicube/Layout/MmaTable.h"
#include "magicube/Layout/SharedMemoryLayout.h"
#include "magicube/Layout/StepLayout.h"

#include <ostream>

using namespace mlir::magicube;

namespace {

/// An operand of an MMA as a grid: its layout and the names of its coordinates.
struct Operand {
  char name;
  const LinearLayout &layout;
  const char *row;
  const char *column;
};

} // namespace

/// "m16n8k32 (8 bits), m16n8k64 (4 bits), ...".
static std::string mmaNames() {
  std::string names;
  for (const MmaInstruction &mma : mmaTable())
    names += (names.empty() ? "" : ", ") + mma.name + " (" +
             std::to_string(mma.operandBits) + " bits)";
  return names;
}

/// Prints T<lane>.r<register>; the elements of a register share a cell, which
/// covers as many rows or columns.
static void printOperand(const Operand &operand, std::ostream &os) {
  const LinearLayout &layout = operand.layout;
  int elements = layout.inputSize(dim::element);
  bool alongRows = layout.basis(dim::element, 0, operand.row) != 0;
  int rowRun = alongRows ? elements : 1, columnRun = alongRows ? 1 : elements;
  int rows = layout.outputSize(operand.row);
  int columns = layout.outputSize(operand.column);

  std::vector<std::vector<std::string>> cells(
      rows / rowRun, std::vector<std::string>(columns / columnRun, "?"));
  for (int lane = 0; lane < layout.inputSize(dim::lane); ++lane)
    for (int reg = 0; reg < layout.inputSize(dim::reg); ++reg) {
      LayoutPoint at = layout.apply({{dim::lane, lane}, {dim::reg, reg}});
      cells[at[operand.row] / rowRun][at[operand.column] / columnRun] =
          "T" + std::to_string(lane) + ".r" + std::to_string(reg);
    }

  os << "\noperand " << operand.name << ", " << operand.row << " x "
     << operand.column << ": T<lane>.r<register>";
  if (elements > 1)
    os << ", each with " << elements << " consecutive "
       << (alongRows ? operand.row : operand.column) << " from the low bits up";
  os << '\n';
  Grid grid(std::string(operand.row) + " \\ " + operand.column,
            rangeLabels(columns, columnRun));
  std::vector<std::string> labels = rangeLabels(rows, rowRun);
  for (size_t row = 0; row < cells.size(); ++row)
    grid.addRow(labels[row], cells[row]);
  grid.print(os);
}

Status mlir::magicube::printMma(const Options &options, std::ostream &os) {
  std::string name = options.get("mma", ""), bits = options.get("bits", "8");
  std::string wanted = options.get("operand", "abc");
  if (bits != "8" && bits != "4")
    return Error{"expected --bits to be 8 or 4, but got '" + bits + "'"};
  if (wanted != "abc" && wanted != "a" && wanted != "b" && wanted != "c")
    return Error{"expected --operand to be a, b or c, but got '" + wanted +
                 "'"};
  const MmaInstruction *mma = lookupMma(name, bits == "8" ? 8 : 4);
  if (!mma)
    return Error{"unknown MMA '" + name + "' of " + bits + " bits",
                 "there are " + mmaNames()};

  os << "mma.sync " << mma->name << ", operands of " << mma->operandBits
     << " bits, from sm_" << mma->minComputeCapability << " on\n"
     << "PTX ISA, " << mma->reference << '\n';
  for (const Operand &operand : {Operand{'a', mma->a, dim::m, dim::k},
                                 Operand{'b', mma->b, dim::k, dim::n},
                                 Operand{'c', mma->c, dim::m, dim::n}})
    if (wanted.find(operand.name) != std::string::npos)
      printOperand(operand, os);
  return Status::success();
}

Status mlir::magicube::printList(const Options &, std::ostream &os) {
  os << "MMA instructions (--mma=, --bits=), Tensor Core instructions on\n";
  for (const MmaInstruction &mma : mmaTable()) {
    os << "  " << mma.name << std::string(10 - mma.name.size(), ' ')
       << mma.operandBits << " bits  ";
    for (const GpuTarget &target : gpuTargets())
      if (mma.isNativeOn(target))
        os << ' ' << target.name;
    os << '\n';
  }
  os << "operand layouts of steps (--step=)\n";
  for (OperandLayout layout : operandLayouts())
    os << "  " << spelling(layout) << '\n';
  os << "shared memory (--shared --form=)\n";
  for (const char *form : {"conflict-free", "padded", "plain"})
    os << "  " << form << '\n';
  return Status::success();
}
