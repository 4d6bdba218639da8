//===- MakePattern.cpp - Sparsity patterns from masks and by name ---------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each part says which columns it keeps of a row; the rows of a vector-row are
// then counted over one another.
//
//===----------------------------------------------------------------------===//

#include "Intervals.h"
#include "Message.h"

#include "magicube/Format/Packer.h"
#include "magicube/Format/Pattern.h"
#include "magicube/Format/Random.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

namespace mlir::magicube {

namespace {

/// A row of the pattern, with what the parts need to know of it.
struct Row {
  int64_t row;
  /// Its diagonal's column, in the matrix or not.
  int64_t diagonal;
  /// Columns that may be kept, from 0 on.
  int64_t limit;
  /// What random parts keep in all rows of the vector-row.
  const IntervalSet &random;
};

} // namespace

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

static void addColumns(const MaskPart &part, const Row &row,
                       IntervalSet &columns) {
  int64_t blockRow = row.row / part.blockRows;
  if (blockRow >= part.entries.rows)
    return;
  for (int64_t i = part.entries.offset[blockRow];
       i < part.entries.offset[blockRow + 1]; ++i) {
    int64_t begin = part.entries.col[i] * part.blockCols;
    columns.add(begin, begin + part.blockCols, row.limit);
  }
}

static void addColumns(const WindowPart &part, const Row &row,
                       IntervalSet &columns) {
  columns.add(row.diagonal - part.left, row.diagonal + part.right + 1,
              row.limit);
}

static void addColumns(const GlobalPart &part, const Row &row,
                       IntervalSet &columns) {
  columns.add(0, row.row < part.rows ? row.limit : part.cols, row.limit);
}

static void addColumns(const StridedPart &part, const Row &row,
                       IntervalSet &columns) {
  int64_t first = (row.diagonal % part.step + part.step) % part.step;
  for (int64_t column = first; column < row.limit; column += part.step)
    columns.add(column, column + 1, row.limit);
}

static void addColumns(const FixedPart &part, const Row &row,
                       IntervalSet &columns) {
  for (int64_t column = part.step - 1; column < row.limit; column += part.step)
    columns.add(column, column + 1, row.limit);
}

static void addColumns(const RandomPart &, const Row &row,
                       IntervalSet &columns) {
  for (const Interval &interval : row.random.list())
    columns.add(interval.begin, interval.end, row.limit);
}

static void addColumns(const DensePart &, const Row &row,
                       IntervalSet &columns) {
  columns.add(0, row.limit, row.limit);
}

/// Adds round(density * limit) columns below `limit`; `draws` counts the random
/// numbers taken. Each set of columns is equally likely (Bentley, Floyd: A
/// Sample of Brilliance, CACM 30 (9), 1987).
static void drawColumns(const RandomPart &part, int64_t limit, uint64_t &draws,
                        IntervalSet &columns) {
  std::unordered_set<int64_t> drawn;
  for (int64_t last = limit - randomRowLength(limit, part.density);
       last < limit; ++last) {
    auto column = static_cast<int64_t>(splitMix64(part.seed, draws++) %
                                       uint64_t(last + 1));
    if (!drawn.insert(column).second)
      drawn.insert(last);
  }
  for (int64_t column : drawn)
    columns.add(column, column + 1, limit);
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

static Status checkAtLeast(const char *what, int64_t value, int64_t least) {
  if (value >= least && value <= kMaxExtent)
    return {};
  return Error{message("expected ", what, " in [", least, ", ", kMaxExtent,
                       "], but got ", value)};
}

static Status check(const MaskPart &part, const PatternSpec &spec) {
  // As many blocks as it takes to cover the matrix.
  auto blocks = [](int64_t extent, int64_t block) {
    return (extent + block - 1) / block;
  };
  int64_t rows = blocks(spec.rows, part.blockRows);
  int64_t cols = blocks(spec.cols, part.blockCols);
  if (part.entries.rows == rows && part.entries.cols == cols)
    return {};
  bool hasBlocks = part.blockRows > 1 || part.blockCols > 1;
  return Error{message(
      part.name, ": expected a mask of ", rows, "x", cols,
      hasBlocks ? " blocks for a pattern of " : " for a pattern of ", spec.rows,
      "x", spec.cols, ", but got ", part.entries.rows, "x", part.entries.cols)};
}

static Status check(const WindowPart &part, const PatternSpec &) {
  if (Status s =
          checkAtLeast("columns left of the window's middle", part.left, 0);
      !s)
    return s;
  return checkAtLeast("columns right of the window's middle", part.right, 0);
}

static Status check(const GlobalPart &part, const PatternSpec &) {
  if (Status s = checkAtLeast("global rows", part.rows, 0); !s)
    return s;
  return checkAtLeast("global columns", part.cols, 0);
}

static Status check(const StridedPart &part, const PatternSpec &) {
  return checkAtLeast("a step", part.step, 1);
}
static Status check(const FixedPart &part, const PatternSpec &) {
  return checkAtLeast("a step", part.step, 1);
}

static Status check(const RandomPart &part, const PatternSpec &) {
  if (part.density >= 0 && part.density <= 1)
    return {};
  return Error{message("expected a density from 0 to 1, but got ",
                       std::to_string(part.density))};
}

static Status check(const DensePart &, const PatternSpec &) { return {}; }

static Status check(const PatternSpec &spec) {
  SRBCRSEncoding encoding;
  encoding.vector = spec.vector;
  if (Status s = encoding.verify(); !s)
    return s;
  if (Status s = checkAtLeast("the number of rows", spec.rows, 1); !s)
    return s;
  if (Status s = checkAtLeast("the number of columns", spec.cols, 1); !s)
    return s;
  if (spec.diagonal < -kMaxExtent || spec.diagonal > kMaxExtent)
    return Error{message("expected a diagonal in [", -kMaxExtent, ", ",
                         kMaxExtent, "], but got ", spec.diagonal)};
  if (spec.rows % spec.vector != 0 && !spec.padRows)
    return Error{message("expected a multiple of the vector length ",
                         spec.vector, " for the number of rows, but got ",
                         spec.rows),
                 "pad the rows, or choose a shorter vector"};
  int64_t vectorRows = (spec.rows + spec.vector - 1) / spec.vector;
  if (vectorRows > kMaxPointerGroups)
    return Error{message("expected at most ", kMaxPointerGroups,
                         " vector-rows, but got ", vectorRows),
                 "choose a longer vector"};
  for (const PatternPart &part : spec.parts)
    if (Status s =
            std::visit([&](const auto &of) { return check(of, spec); }, part);
        !s)
      return s;
  return {};
}

//===----------------------------------------------------------------------===//
// The pattern
//===----------------------------------------------------------------------===//

namespace {

/// Appends one vector-row after another.
class PatternMaker {
public:
  explicit PatternMaker(const PatternSpec &spec)
      : spec(spec), draws(spec.parts.size()) {
    pattern.vectors.cols = spec.cols;
    pattern.vectors.offset = {0};
  }

  /// All vector-rows; with `isDry` only their vectors are counted, so that too
  /// many of them are an error before they have filled the memory.
  Status appendAll(bool isDry);
  Pattern take() { return std::move(pattern); }

private:
  int64_t limit(int64_t row) const {
    if (!spec.isCausal)
      return spec.cols;
    return std::clamp<int64_t>(row + spec.diagonal + 1, 0, spec.cols);
  }
  void drawRandom(int64_t limit);
  /// Finds the columns of the vector-row that begins at row `first`.
  void findColumns(int64_t first);

  const PatternSpec &spec;
  Pattern pattern;
  /// Of each part.
  std::vector<uint64_t> draws;
  /// Of the latest vector-row and row; members to reuse their memory.
  IntervalSet columns, ofRow, random;
};

} // namespace

/// As many positions may hold too many vectors.
static bool needsDryRun(const PatternSpec &spec) {
  return (spec.rows + spec.vector - 1) / spec.vector * spec.cols > kMaxExtent;
}

void PatternMaker::drawRandom(int64_t limit) {
  random.clear();
  for (size_t i = 0; i < spec.parts.size(); ++i)
    if (const auto *part = std::get_if<RandomPart>(&spec.parts[i]))
      drawColumns(*part, limit, draws[i], random);
  random.cover(1);
}

void PatternMaker::findColumns(int64_t first) {
  int64_t end = std::min(first + spec.vector, spec.rows);
  drawRandom(limit(spec.rule == VectorRule::Any ? end - 1 : first));
  columns.clear();
  for (int64_t row = first; row < end; ++row) {
    ofRow.clear();
    Row place{row, row + spec.diagonal, limit(row), random};
    for (const PatternPart &part : spec.parts)
      std::visit([&](const auto &of) { addColumns(of, place, ofRow); }, part);
    ofRow.cover(1);
    pattern.elements += ofRow.size();
    columns.add(ofRow);
  }
  columns.cover(spec.rule == VectorRule::Any ? 1 : end - first);
}

Status PatternMaker::appendAll(bool isDry) {
  CsrMatrix &vectors = pattern.vectors;
  int64_t count = 0;
  for (int64_t first = 0; first < spec.rows; first += spec.vector) {
    findColumns(first);
    count += columns.size();
    if (count > kMaxExtent)
      return Error{message("expected at most ", kMaxExtent,
                           " stored vectors, but got ", count, " or more"),
                   "choose a longer vector or a sparser pattern"};
    if (isDry)
      continue;
    for (const Interval &interval : columns.list())
      for (int64_t column = interval.begin; column < interval.end; ++column)
        vectors.col.push_back(static_cast<int32_t>(column));
    vectors.offset.push_back(count);
    ++vectors.rows;
  }
  return {};
}

Result<Pattern> makePattern(const PatternSpec &spec) {
  if (Status s = check(spec); !s)
    return s.error();
  if (needsDryRun(spec))
    if (Status s = PatternMaker(spec).appendAll(/*isDry=*/true); !s)
      return s.error();
  PatternMaker maker(spec);
  if (Status s = maker.appendAll(/*isDry=*/false); !s)
    return s.error();
  return maker.take();
}

} // namespace mlir::magicube
