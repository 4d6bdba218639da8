//===- EntryOrder.h - Entries of a matrix by key --------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Radix sort: linear in the entries, and independent of how many rows and
// columns a header promises.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_FORMAT_ENTRYORDER_H
#define MAGICUBE_LIB_FORMAT_ENTRYORDER_H

#include "magicube/Format/SparseMatrix.h"

#include <cstdint>
#include <vector>

namespace mlir::magicube {

/// A sort key and the entry it belongs to.
struct KeyedEntry {
  uint64_t key;
  int64_t entry;
};

/// The entries of a valid matrix by vector-row, of `vector` rows each, then by
/// column, then by ordinal. The key is vectorRow * cols + column; both are
/// below 2^31, so it does not overflow.
std::vector<KeyedEntry> orderEntries(const CooMatrix &matrix, int64_t vector);

} // namespace mlir::magicube

#endif // MAGICUBE_LIB_FORMAT_ENTRYORDER_H
