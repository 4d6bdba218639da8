//===- Pattern.h - Sparsity patterns from masks and by name ---------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is kept is said of elements, as in a mask of rows x columns (queries x
// keys, for attention); the result says which V x 1 vectors are stored.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_FORMAT_PATTERN_H
#define MAGICUBE_FORMAT_PATTERN_H

#include "magicube/Format/Encoding.h"
#include "magicube/Format/Npy.h"
#include "magicube/Format/PatternStatistics.h"
#include "magicube/Format/SparseMatrix.h"

#include <string>
#include <variant>
#include <vector>

namespace mlir::magicube {

/// A mask: entry (r, c) of `entries` keeps the elements of a block, of which
/// there are `blockRows` x `blockCols`; the last ones may be cut off.
struct MaskPart {
  CsrMatrix entries;
  int64_t blockRows = 1;
  int64_t blockCols = 1;
  /// For messages.
  std::string name = "mask";

  /// Extents in elements if no block is cut off.
  int64_t rows() const { return entries.rows * blockRows; }
  int64_t cols() const { return entries.cols * blockCols; }
};

/// The columns from `left` before to `right` behind the row's diagonal.
struct WindowPart {
  int64_t left = 0;
  int64_t right = 0;
};
/// The first `rows` rows and the first `cols` columns.
struct GlobalPart {
  int64_t rows = 0;
  int64_t cols = 0;
};
/// The columns whose distance from the row's diagonal is a multiple of `step`.
struct StridedPart {
  int64_t step = 1;
};
/// In all rows alike, the last column of each `step` columns.
struct FixedPart {
  int64_t step = 1;
};
/// In each vector-row, round(density * n) of the n columns that may be kept in
/// any of its rows: whole vectors, uniformly chosen.
struct RandomPart {
  double density = 0;
  uint64_t seed = 0;
};
/// Everything.
struct DensePart {};

using PatternPart = std::variant<MaskPart, WindowPart, GlobalPart, StridedPart,
                                 FixedPart, RandomPart, DensePart>;

/// When a vector is stored: if any of its V elements is kept (the elements
/// beside them come along), or only if all are (elements that have neighbours
/// which are not kept are lost). Rows that are padding do not count.
enum class VectorRule { Any, All };

struct PatternSpec {
  int64_t rows = 0;
  int64_t cols = 0;
  /// V.
  int64_t vector = 8;
  VectorRule rule = VectorRule::Any;
  /// An element is kept if a part keeps it.
  std::vector<PatternPart> parts;
  /// Nothing is kept behind the row's diagonal.
  bool isCausal = false;
  /// The diagonal of row r is column r + `diagonal`.
  int64_t diagonal = 0;
  /// Rows are added, without entries, up to a multiple of V; else M must be
  /// one.
  bool padRows = false;
};

struct Pattern {
  /// An entry is a V x 1 vector; columns ascend.
  CsrMatrix vectors;
  /// Elements that the parts keep.
  int64_t elements = 0;
};

/// Makes a pattern. Time and memory follow the parts' entries and the vectors
/// (masks: and what was read), up to a logarithm. Errors: extents below 1 or
/// beyond what indices hold, M that is no multiple of V, parameters out of
/// range, a mask of another shape, too many vectors.
Result<Pattern> makePattern(const PatternSpec &spec);

/// The nonzero elements of an array of integers or booleans of rank 2, each a
/// block. `name` is for messages.
Result<MaskPart> maskFromNpy(const NpyArray &array, const std::string &name,
                             int64_t blockRows = 1, int64_t blockCols = 1);
/// The mask of a file: `.npy` as above; `.mtx`, whose entries count whatever
/// their values are; `.smtx`, an entry of which is a vector of `vector`
/// elements. With blocks, an entry of any of them is a block.
Result<MaskPart> readMask(const std::string &path, int64_t vector);
Result<MaskPart> readBlockMask(const std::string &path, int64_t blockRows,
                               int64_t blockCols);

/// Numbers of a pattern and of its storage in natural order, without packing
/// it. Fails for an illegal encoding, one with slabs or in another order, and
/// for columns that the index type does not hold.
struct PatternSummary {
  /// M and K of the matrix.
  int64_t rows = 0;
  int64_t cols = 0;
  PatternStatistics counts;
  int64_t vectorRows = 0;
  int64_t emptyVectorRows = 0;
  /// Vectors of the shortest vector-row that has any.
  int64_t shortest = 0;
  /// Vectors with padding.
  int64_t stored = 0;
  int64_t pointerBytes = 0;
  int64_t indexBytes = 0;

  /// Of the vectors that there could be, the share that is stored.
  double density() const;
};
Result<PatternSummary> summarizePattern(const CsrMatrix &vectors,
                                        const SRBCRSEncoding &encoding);

} // namespace mlir::magicube

#endif // MAGICUBE_FORMAT_PATTERN_H
