//===- SparseMatrix.cpp - Checks of plain sparse matrices -----------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Index checks, and duplicate search, linear in the entries.
//
//===----------------------------------------------------------------------===//

#include "magicube/Format/SparseMatrix.h"

#include "EntryOrder.h"
#include "Message.h"

#include <algorithm>

namespace mlir::magicube {

Status CooMatrix::validate() const {
  if (col.size() != row.size() || value.size() != row.size())
    return Error{message("expected as many columns and values as the ",
                         row.size(), " rows, but got ", col.size(), " and ",
                         value.size())};
  for (int64_t i = 0; i < entries(); ++i) {
    if (row[i] < 0 || row[i] >= rows)
      return Error{message("entry ", i, ": expected a row in [0, ", rows,
                           "), but got ", row[i])};
    if (col[i] < 0 || col[i] >= cols)
      return Error{message("entry ", i, ": expected a column in [0, ", cols,
                           "), but got ", col[i])};
  }
  return Status::success();
}

std::optional<int64_t> CooMatrix::findDuplicate() const {
  std::vector<KeyedEntry> items = orderEntries(*this, /*vector=*/1);
  std::optional<int64_t> first;
  for (size_t i = 1; i < items.size(); ++i)
    if (items[i].key == items[i - 1].key)
      first = std::min(first.value_or(items[i].entry), items[i].entry);
  return first;
}

Status CsrMatrix::validate() const {
  if (rows < 0 || static_cast<int64_t>(offset.size()) != rows + 1)
    return Error{message("expected ", rows, " + 1 row offsets, but got ",
                         offset.size())};
  if (!value.empty() && value.size() != col.size())
    return Error{message("expected as many values as the ", col.size(),
                         " columns, but got ", value.size())};
  if (offset.front() != 0 || offset.back() != entries())
    return Error{message("expected row offsets from 0 to ", entries(),
                         ", but got ", offset.front(), " to ", offset.back())};
  for (int64_t r = 0; r < rows; ++r)
    if (offset[r + 1] < offset[r])
      return Error{message("row ", r,
                           ": expected row offsets that do not "
                           "descend, but got ",
                           offset[r + 1], " after ", offset[r])};
  for (int64_t i = 0; i < entries(); ++i)
    if (col[i] < 0 || col[i] >= cols)
      return Error{message("entry ", i, ": expected a column in [0, ", cols,
                           "), but got ", col[i])};
  return Status::success();
}

} // namespace mlir::magicube
