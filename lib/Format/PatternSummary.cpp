//===- PatternSummary.cpp - Numbers of a pattern and its storage ----------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the rows' lengths alone.
//
//===----------------------------------------------------------------------===//

#include "Message.h"

#include "magicube/Format/Pattern.h"
#include "magicube/Format/StorageLayout.h"

#include <algorithm>

namespace mlir::magicube {

/// Width of a component of `layout` in bytes.
static int64_t componentBytes(const StorageLayout &layout, ComponentKind kind) {
  for (const StorageComponent &component : layout.components())
    if (component.kind == kind)
      return component.bits / 8;
  return 0;
}

double PatternSummary::density() const {
  double possible = static_cast<double>(vectorRows) * static_cast<double>(cols);
  return possible > 0 ? static_cast<double>(counts.vectors) / possible : 0;
}

Result<PatternSummary> summarizePattern(const CsrMatrix &vectors,
                                        const SRBCRSEncoding &encoding) {
  if (encoding.slab != 0 || encoding.order != VectorOrder::Natural)
    return Error{"expected an encoding in natural order without slabs"};
  PatternSummary summary;
  summary.rows = vectors.rows * encoding.vector;
  summary.cols = vectors.cols;
  Result<StorageLayout> layout = StorageLayout::get(
      encoding, {summary.rows, summary.cols}, ElementType::pattern());
  if (!layout)
    return layout.error();
  summary.vectorRows = vectors.rows;
  summary.counts.vectors = vectors.entries();
  for (int64_t row = 0; row < vectors.rows; ++row) {
    int64_t length = vectors.offset[row + 1] - vectors.offset[row];
    summary.stored += encoding.paddedCount(length);
    summary.counts.longest = std::max(summary.counts.longest, length);
    if (length == 0)
      ++summary.emptyVectorRows;
    else if (summary.shortest == 0 || length < summary.shortest)
      summary.shortest = length;
  }
  if (summary.stored > kMaxExtent)
    return Error{message("expected at most ", kMaxExtent,
                         " stored vectors (pointers are int32), but got ",
                         summary.stored),
                 "choose a longer vector or a sparser pattern"};
  summary.pointerBytes =
      2 * summary.vectorRows * componentBytes(*layout, ComponentKind::Pointers);
  summary.indexBytes =
      summary.stored * componentBytes(*layout, ComponentKind::Indices);
  return summary;
}

} // namespace mlir::magicube
