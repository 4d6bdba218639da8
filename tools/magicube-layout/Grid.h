//===- Grid.h - Tables of text --------------------------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cells under column labels, fitted to the width of a terminal.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_TOOLS_MAGICUBE_LAYOUT_GRID_H
#define MAGICUBE_TOOLS_MAGICUBE_LAYOUT_GRID_H

#include <iosfwd>
#include <string>
#include <vector>

namespace mlir::magicube {

/// A table with a label for every row and column. Cells are right-aligned;
/// where the columns do not fit into 100 characters they continue in a further
/// block.
class Grid {
public:
  /// `corner` names the labels, as in "m \ k".
  Grid(std::string corner, std::vector<std::string> columns)
      : corner(std::move(corner)), columns(std::move(columns)) {}

  /// Adds a row with one cell per column.
  void addRow(std::string label, std::vector<std::string> cells);
  void print(std::ostream &os) const;

private:
  void printBlock(std::ostream &os, size_t begin, size_t end) const;
  size_t labelWidth() const;
  size_t cellWidth() const;

  struct Row {
    std::string label;
    std::vector<std::string> cells;
  };
  std::string corner;
  std::vector<std::string> columns;
  std::vector<Row> rows;
};

/// Labels of `size` consecutive things in runs of `run`: "0", "1", ... or
/// "0-3", "4-7", ...; the first is number `first`.
std::vector<std::string> rangeLabels(int size, int run = 1, int first = 0);

} // namespace mlir::magicube

#endif // MAGICUBE_TOOLS_MAGICUBE_LAYOUT_GRID_H
