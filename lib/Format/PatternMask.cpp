//===- PatternMask.cpp - Masks of elements, vectors and blocks ------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every kind of file becomes the same compressed rows of blocks.
//
//===----------------------------------------------------------------------===//

#include "ArgumentText.h"
#include "EntryOrder.h"
#include "Message.h"

#include "magicube/Format/Packer.h"
#include "magicube/Format/Pattern.h"
#include "magicube/Format/SparseFiles.h"

#include <algorithm>

namespace mlir::magicube {

/// Extents in blocks and in elements that indices hold.
static Status checkExtents(const MaskPart &part) {
  const CsrMatrix &entries = part.entries;
  if (entries.rows <= kMaxExtent / part.blockRows &&
      entries.cols <= kMaxExtent / part.blockCols)
    return {};
  return Error{message(part.name, ": expected a mask of at most ", kMaxExtent,
                       " rows and columns, but got ", entries.rows, "x",
                       entries.cols, " blocks of ", part.blockRows, "x",
                       part.blockCols)};
}

static Status checkBlock(int64_t blockRows, int64_t blockCols) {
  if (blockRows >= 1 && blockCols >= 1 && blockRows <= kMaxExtent &&
      blockCols <= kMaxExtent)
    return {};
  return Error{message("expected blocks of 1 to ", kMaxExtent,
                       " rows and columns, but got ", blockRows, "x",
                       blockCols)};
}

Result<MaskPart> maskFromNpy(const NpyArray &array, const std::string &name,
                             int64_t blockRows, int64_t blockCols) {
  if (Status s = checkBlock(blockRows, blockCols); !s)
    return s.error();
  if (!isInteger(array.type))
    return Error{message(name,
                         ": expected a mask of booleans or integers, but "
                         "got ",
                         npyTypeName(array.type)),
                 "save the mask as array != 0"};
  if (Status s = array.checkRank2(name); !s)
    return s.error();
  MaskPart part{{}, blockRows, blockCols, name};
  CsrMatrix &entries = part.entries;
  entries.rows = array.shape[0];
  entries.cols = array.shape[1];
  if (entries.rows < 1 || entries.cols < 1)
    return Error{message(name,
                         ": expected a mask of at least one row and one "
                         "column, but got shape ",
                         array.shapeText())};
  if (Status s = checkExtents(part); !s)
    return s.error();
  entries.offset.reserve(entries.rows + 1);
  entries.offset.push_back(0);
  for (int64_t row = 0; row < entries.rows; ++row) {
    for (int64_t col = 0; col < entries.cols; ++col)
      if (array.integerAt(row * entries.cols + col) != 0)
        entries.col.push_back(static_cast<int32_t>(col));
    entries.offset.push_back(entries.entries());
  }
  return part;
}

/// Compressed rows of entries that differ, which is what readMtx gives.
static Result<CsrMatrix> toRows(const CooMatrix &matrix,
                                const std::string &name) {
  int64_t limit =
      std::min(kMaxPointerGroups, std::max(kFreePointerGroups,
                                           matrix.entries() * kGroupsPerEntry));
  if (matrix.rows > limit)
    return Error{message(name, ": expected a mask of at most ", limit,
                         " rows for ", matrix.entries(), " entries, but got ",
                         matrix.rows),
                 "almost all are empty: leave empty rows out"};
  CsrMatrix rows;
  rows.rows = matrix.rows;
  rows.cols = matrix.cols;
  rows.offset.assign(matrix.rows + 1, 0);
  for (const KeyedEntry &item : orderEntries(matrix, /*vector=*/1)) {
    rows.col.push_back(matrix.col[item.entry]);
    ++rows.offset[matrix.row[item.entry] + 1];
  }
  for (int64_t row = 0; row < rows.rows; ++row)
    rows.offset[row + 1] += rows.offset[row];
  return rows;
}

/// A file of any kind, each entry a block.
static Result<MaskPart> readBlocks(const std::string &path, int64_t blockRows,
                                   int64_t blockCols) {
  if (Status s = checkBlock(blockRows, blockCols); !s)
    return s.error();
  if (endsWith(path, ".npy")) {
    Result<NpyArray> array = readNpy(path);
    if (!array)
      return array.error();
    return maskFromNpy(*array, path, blockRows, blockCols);
  }
  Result<CsrMatrix> entries =
      Error{message(path, ": expected a mask in a .npy, .mtx or .smtx file"),
            "save the mask with numpy.save"};
  if (namesText(path, ".smtx")) {
    entries = readSmtx(path);
  } else if (namesText(path, ".mtx")) {
    Result<CooMatrix> matrix = readMtx(path, EntryValues::Ignored);
    if (!matrix)
      return matrix.error();
    entries = toRows(*matrix, path);
  }
  if (!entries)
    return entries.error();
  MaskPart part{std::move(*entries), blockRows, blockCols, path};
  if (Status s = checkExtents(part); !s)
    return s.error();
  return part;
}

Result<MaskPart> readMask(const std::string &path, int64_t vector) {
  return readBlocks(path, namesText(path, ".smtx") ? vector : 1, 1);
}

Result<MaskPart> readBlockMask(const std::string &path, int64_t blockRows,
                               int64_t blockCols) {
  return readBlocks(path, blockRows, blockCols);
}

} // namespace mlir::magicube
