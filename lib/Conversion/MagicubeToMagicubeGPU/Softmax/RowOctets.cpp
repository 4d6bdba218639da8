//===- RowOctets.cpp - A thread's entries of a vector-row -----------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads have no branches: threads without an octet load one again that they
// have had, and nothing of it counts.
//
//===----------------------------------------------------------------------===//

#include "RowOctets.h"

#include "../WorkPartition/StoredPointers.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::magicube;

/// Bytes of the widest load and store.
static constexpr int64_t kAccessBytes = 16;
static constexpr int64_t kByteBits = 8;

RowOctets RowOctets::get(Arithmetic e, const SoftmaxKernelSpec &spec,
                         Value pointers, Value indices, Value vectorRow) {
  int64_t stride = spec.encoding.getStride(), vector = spec.vector();
  RowOctets row(spec, indices);
  Value lane = e.laneId();
  row.component = e.shiftRight(lane, llvm::Log2_64(spec.warpLanes()));
  row.octet = e.add(e.mul(e.warpId(), spec.warpLanes()),
                    e.bitAnd(lane, spec.warpLanes() - 1));

  StoredPointers stored{pointers, spec.slabs, stride};
  StoredRange range = stored.loadRange(e, vectorRow);
  row.start = range.start;
  row.end = range.end;
  Value positions = e.sub(stored.pad(e, range.end), range.start);
  row.octets = e.shiftRight(positions, llvm::Log2_64(kOctet));
  row.groups = e.shiftRight(e.add(row.octets, spec.rowThreads() - 1),
                            llvm::Log2_64(spec.rowThreads()));

  // A group starts with a stride. 0 - 1 is larger than any octet.
  Value octet = e.min(row.octet, e.add(row.octets, -1));
  int64_t strideOctets = stride / kOctet;
  Value strides = e.shiftRight(octet, llvm::Log2_64(strideOctets));
  Value inStride = e.mul(e.bitAnd(octet, strideOctets - 1), kOctet);
  Value inside = e.add(e.mul(strides, stride * vector),
                       e.add(e.mul(row.component, stride), inStride));
  row.firstElement =
      e.add(e.wideProduct(row.start, e.constant(vector)), e.extend(inside));
  row.firstPosition = e.add(row.start, e.mul(octet, kOctet));
  return row;
}

Value RowOctets::isInside(Arithmetic e, Value group) const {
  return e.isBelow(e.add(octet, e.mul(group, spec.rowThreads())), octets);
}

Value RowOctets::select(Arithmetic e, Value group, int64_t groupSize) const {
  Value distance = e.wideProduct(group, e.constant(groupSize));
  return e.select(isInside(e, group), distance, e.extend(e.constant(0)));
}

Value RowOctets::getElement(Arithmetic e, Value group) const {
  return e.add(firstElement, select(e, group, spec.threads() * kOctet));
}

SmallVector<Value> RowOctets::getValid(Arithmetic e, Value group) const {
  SmallVector<Value> valid;
  if (!indices) {
    // Positions from the octet's first to the end; negative behind it.
    Value first = e.mul(e.add(octet, e.mul(group, spec.rowThreads())), kOctet);
    Value rest = e.sub(e.sub(end, start), first);
    for (int64_t i = 0; i < kOctet; ++i)
      valid.push_back(
          e.compare(arith::CmpIPredicate::sgt, rest, e.constant(i)));
    return valid;
  }
  // Every segment ends with padding of its own, which the index tells.
  bool isNarrow = spec.encoding.getIndex() == IndexWidth::U16;
  Type type = isNarrow ? e.b.getI16Type() : e.b.getI32Type();
  Value element = e.add(e.extend(firstPosition),
                        select(e, group, spec.rowThreads() * kOctet));
  Value padding = arith::ConstantIntOp::create(e.b, e.loc, type, /*value=*/-1);
  Value inside = isInside(e, group);
  for (Value index : loadOctet(e, indices, type, element))
    valid.push_back(e.both(inside, e.isDifferent(index, padding)));
  return valid;
}

/// The address of an element of `bits` bits.
static Value getAddress(Arithmetic e, Value base, int64_t bits, Value element) {
  Type type = e.b.getI64Type();
  Value bytes =
      bits < kByteBits
          ? arith::ShRUIOp::create(
                e.b, e.loc, element,
                arith::ConstantIntOp::create(e.b, e.loc, type,
                                             llvm::Log2_64(kByteBits / bits)))
                .getResult()
          : e.mul(element, arith::ConstantIntOp::create(e.b, e.loc, type,
                                                        bits / kByteBits));
  return e.offset(base, bytes);
}

SmallVector<Value> mlir::magicube::loadOctet(Arithmetic e, Value base,
                                             Type type, Value element) {
  int64_t bits = type.getIntOrFloatBitWidth();
  int64_t accessBytes = std::min(kAccessBytes, kOctet * bits / kByteBits);
  int64_t count = accessBytes * kByteBits / bits;
  auto vector = VectorType::get(count, type);
  Value address = getAddress(e, base, bits, element);
  SmallVector<Value> values;
  for (int64_t i = 0; i < kOctet; i += count) {
    Value loaded = LLVM::LoadOp::create(
        e.b, e.loc, vector, e.offset(address, e.constant(i * bits / kByteBits)),
        accessBytes);
    for (int64_t j = 0; j < count; ++j)
      values.push_back(
          LLVM::ExtractElementOp::create(e.b, e.loc, loaded, e.constant(j)));
  }
  return values;
}

void mlir::magicube::storeOctet(Arithmetic e, Value base, int64_t bits,
                                Value element, ArrayRef<Value> words) {
  constexpr int64_t wordBytes = sizeof(int32_t);
  int64_t count = std::min<int64_t>(words.size(), kAccessBytes / wordBytes);
  Value address = getAddress(e, base, bits, element);
  for (size_t i = 0; i < words.size(); i += count) {
    Value stored = words[i];
    if (count > 1) {
      stored = LLVM::PoisonOp::create(e.b, e.loc,
                                      VectorType::get(count, e.b.getI32Type()));
      for (int64_t j = 0; j < count; ++j)
        stored = LLVM::InsertElementOp::create(e.b, e.loc, stored, words[i + j],
                                               e.constant(j));
    }
    LLVM::StoreOp::create(e.b, e.loc, stored,
                          e.offset(address, e.constant(i * wordBytes)),
                          count * wordBytes);
  }
}
