//===- StoredVectors.h - Walks over the vectors of a matrix ---------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_FORMAT_STOREDVECTORS_H
#define MAGICUBE_LIB_FORMAT_STOREDVECTORS_H

#include "magicube/Format/SRBCRSMatrix.h"

#include <algorithm>
#include <thread>

namespace mlir::magicube {

/// Calls visit(position) for each vector of a vector-row of a valid matrix in
/// natural order, in the order that they are stored in; not for padding.
template <typename Visitor>
void forEachVector(const SRBCRSMatrix &matrix, int64_t vectorRow,
                   Visitor visit) {
  int64_t slabs = matrix.slabs();
  for (int64_t group = vectorRow * slabs; group < (vectorRow + 1) * slabs;
       ++group)
    for (int64_t p = matrix.pointers[2 * group];
         p < matrix.pointers[2 * group + 1]; ++p)
      visit(p);
}

/// Calls visit(vectorRow) for all of them, on all cores where there is `work`
/// (operations) for more than one.
template <typename Visitor>
void forEachVectorRow(const SRBCRSMatrix &matrix, int64_t work, Visitor visit) {
  /// Operations below which threads are not worth starting.
  constexpr int64_t minWorkPerThread = 1 << 22;
  int64_t threads =
      std::clamp<int64_t>(work / minWorkPerThread, 1,
                          std::max(1u, std::thread::hardware_concurrency()));
  auto run = [&](int64_t first) {
    for (int64_t row = first; row < matrix.vectorRows(); row += threads)
      visit(row);
  };
  std::vector<std::thread> others;
  for (int64_t first = 1; first < threads; ++first)
    others.emplace_back(run, first);
  run(0);
  for (std::thread &thread : others)
    thread.join();
}

/// The same positions with values of `type`, all zero.
inline SRBCRSMatrix makeZeros(const SRBCRSMatrix &pattern, ElementType type) {
  SRBCRSMatrix zeros;
  zeros.rows = pattern.rows;
  zeros.cols = pattern.cols;
  zeros.encoding = pattern.encoding;
  zeros.type = type;
  zeros.pointers = pattern.pointers;
  zeros.indices = pattern.indices;
  zeros.values.assign(type.bytesFor(pattern.stored() * pattern.encoding.vector),
                      0);
  zeros.vectors = pattern.vectors;
  return zeros;
}

/// A valid matrix whose padding says that it is padding.
inline Status checkNatural(const SRBCRSMatrix &matrix, const char *what) {
  if (matrix.encoding.order == VectorOrder::BankAware)
    return Error{std::string("expected ") + what +
                     " in natural order, but got order = bank_aware",
                 "its padding carries columns that would count; pack it with "
                 "order = natural"};
  return matrix.validate();
}

} // namespace mlir::magicube

#endif // MAGICUBE_LIB_FORMAT_STOREDVECTORS_H
