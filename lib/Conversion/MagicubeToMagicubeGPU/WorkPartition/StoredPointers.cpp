//===- StoredPointers.cpp - Pointers of stored vector-rows ----------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads of single pointers and of pairs.
//
//===----------------------------------------------------------------------===//

#include "StoredPointers.h"

#include "magicube/Layout/StepLayout.h"
#include "magicube/Layout/WorkTables.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::magicube;

/// The pointer that lies `offset` bytes behind a vector-row's first.
static Value loadPointer(Arithmetic e, const StoredPointers &stored, Value row,
                         int64_t offset) {
  Value address = e.offset(
      stored.pointers,
      e.wideProduct(row, e.constant(stored.segments * kPointerPairBytes)));
  return LLVM::LoadOp::create(e.b, e.loc, e.b.getI32Type(),
                              e.offset(address, e.constant(offset)),
                              sizeof(int32_t));
}

Value StoredPointers::loadStart(Arithmetic e, Value row) const {
  return loadPointer(e, *this, row, 0);
}

Value StoredPointers::loadEnd(Arithmetic e, Value row) const {
  Value end = loadPointer(e, *this, row,
                          segments * kPointerPairBytes - sizeof(int32_t));
  return pad(e, end);
}

/// Start and end of pair `pair`, by one load.
static StoredRange loadPair(Arithmetic e, const StoredPointers &stored,
                            Value pair) {
  auto type = VectorType::get(2, e.b.getI32Type());
  Value offset = e.extend(pair);
  Value address =
      LLVM::GEPOp::create(e.b, e.loc, stored.pointers.getType(), type,
                          stored.pointers, ValueRange{offset});
  Value range =
      LLVM::LoadOp::create(e.b, e.loc, type, address, kPointerPairBytes);
  auto extract = [&](int64_t i) -> Value {
    return LLVM::ExtractElementOp::create(e.b, e.loc, range, e.constant(i));
  };
  return {extract(0), extract(1)};
}

StoredRange StoredPointers::loadRange(Arithmetic e, Value row) const {
  if (segments == 1)
    return loadPair(e, *this, row);
  Value first = e.mul(row, segments);
  Value last = e.add(first, segments - 1);
  return {loadPair(e, *this, first).start, loadPair(e, *this, last).end};
}

Value StoredPointers::getPairAddress(Arithmetic e, Value pair) const {
  return e.offset(pointers, e.wideProduct(pair, e.constant(kPointerPairBytes)));
}

Value StoredPointers::toSteps(Arithmetic e, Value positions) {
  return e.shiftRight(positions, llvm::Log2_64(kStepPositions));
}
