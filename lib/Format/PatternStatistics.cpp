//===- PatternStatistics.cpp - Numbers of a sparse matrix -----------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts of packed matrices, of files and of random patterns.
//
//===----------------------------------------------------------------------===//

#include "magicube/Format/PatternStatistics.h"

#include "ArgumentText.h"
#include "EntryOrder.h"
#include "Message.h"
#include "magicube/Format/Random.h"
#include "magicube/Format/SparseFiles.h"

#include <algorithm>

namespace mlir::magicube {

PatternStatistics getPatternStatistics(const SRBCRSMatrix &matrix) {
  PatternStatistics statistics;
  statistics.vectors = matrix.vectors;
  int64_t slabs = matrix.slabs();
  for (int64_t row = 0; row < matrix.vectorRows(); ++row) {
    int64_t length = 0;
    for (int64_t i = row * slabs; i < (row + 1) * slabs; ++i)
      length += matrix.pointers[2 * i + 1] - matrix.pointers[2 * i];
    statistics.longest = std::max(statistics.longest, length);
  }
  statistics.longest =
      std::min({statistics.longest, matrix.cols, statistics.vectors});
  return statistics;
}

/// Counts distinct vectors; rows without entries cost nothing.
static Result<PatternStatistics> readElements(const std::string &path,
                                              const MatrixType &type) {
  Result<CooMatrix> matrix = readMtx(path, EntryValues::Ignored);
  if (!matrix)
    return matrix.error();
  if (Status status = checkShape(type, matrix->rows, matrix->cols); !status)
    return status.error();
  SRBCRSEncoding natural;
  natural.vector = type.encoding->vector;
  Result<StorageLayout> layout = StorageLayout::get(
      natural, {matrix->rows, matrix->cols}, ElementType::pattern());
  if (!layout)
    return layout.error();
  PatternStatistics statistics;
  std::vector<KeyedEntry> items = orderEntries(*matrix, natural.vector);
  int64_t length = 0;
  uint64_t row = 0;
  for (size_t i = 0; i < items.size(); ++i) {
    if (i > 0 && items[i].key == items[i - 1].key)
      continue;
    uint64_t ofItem = items[i].key / uint64_t(matrix->cols);
    length = ofItem == row ? length + 1 : 1;
    row = ofItem;
    ++statistics.vectors;
    statistics.longest = std::max(statistics.longest, length);
  }
  return statistics;
}

static Result<PatternStatistics> readVectors(const std::string &path,
                                             const MatrixType &type) {
  Result<CsrMatrix> pattern = readSmtx(path);
  if (!pattern)
    return pattern.error();
  if (Status status = checkShape(type, pattern->rows * type.encoding->vector,
                                 pattern->cols);
      !status)
    return status.error();
  PatternStatistics statistics;
  statistics.vectors = pattern->entries();
  for (int64_t row = 0; row < pattern->rows; ++row)
    statistics.longest = std::max(statistics.longest, pattern->offset[row + 1] -
                                                          pattern->offset[row]);
  return statistics;
}

Result<PatternStatistics> readPatternStatistics(const std::string &text,
                                                const MatrixType &type) {
  int64_t vector = type.encoding->vector;
  auto name = [&](Result<PatternStatistics> result) {
    if (!result)
      result = Error{message("pattern '", text, "': ", result.error().message),
                     result.error().note};
    return result;
  };
  if (namesText(text, ".mtx"))
    return name(readElements(text, type));
  if (namesText(text, ".smtx"))
    return name(readVectors(text, type));
  std::optional<RandomSparse> random = RandomSparse::parse(text, vector);
  if (!random)
    return name(Error{message("expected a .mtx or .smtx file or random:MxK@D "
                              "with a multiple of ",
                              vector, " for M and a density D from 0 to 1"),
                      "name the matrix that the product is for; "
                      "random:2048x2304@0.1 for example stands for any with a "
                      "tenth of its vectors"});
  if (Status status = checkShape(type, random->rows, random->cols); !status)
    return name(status.error());
  PatternStatistics statistics;
  int64_t rows = random->rows / vector;
  if (rows > 0)
    statistics.longest = randomRowLength(random->cols, random->density);
  statistics.vectors = rows * statistics.longest;
  return statistics;
}

} // namespace mlir::magicube
