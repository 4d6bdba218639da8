//===- Packer.h - Conversions to and from SR-BCRS -------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linear time in entries + vector-rows * slabs (dense: + elements), and memory
// linear in the same: entries are sorted by digits, not by comparing.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_FORMAT_PACKER_H
#define MAGICUBE_FORMAT_PACKER_H

#include "magicube/Format/DenseMatrix.h"
#include "magicube/Format/SRBCRSMatrix.h"
#include "magicube/Format/SparseMatrix.h"

#include <functional>

namespace mlir::magicube {

/// Most (vector-row, slab) groups of one matrix: a pointer table of 2 GiB. A
/// `.mtx` header can promise any number of rows in a few bytes, so a matrix of
/// few entries has fewer: 2^20 (8 MiB), or 16 for each entry.
inline constexpr int64_t kMaxPointerGroups = int64_t(1) << 28;
inline constexpr int64_t kFreePointerGroups = int64_t(1) << 20;
inline constexpr int64_t kGroupsPerEntry = 16;

/// Fails for a matrix whose pointers would take far more memory than its
/// entries. The packers ask before they allocate.
Status checkPointerGroups(int64_t vectorRows, int64_t cols,
                          const SRBCRSEncoding &encoding, int64_t entries);

/// Value of component `v` of the vector that is entry number `vector` of a
/// pattern.
using ValueSource = std::function<int64_t(int64_t vector, int64_t v)>;

/// All packers store a V x 1 vector iff one of its V rows has an entry (dense:
/// a nonzero), and fail, naming position, limit and value, for an illegal
/// encoding, M that is no multiple of V, K beyond the index type, and a value
/// outside `type`. With a pattern type values are dropped unread.
///
/// The element type is that of the view.
Result<SRBCRSMatrix> packDense(const DenseView &dense,
                               const SRBCRSEncoding &encoding);
/// Scalar entries in any order; a position that occurs twice is an error. An
/// entry with value zero is an entry.
Result<SRBCRSMatrix> packCoo(const CooMatrix &matrix, ElementType type,
                             const SRBCRSEncoding &encoding);
/// Scalar entries; columns of a row in any order, a repeated one is an error.
Result<SRBCRSMatrix> packCsr(const CsrMatrix &matrix, ElementType type,
                             const SRBCRSEncoding &encoding);
/// Vector-granular: entry (r, c) of an r x c pattern stands for rows r * V to
/// r * V + V - 1 of column c, with values from `source` (unused and may be
/// empty for a pattern type). Columns of a row must ascend.
Result<SRBCRSMatrix> packPattern(const CsrMatrix &pattern, ElementType type,
                                 const SRBCRSEncoding &encoding,
                                 const ValueSource &source);

/// Any valid matrix, else the error of validate(). A pattern gives ones of type
/// u8, everything else keeps its type.
Result<DenseMatrix> unpackToDense(const SRBCRSMatrix &matrix);
/// Nonzero scalars (a pattern: ones at all V rows of each vector), by row and
/// then in stored order, which ascends unless the storage was reordered.
Result<CooMatrix> unpackToCoo(const SRBCRSMatrix &matrix);

/// Permutes the vectors of each (vector-row, slab) group, leaving padding of
/// natural order where it is. Kernels must give the same result for any order.
Status shuffleVectors(SRBCRSMatrix &matrix, uint64_t seed);

} // namespace mlir::magicube

#endif // MAGICUBE_FORMAT_PACKER_H
