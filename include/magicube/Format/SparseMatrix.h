//===- SparseMatrix.h - Plain sparse matrices: COO and CSR ----------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What readers yield and the packer takes: scalar or vector-granular entries in
// coordinate or compressed-row form, without any storage format of a kernel.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_FORMAT_SPARSEMATRIX_H
#define MAGICUBE_FORMAT_SPARSEMATRIX_H

#include "magicube/Support/Result.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace mlir::magicube {

/// Coordinate form; entries in any order.
struct CooMatrix {
  int64_t rows = 0;
  int64_t cols = 0;
  std::vector<int32_t> row;
  std::vector<int32_t> col;
  std::vector<int32_t> value;

  int64_t entries() const { return static_cast<int64_t>(row.size()); }
  void append(int32_t r, int32_t c, int32_t v) {
    row.push_back(r);
    col.push_back(c);
    value.push_back(v);
  }

  /// Checks array lengths and that every entry lies inside rows x cols.
  Status validate() const;
  /// The first entry (by ordinal) whose position an earlier entry has. Linear
  /// time. The matrix must be valid.
  std::optional<int64_t> findDuplicate() const;
};

/// Compressed rows. With vector granularity an entry stands for a V x 1
/// vector and the real matrix has rows * V rows.
struct CsrMatrix {
  int64_t rows = 0;
  int64_t cols = 0;
  /// rows + 1 offsets into `col`.
  std::vector<int64_t> offset;
  std::vector<int32_t> col;
  /// One per entry, or empty for a pattern (every entry counts as 1).
  std::vector<int32_t> value;

  int64_t entries() const { return static_cast<int64_t>(col.size()); }
  int32_t valueAt(int64_t entry) const {
    return value.empty() ? 1 : value[entry];
  }

  /// Checks array lengths, offsets and that columns lie in [0, cols).
  Status validate() const;
};

} // namespace mlir::magicube

#endif // MAGICUBE_FORMAT_SPARSEMATRIX_H
