//===- Packer.cpp - COO, CSR and patterns to SR-BCRS ----------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalar sources are brought to lists of (column, component, value) per
// vector-row; a column set orders and groups each list into vectors.
//
//===----------------------------------------------------------------------===//

#include "magicube/Format/Packer.h"

#include "ColumnSet.h"
#include "MatrixBuilder.h"
#include "Message.h"

namespace mlir::magicube {

namespace {

/// A scalar of one vector-row.
struct ScalarEntry {
  int32_t column;
  int32_t component;
  int32_t value;
};

/// Groups scalar entries into vectors and appends them row by row.
class ScalarPacker {
public:
  ScalarPacker(MatrixBuilder &builder, int64_t cols)
      : builder(builder), type(builder.layout().elementType()),
        columnSet(cols) {}

  /// Appends vector-row `vectorRow`, which must be the next.
  Status append(int64_t vectorRow, const ScalarEntry *entries, int64_t count);

private:
  Status set(int64_t vectorRow, const ScalarEntry &entry);

  MatrixBuilder &builder;
  ElementType type;
  ColumnSet columnSet;
  std::vector<int32_t> columns;
  /// Bit v of present[i]: component v of columns[i] has an entry.
  std::vector<uint16_t> present;
  static_assert(kVectorLengths.back() <= 16, "one bit per component");
};

} // namespace

/// The error for a value that the element type cannot hold.
static Error misfit(int64_t row, int64_t column, int64_t value,
                    ElementType type) {
  return Error{message("row ", row, ", column ", column, ": value ", value,
                       " does not fit ", type.describe()),
               "rows and columns are counted from 0 here"};
}

Status ScalarPacker::set(int64_t vectorRow, const ScalarEntry &entry) {
  int64_t row =
      vectorRow * builder.layout().encoding().vector + entry.component;
  int64_t i = columnSet.rank(entry.column);
  uint16_t bit = static_cast<uint16_t>(1u << entry.component);
  if (present[i] & bit)
    return Error{
        message("row ", row, ", column ", entry.column, ": duplicate entry")};
  present[i] |= bit;
  if (type.isPattern())
    return Status::success();
  if (!type.fits(entry.value))
    return misfit(row, entry.column, entry.value, type);
  builder.set(i, entry.component, entry.value);
  return Status::success();
}

Status ScalarPacker::append(int64_t vectorRow, const ScalarEntry *entries,
                            int64_t count) {
  columns.clear();
  if (count == 0)
    return builder.appendRow(columns.data(), 0);
  for (int64_t i = 0; i < count; ++i)
    columnSet.insert(entries[i].column);
  columnSet.list(columns);
  if (Status s = builder.appendRow(columns.data(), columns.size()); !s)
    return s;
  present.assign(columns.size(), 0);
  for (int64_t i = 0; i < count; ++i)
    if (Status s = set(vectorRow, entries[i]); !s)
      return s;
  columnSet.clear(columns);
  return Status::success();
}

Result<SRBCRSMatrix> packCoo(const CooMatrix &matrix, ElementType type,
                             const SRBCRSEncoding &encoding) {
  if (Status s = matrix.validate(); !s)
    return s.error();
  auto builder = MatrixBuilder::create(matrix.rows, matrix.cols, type, encoding,
                                       matrix.entries() / encoding.vector);
  if (!builder)
    return builder.error();

  // Counting sort by vector-row: start[r] moves from the begin of row r's
  // entries to their end, which is the begin of row r + 1's.
  int64_t vectorRows = matrix.rows / encoding.vector;
  std::vector<int64_t> start(vectorRows + 1, 0);
  for (int32_t row : matrix.row)
    ++start[row / encoding.vector + 1];
  for (int64_t r = 0; r < vectorRows; ++r)
    start[r + 1] += start[r];
  std::vector<ScalarEntry> entries(matrix.row.size());
  for (int64_t i = 0; i < matrix.entries(); ++i) {
    int64_t r = matrix.row[i] / encoding.vector;
    int32_t component = static_cast<int32_t>(matrix.row[i] % encoding.vector);
    entries[start[r]++] = {matrix.col[i], component, matrix.value[i]};
  }

  ScalarPacker packer(*builder, matrix.cols);
  int64_t begin = 0;
  for (int64_t r = 0; r < vectorRows; ++r) {
    int64_t end = start[r];
    if (Status s = packer.append(r, entries.data() + begin, end - begin); !s)
      return s.error();
    begin = end;
  }
  return builder->take();
}

Result<SRBCRSMatrix> packCsr(const CsrMatrix &matrix, ElementType type,
                             const SRBCRSEncoding &encoding) {
  if (Status s = matrix.validate(); !s)
    return s.error();
  auto builder = MatrixBuilder::create(matrix.rows, matrix.cols, type, encoding,
                                       matrix.entries() / encoding.vector);
  if (!builder)
    return builder.error();

  ScalarPacker packer(*builder, matrix.cols);
  std::vector<ScalarEntry> entries;
  for (int64_t r = 0; r < matrix.rows / encoding.vector; ++r) {
    entries.clear();
    for (int32_t v = 0; v < encoding.vector; ++v) {
      int64_t row = r * encoding.vector + v;
      for (int64_t i = matrix.offset[row]; i < matrix.offset[row + 1]; ++i)
        entries.push_back({matrix.col[i], v, matrix.valueAt(i)});
    }
    if (Status s = packer.append(r, entries.data(), entries.size()); !s)
      return s.error();
  }
  return builder->take();
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
