//===- SharedMemoryLayout.cpp - Conflict-free tiles in shared memory ------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Choice of pitch and swizzle, and the bank model behind it.
//
//===----------------------------------------------------------------------===//

#include "magicube/Layout/SharedMemoryLayout.h"

#include <algorithm>
#include <array>

using namespace mlir::magicube;

/// Bank groups that a 16-byte chunk can fall into: 8, as many as a phase has
/// rows.
static constexpr int32_t kBankGroups =
    kSharedMemoryBanks * kSharedMemoryBankBytes / kLdmatrixRowBytes;
static_assert(kBankGroups == kLdmatrixPhaseRows,
              "a phase without conflicts reads each bank once");
static constexpr int32_t kBankGroupBits = 3;
static_assert(1 << kBankGroupBits == kBankGroups, "log2");

int64_t SharedMemoryLayout::getPitch(int64_t rowBytes, SharedMemoryForm form) {
  int64_t chunks = rowBytes / kLdmatrixRowBytes +
                   (rowBytes % kLdmatrixRowBytes != 0 ? 1 : 0);
  if (form == SharedMemoryForm::padded)
    chunks |= 1;
  return chunks * kLdmatrixRowBytes;
}

SharedMemoryLayout SharedMemoryLayout::get(int32_t rows, int32_t rowBytes,
                                           SharedMemoryForm form) {
  auto pitch = static_cast<int32_t>(getPitch(rowBytes, form));
  int32_t chunks = pitch / kLdmatrixRowBytes;
  // j of the header comment: trailing zero bits of the chunk count, at most 3.
  int32_t evenBits = 0;
  if (form == SharedMemoryForm::conflictFree)
    while (evenBits < kBankGroupBits && chunks % (2 << evenBits) == 0)
      ++evenBits;
  SharedMemoryLayout layout;
  layout.rows = rows;
  layout.pitchBytes = pitch;
  layout.swizzleMask = (1 << evenBits) - 1;
  layout.swizzleRowShift = evenBits == 0 ? 0 : kBankGroupBits - evenBits;
  return layout;
}

int32_t mlir::magicube::countWavefronts(const std::vector<int64_t> &offsets) {
  std::vector<int64_t> chunks;
  for (int64_t offset : offsets)
    chunks.push_back(offset / kLdmatrixRowBytes);
  std::sort(chunks.begin(), chunks.end());
  chunks.erase(std::unique(chunks.begin(), chunks.end()), chunks.end());
  std::array<int32_t, kBankGroups> load = {};
  for (int64_t chunk : chunks)
    ++load[chunk % kBankGroups];
  return *std::max_element(load.begin(), load.end());
}
