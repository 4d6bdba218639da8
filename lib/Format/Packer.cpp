//===- Packer.cpp - COO, CSR and patterns to SR-BCRS ----------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalar entries are sorted by vector-row and column, which brings those of a
// vector together.
//
//===----------------------------------------------------------------------===//

#include "magicube/Format/Packer.h"

#include "EntryOrder.h"
#include "MatrixBuilder.h"
#include "Message.h"

#include <algorithm>

namespace mlir::magicube {

/// The error for a value that the element type cannot hold.
static Error misfit(int64_t row, int64_t column, int64_t value,
                    ElementType type) {
  return Error{message("row ", row, ", column ", column, ": value ", value,
                       " does not fit ", type.describe()),
               "rows and columns are counted from 0 here"};
}

Status checkPointerGroups(int64_t vectorRows, int64_t cols,
                          const SRBCRSEncoding &encoding, int64_t entries) {
  int64_t limit =
      std::min(kMaxPointerGroups,
               std::max(kFreePointerGroups, entries * kGroupsPerEntry));
  int64_t slabs = encoding.slabCount(cols);
  if (vectorRows <= limit / slabs)
    return Status::success();
  return Error{
      message("expected at most ", limit, " groups of vectors for ", entries,
              " entries, but got ", vectorRows, " vector-rows",
              slabs > 1 ? message(" of ", slabs, " slabs") : ""),
      message("almost all are empty: leave empty rows out, or choose a longer "
              "vector",
              slabs > 1 ? " or wider slabs" : "")};
}

namespace {

/// Groups scalar entries into vectors, row by row.
class ScalarPacker {
public:
  ScalarPacker(const CooMatrix &matrix, MatrixBuilder &builder)
      : matrix(matrix), builder(builder), type(builder.layout().elementType()),
        vector(builder.layout().encoding().vector),
        items(orderEntries(matrix, vector)) {}

  /// Appends the next vector-row.
  Status appendRow();

private:
  Status set(int64_t entry);

  const CooMatrix &matrix;
  MatrixBuilder &builder;
  ElementType type;
  int64_t vector;
  std::vector<KeyedEntry> items;
  size_t next = 0;
  uint64_t row = 0;
  std::vector<int32_t> columns;
  /// Bit v: component v of the vector at hand has an entry.
  uint32_t present = 0;
  static_assert(kVectorLengths.back() <= 32, "one bit per component");
};

} // namespace

/// Sets a component of the last of the row's columns that have been seen.
Status ScalarPacker::set(int64_t entry) {
  int64_t row = matrix.row[entry], value = matrix.value[entry];
  uint32_t bit = uint32_t(1) << row % vector;
  if (present & bit)
    return Error{message("row ", row, ", column ", matrix.col[entry],
                         ": duplicate entry")};
  present |= bit;
  if (type.isPattern())
    return Status::success();
  if (!type.fits(value))
    return misfit(row, matrix.col[entry], value, type);
  builder.set(columns.size() - 1, row % vector, value);
  return Status::success();
}

Status ScalarPacker::appendRow() {
  const uint64_t end = ++row * uint64_t(matrix.cols);
  size_t last = next;
  columns.clear();
  for (; last < items.size() && items[last].key < end; ++last)
    if (last == next || items[last].key != items[last - 1].key)
      columns.push_back(matrix.col[items[last].entry]);
  if (Status s = builder.appendRow(columns.data(), columns.size()); !s)
    return s;
  columns.clear();
  for (size_t first = next; next < last; ++next) {
    if (next == first || items[next].key != items[next - 1].key) {
      columns.push_back(matrix.col[items[next].entry]);
      present = 0;
    }
    if (Status s = set(items[next].entry); !s)
      return s;
  }
  return Status::success();
}

Result<SRBCRSMatrix> packCoo(const CooMatrix &matrix, ElementType type,
                             const SRBCRSEncoding &encoding) {
  if (Status s = encoding.verify(); !s)
    return s.error();
  if (Status s = matrix.validate(); !s)
    return s.error();
  int64_t vectorRows = matrix.rows / encoding.vector;
  if (Status s = checkPointerGroups(vectorRows, matrix.cols, encoding,
                                    matrix.entries());
      !s)
    return s.error();
  auto builder = MatrixBuilder::create(matrix.rows, matrix.cols, type, encoding,
                                       matrix.entries() / encoding.vector);
  if (!builder)
    return builder.error();
  ScalarPacker packer(matrix, *builder);
  for (int64_t r = 0; r < vectorRows; ++r)
    if (Status s = packer.appendRow(); !s)
      return s.error();
  return builder->take();
}

Result<SRBCRSMatrix> packCsr(const CsrMatrix &matrix, ElementType type,
                             const SRBCRSEncoding &encoding) {
  if (Status s = matrix.validate(); !s)
    return s.error();
  CooMatrix entries{matrix.rows, matrix.cols, {}, {}, {}};
  for (int64_t r = 0; r < matrix.rows; ++r)
    for (int64_t i = matrix.offset[r]; i < matrix.offset[r + 1]; ++i)
      entries.append(static_cast<int32_t>(r), matrix.col[i], matrix.valueAt(i));
  return packCoo(entries, type, encoding);
}

/// Fails unless the columns of every row strictly ascend.
static Status checkAscending(const CsrMatrix &pattern) {
  for (int64_t r = 0; r < pattern.rows; ++r)
    for (int64_t i = pattern.offset[r] + 1; i < pattern.offset[r + 1]; ++i)
      if (pattern.col[i] <= pattern.col[i - 1])
        return Error{message("row ", r,
                             ": expected ascending columns, but got ",
                             pattern.col[i], " after ", pattern.col[i - 1])};
  return Status::success();
}

Result<SRBCRSMatrix> packPattern(const CsrMatrix &pattern, ElementType type,
                                 const SRBCRSEncoding &encoding,
                                 const ValueSource &source) {
  if (Status s = encoding.verify(); !s)
    return s.error();
  if (Status s = pattern.validate(); !s)
    return s.error();
  if (Status s = checkAscending(pattern); !s)
    return s.error();
  // Whoever made the pattern has paid for its rows.
  if (Status s = checkPointerGroups(pattern.rows, pattern.cols, encoding,
                                    pattern.rows + pattern.entries());
      !s)
    return s.error();
  if (!type.isPattern() && !source)
    return Error{"expected a source of values for the vectors of a pattern"};
  auto builder =
      MatrixBuilder::create(pattern.rows * encoding.vector, pattern.cols, type,
                            encoding, pattern.entries());
  if (!builder)
    return builder.error();

  for (int64_t r = 0; r < pattern.rows; ++r) {
    int64_t begin = pattern.offset[r];
    int64_t count = pattern.offset[r + 1] - begin;
    const int32_t *columns = pattern.col.data() + begin;
    if (Status s = builder->appendRow(columns, count); !s)
      return s.error();
    if (type.isPattern())
      continue;
    for (int64_t i = 0; i < count; ++i)
      for (int64_t v = 0; v < encoding.vector; ++v) {
        int64_t value = source(begin + i, v);
        if (!type.fits(value))
          return misfit(r * encoding.vector + v, columns[i], value, type);
        builder->set(i, v, value);
      }
  }
  return builder->take();
}

} // namespace mlir::magicube
