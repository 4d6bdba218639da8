//===- Validate.cpp - The rules that a stored matrix obeys ----------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks sizes first, then group by group, so that no check reads out of
// bounds.
//
//===----------------------------------------------------------------------===//

#include "Message.h"

#include "magicube/Format/SRBCRSMatrix.h"

namespace mlir::magicube {

namespace {

class Validator {
public:
  Validator(const SRBCRSMatrix &matrix, StorageLayout layout)
      : matrix(matrix), layout(std::move(layout)) {}

  Status run();

private:
  bool isNatural() const {
    return matrix.encoding.order == VectorOrder::Natural;
  }
  Status checkSizes() const;
  Status checkGroup(int64_t row, int64_t slab, int64_t expectedStart);
  Status checkVector(const std::string &where, int64_t slab, int64_t p);
  Status checkPadding(const std::string &where, int64_t p) const;
  Status checkTotals() const;
  bool hasValue(int64_t p) const;

  const SRBCRSMatrix &matrix;
  StorageLayout layout;
  /// One bit per column: seen in the current group.
  std::vector<bool> seen;
  /// Unpadded vectors (natural) or vectors with a value (bank-aware) so far.
  int64_t counted = 0;
};

} // namespace

Status Validator::checkSizes() const {
  int64_t groups = matrix.vectorRows() * matrix.slabs();
  if (static_cast<int64_t>(matrix.pointers.size()) != 2 * groups)
    return Error{message("expected ", 2 * groups, " pointers for ",
                         matrix.vectorRows(), " vector-rows of ",
                         matrix.slabs(), " slabs, but got ",
                         matrix.pointers.size())};
  if (matrix.indices.indexWidth() != matrix.encoding.index)
    return Error{message("expected ", spelling(matrix.encoding.index),
                         " indices, but got ",
                         spelling(matrix.indices.indexWidth()))};
  int64_t bytes = layout.valueBytes(matrix.stored());
  if (static_cast<int64_t>(matrix.values.size()) != bytes)
    return Error{message("expected ", bytes, " bytes of values for ",
                         matrix.stored(), " stored vectors, but got ",
                         matrix.values.size())};
  return Status::success();
}

bool Validator::hasValue(int64_t p) const {
  for (int64_t v = 0; v < matrix.encoding.vector; ++v)
    if (matrix.type.load(matrix.values.data(), layout.valueOffset(p, v)) != 0)
      return true;
  return false;
}

/// A position that holds a vector (in bank-aware order perhaps padding).
Status Validator::checkVector(const std::string &where, int64_t slab,
                              int64_t p) {
  int64_t low = slab * matrix.encoding.slab;
  int64_t high =
      matrix.encoding.slab ? low + matrix.encoding.slab : matrix.cols;
  high = high < matrix.cols ? high : matrix.cols;
  int32_t column = matrix.indices[p];
  if (column < low || column >= high)
    return Error{message(where, ": expected a column in [", low, ", ", high,
                         ") at position ", p, ", but got ", column)};
  if (!isNatural() && !hasValue(p))
    return Status::success();
  ++counted;
  if (seen[column])
    return Error{message(where, ": expected distinct columns, but position ", p,
                         " repeats column ", column)};
  seen[column] = true;
  return Status::success();
}

Status Validator::checkPadding(const std::string &where, int64_t p) const {
  if (matrix.indices[p] != kPaddingIndex)
    return Error{message(where, ": expected the padding index at position ", p,
                         ", but got ", matrix.indices[p])};
  if (!matrix.type.isPattern() && hasValue(p))
    return Error{
        message(where, ": expected zero values at padding position ", p)};
  return Status::success();
}

Status Validator::checkGroup(int64_t row, int64_t slab, int64_t expectedStart) {
  std::string where = message("vector-row ", row);
  if (matrix.encoding.slab)
    where += message(", slab ", slab);
  const int32_t *pair = &matrix.pointers[2 * (row * matrix.slabs() + slab)];
  int64_t start = pair[0], end = pair[1];
  if (start != expectedStart)
    return Error{message(where, ": expected start ", expectedStart,
                         " (the end before, rounded up to the stride ",
                         matrix.encoding.stride, "), but got ", start)};
  if (end < start || end > matrix.stored())
    return Error{message(where, ": expected an end in [", start, ", ",
                         matrix.stored(), "], but got ", end)};
  int64_t alignedEnd = start + matrix.encoding.paddedCount(end - start);
  if (alignedEnd > matrix.stored())
    return Error{message(where, ": expected stored vectors up to ", alignedEnd,
                         " (end ", end, " rounded up to the stride ",
                         matrix.encoding.stride, "), but got ",
                         matrix.stored())};
  if (!isNatural() && alignedEnd != end)
    return Error{message(where,
                         ": expected an end that is a multiple of the "
                         "stride ",
                         matrix.encoding.stride,
                         " in bank_aware order, but "
                         "got ",
                         end)};
  for (int64_t p = start; p < end; ++p)
    if (Status s = checkVector(where, slab, p); !s)
      return s;
  for (int64_t p = end; p < alignedEnd; ++p)
    if (Status s = checkPadding(where, p); !s)
      return s;
  for (int64_t p = start; p < end; ++p)
    seen[matrix.indices[p]] = false;
  return Status::success();
}

Status Validator::checkTotals() const {
  if (isNatural() && counted != matrix.vectors)
    return Error{message("expected ", counted,
                         " vectors in the header as in the pointers, but got ",
                         matrix.vectors)};
  if (matrix.vectors < counted || matrix.vectors > matrix.stored())
    return Error{message("expected the header's vectors in [", counted, ", ",
                         matrix.stored(), "], but got ", matrix.vectors)};
  // Other containers are exactly as wide as their type.
  if (matrix.type.bits != 12)
    return Status::success();
  for (int64_t i = 0; i < matrix.stored() * matrix.encoding.vector; ++i)
    if (int64_t value = matrix.type.load(matrix.values.data(), i);
        !matrix.type.fits(value))
      return Error{message("value ", value, " at offset ", i, " does not fit ",
                           matrix.type.describe())};
  return Status::success();
}

Status Validator::run() {
  if (Status s = checkSizes(); !s)
    return s;
  seen.resize(matrix.cols);
  int64_t slabs = matrix.slabs();
  int64_t start = 0;
  for (int64_t row = 0; row < matrix.vectorRows(); ++row)
    for (int64_t slab = 0; slab < slabs; ++slab) {
      if (Status s = checkGroup(row, slab, start); !s)
        return s;
      const int32_t *pair = &matrix.pointers[2 * (row * slabs + slab)];
      start += matrix.encoding.paddedCount(pair[1] - pair[0]);
    }
  if (start != matrix.stored())
    return Error{message("expected ", start,
                         " stored vectors as the pointers say, but got ",
                         matrix.stored())};
  return checkTotals();
}

Status SRBCRSMatrix::validate() const {
  auto storage = layout();
  if (!storage)
    return storage.error();
  return Validator(*this, std::move(*storage)).run();
}

} // namespace mlir::magicube
