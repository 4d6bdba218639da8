//===- SharedMemoryPlan.cpp - Shared memory of a kernel -------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Buffers by placement, and their sizes.
//
//===----------------------------------------------------------------------===//

#include "magicube/Layout/SharedMemoryPlan.h"

#include "magicube/Layout/WorkTables.h"

#include <algorithm>

using namespace mlir::magicube;

/// Components of a vector in a fragment of sums (PTX ISA, m16n8k32), also where
/// V is less.
static constexpr int64_t kFragmentVectors = 8;

static int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }
static int64_t alignTo(int64_t a, int64_t b) { return ceilDiv(a, b) * b; }

std::string_view mlir::magicube::spelling(SharedBufferRole role) {
  switch (role) {
  case SharedBufferRole::DenseRows:
    return "dense rows";
  case SharedBufferRole::SparseValues:
    return "sparse values";
  case SharedBufferRole::RowSums:
    return "sums of vector-rows";
  case SharedBufferRole::SegmentPointers:
    return "pointers";
  case SharedBufferRole::RangeStarts:
    return "range starts";
  }
  return "";
}

int64_t mlir::magicube::getSharedStageBytes(int64_t rows, int64_t rowBytes,
                                            SharedMemoryForm form) {
  return alignTo(rows * SharedMemoryLayout::getPitch(rowBytes, form),
                 kSharedBufferAlignment);
}

int64_t SharedBuffer::bytes() const {
  return stages * getSharedStageBytes(rows, rowBytes, form);
}

int64_t SharedMemoryNumbers::sumBytes() const {
  int64_t vectors = std::max(vector, kFragmentVectors);
  if (sharesColumns)
    vectors /= 2;
  return tileN * vectors * int64_t(sizeof(int32_t));
}

//===----------------------------------------------------------------------===//
// Placements
//===----------------------------------------------------------------------===//

/// Plain words in whole chunks.
static SharedBuffer getTable(SharedBufferRole role, int64_t bytes) {
  return {role, /*rows=*/1, alignTo(bytes, kLdmatrixRowBytes)};
}

SharedMemoryPlan
SharedMemoryPlan::getGathered(const SharedMemoryNumbers &numbers,
                              int64_t smemStages) {
  int64_t valueBytes = kStepPositions * numbers.vector * numbers.valueBits / 8;
  return {
      {{SharedBufferRole::DenseRows, kStepPositions, numbers.tileBytes(),
        smemStages, numbers.form},
       {SharedBufferRole::SparseValues, /*rows=*/1, valueBytes, smemStages}}};
}

SharedMemoryPlan
SharedMemoryPlan::getStationary(const SharedMemoryNumbers &numbers,
                                int64_t inner) {
  // After the products, partial sums take the place of the dense rows.
  int64_t sumBytes = numbers.warps * numbers.sumBytes();
  int64_t rows = std::max(inner, ceilDiv(sumBytes, numbers.tileBytes()));
  return {{{SharedBufferRole::DenseRows, rows, numbers.tileBytes(),
            /*stages=*/1, numbers.form},
           getTable(SharedBufferRole::RangeStarts,
                    (numbers.warps + 1) * kRangeStartBytes)}};
}

SharedMemoryPlan
SharedMemoryPlan::getStationaryKTiles(const SharedMemoryNumbers &numbers,
                                      int64_t inner, int64_t slab,
                                      int64_t rowsPerCta, int64_t smemStages) {
  int64_t segments = ceilDiv(inner, slab);
  int64_t mostRows = getMostCtaRows(rowsPerCta);
  return {{{SharedBufferRole::DenseRows, std::min(slab, inner),
            numbers.tileBytes(), smemStages, numbers.form},
           {SharedBufferRole::RowSums, mostRows, numbers.sumBytes()},
           getTable(SharedBufferRole::SegmentPointers,
                    mostRows * segments * kPointerPairBytes),
           getTable(SharedBufferRole::RangeStarts,
                    (numbers.warps + 1) * getSegmentStartBytes(segments))}};
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

const SharedBuffer &SharedMemoryPlan::get(SharedBufferRole role) const {
  return *std::find_if(
      buffers.begin(), buffers.end(),
      [role](const SharedBuffer &buffer) { return buffer.role == role; });
}

int64_t SharedMemoryPlan::bytes() const {
  int64_t sum = 0;
  for (const SharedBuffer &buffer : buffers)
    sum += buffer.bytes();
  return sum;
}

std::string SharedMemoryPlan::describe() const {
  std::string text;
  for (const SharedBuffer &buffer : buffers) {
    text += text.empty() ? "" : ", ";
    text += std::string(spelling(buffer.role)) + ": " +
            std::to_string(buffer.bytes()) + " bytes";
  }
  return text;
}
