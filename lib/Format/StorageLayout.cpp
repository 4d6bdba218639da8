//===- StorageLayout.cpp - Components of a sparse operand -----------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derives the component list from encoding, logical shape and element type.
//
//===----------------------------------------------------------------------===//

#include "magicube/Format/StorageLayout.h"

#include "Message.h"

namespace mlir::magicube {

/// Bits of a pointer: positions count vectors, below 2^31.
static constexpr int kPointerBits = 32;
/// Bits of a run-time dimension at the ABI (`index` on a 64-bit host).
static constexpr int kDimensionBits = 64;
/// A pointer entry is a pair: start, end.
static constexpr int64_t kPointersPerGroup = 2;

static int64_t multiply(int64_t a, int64_t b) {
  return a == kDynamic || b == kDynamic ? kDynamic : a * b;
}

/// Every extent is dynamic or at least 1; M is a multiple of V.
static Status verifyShape(const SRBCRSEncoding &encoding,
                          const std::vector<int64_t> &shape) {
  size_t rank = shape.size();
  if (rank < 2)
    return Error{
        message("expected a sparse shape of rank 2 or more, but got ", rank)};
  for (size_t i = 0; i < rank; ++i)
    if (shape[i] != kDynamic && (shape[i] < 1 || shape[i] > kMaxExtent))
      return Error{message("expected dimension ", i,
                           " to be dynamic or in [1, ", kMaxExtent,
                           "], but got ", shape[i])};
  int64_t m = shape[rank - 2];
  if (m != kDynamic && m % encoding.vector != 0)
    return Error{message("expected dimension ", rank - 2,
                         " to be a multiple of the vector length ",
                         encoding.vector, ", but got ", m),
                 "pad the rows with zeros or choose a vector length that "
                 "divides them"};
  if (shape.back() != kDynamic)
    return encoding.verifyCols(shape.back());
  return Status::success();
}

Result<StorageLayout> StorageLayout::get(const SRBCRSEncoding &encoding,
                                         std::vector<int64_t> shape,
                                         ElementType type) {
  if (Status s = encoding.verify(); !s)
    return s.error();
  if (auto legal = ElementType::get(type.bits, type.isSigned); !legal)
    return legal.error();
  if (Status s = verifyShape(encoding, shape); !s)
    return s.error();
  if (type.isPattern() && encoding.order == VectorOrder::BankAware)
    return Error{"expected natural order for a pattern, but got bank_aware",
                 "padding of a bank-aware order is told apart by its zero "
                 "values, which a pattern does not have"};

  StorageLayout layout;
  layout.params = encoding;
  layout.type = type;
  size_t rank = shape.size();
  int64_t m = shape[rank - 2];
  layout.rows = m == kDynamic ? kDynamic : m / encoding.vector;
  for (size_t i = 0; i + 2 < rank; ++i) {
    layout.rows = multiply(layout.rows, shape[i]);
    if (layout.rows != kDynamic && layout.rows > kMaxExtent)
      return Error{message("expected at most ", kMaxExtent,
                           " vector-rows over all batches, but got ",
                           layout.rows)};
  }
  if (encoding.slab)
    layout.slabsPerRow =
        shape.back() == kDynamic ? kDynamic : encoding.slabCount(shape.back());
  layout.logicalShape = std::move(shape);
  layout.deriveComponents();
  return layout;
}

void StorageLayout::deriveComponents() {
  std::vector<int64_t> pointerShape = {rows};
  if (params.slab)
    pointerShape.push_back(slabsPerRow);
  pointerShape.push_back(kPointersPerGroup);
  parts.push_back({ComponentKind::Pointers, "pointers", kPointerBits,
                   std::move(pointerShape)});
  parts.push_back({ComponentKind::Indices,
                   "indices",
                   params.index == IndexWidth::I32 ? 32 : 16,
                   {kDynamic}});
  if (!type.isPattern())
    parts.push_back(
        {ComponentKind::Values, "values", type.containerBits(), {kDynamic}});
  for (size_t i = 0; i < logicalShape.size(); ++i)
    if (logicalShape[i] == kDynamic)
      parts.push_back({ComponentKind::Dimension,
                       message("dim", i),
                       kDimensionBits,
                       {},
                       static_cast<int64_t>(i)});
}

} // namespace mlir::magicube
