//===- Grid.cpp - Tables of text ------------------------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Widths, blocks of columns, alignment.
//
//===----------------------------------------------------------------------===//

#include "Grid.h"

#include <algorithm>
#include <iomanip>
#include <ostream>

using namespace mlir::magicube;

/// Characters that a line may have.
static constexpr size_t kLineWidth = 100;

void Grid::addRow(std::string label, std::vector<std::string> cells) {
  cells.resize(columns.size());
  rows.push_back({std::move(label), std::move(cells)});
}

size_t Grid::labelWidth() const {
  size_t width = corner.size();
  for (const Row &row : rows)
    width = std::max(width, row.label.size());
  return width;
}

size_t Grid::cellWidth() const {
  size_t width = 1;
  for (const std::string &column : columns)
    width = std::max(width, column.size());
  for (const Row &row : rows)
    for (const std::string &cell : row.cells)
      width = std::max(width, cell.size());
  return width;
}

void Grid::printBlock(std::ostream &os, size_t begin, size_t end) const {
  int label = static_cast<int>(labelWidth()),
      cell = static_cast<int>(cellWidth());
  auto printLine = [&](const std::string &head,
                       const std::vector<std::string> &cells) {
    os << "  " << std::setw(label) << head << " |";
    for (size_t i = begin; i < end; ++i)
      os << ' ' << std::setw(cell) << cells[i];
    os << '\n';
  };
  printLine(corner, columns);
  os << "  " << std::string(label + 1, '-') << '+'
     << std::string((end - begin) * (cell + 1), '-') << '\n';
  for (const Row &row : rows)
    printLine(row.label, row.cells);
}

void Grid::print(std::ostream &os) const {
  constexpr size_t margins = 4; // two blanks before, " |" after a label
  size_t width = cellWidth() + 1;
  size_t room =
      kLineWidth - std::min(kLineWidth - width, labelWidth() + margins);
  size_t perBlock = std::max<size_t>(1, room / width);
  for (size_t begin = 0; begin < columns.size(); begin += perBlock) {
    if (begin)
      os << '\n';
    printBlock(os, begin, std::min(begin + perBlock, columns.size()));
  }
}

std::vector<std::string> mlir::magicube::rangeLabels(int size, int run,
                                                     int first) {
  std::vector<std::string> labels;
  for (int begin = first; begin < first + size; begin += run)
    labels.push_back(run == 1 ? std::to_string(begin)
                              : std::to_string(begin) + "-" +
                                    std::to_string(begin + run - 1));
  return labels;
}
