//===- SharedMemoryLayoutTest.cpp - Tests of the bank-conflict forms ------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Freedom of conflicts for every pitch, and what happens without it.
//
//===----------------------------------------------------------------------===//

#include "magicube/Layout/SharedMemoryLayout.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <random>
#include <set>

using namespace mlir::magicube;

namespace {

/// Wavefronts of one phase that reads `chunk` of eight rows.
int32_t phase(const SharedMemoryLayout &layout,
              const std::vector<int32_t> &rows, int32_t chunk) {
  std::vector<int64_t> offsets;
  for (int32_t row : rows)
    offsets.push_back(layout.offset(row, chunk));
  return countWavefronts(offsets);
}

std::vector<int32_t> consecutive(int32_t first, int32_t step = 1) {
  std::vector<int32_t> rows;
  for (int32_t i = 0; i < kLdmatrixPhaseRows; ++i)
    rows.push_back(first + i * step);
  return rows;
}

TEST(SharedMemoryLayout, EveryPitchIsConflictFreeOnConsecutiveRows) {
  for (int32_t bytes = 16; bytes <= 1024; bytes += 16) {
    for (auto form :
         {SharedMemoryForm::conflictFree, SharedMemoryForm::padded}) {
      SharedMemoryLayout layout = SharedMemoryLayout::get(64, bytes, form);
      for (int32_t first = 0; first < 16; ++first)
        for (int32_t chunk = 0; chunk < bytes / 16; ++chunk)
          ASSERT_EQ(phase(layout, consecutive(first), chunk), 1)
              << bytes << " bytes, row " << first << ", chunk " << chunk;
    }
  }
}

/// The bank-aware order relies on this: any rows, as long as they differ mod 8.
TEST(SharedMemoryLayout, DistinctRowsModulo8AreConflictFree) {
  std::mt19937 rng(1);
  for (int32_t bytes : {16, 32, 48, 64, 80, 96, 112, 128, 144, 256}) {
    SharedMemoryLayout layout = SharedMemoryLayout::get(4096, bytes);
    for (int round = 0; round < 100; ++round) {
      std::vector<int32_t> rows;
      for (int32_t residue = 0; residue < 8; ++residue)
        rows.push_back(int32_t(rng() % 512) * 8 + residue);
      std::shuffle(rows.begin(), rows.end(), rng);
      ASSERT_EQ(phase(layout, rows, rng() % (bytes / 16)), 1) << bytes;
    }
  }
}

/// And conversely: each row of an equal residue costs one more pass.
TEST(SharedMemoryLayout, EqualRowsModulo8Collide) {
  for (int32_t bytes : {16, 32, 48, 64, 80, 112, 128, 144})
    EXPECT_EQ(phase(SharedMemoryLayout::get(4096, bytes), consecutive(3, 8), 0),
              8)
        << bytes;
}

TEST(SharedMemoryLayout, PitchAndSwizzleOfTheUsualTiles) {
  auto expect = [](int32_t bytes, int32_t pitch, int32_t mask, int32_t shift) {
    EXPECT_EQ(SharedMemoryLayout::get(32, bytes),
              (SharedMemoryLayout{32, pitch, mask, shift}))
        << bytes;
  };
  expect(16, 16, 0, 0);
  expect(32, 32, 1, 2);
  expect(48, 48, 0, 0);
  expect(64, 64, 3, 1);
  expect(80, 80, 0, 0);
  expect(96, 96, 1, 2);
  expect(112, 112, 0, 0);
  expect(128, 128, 7, 0);
  expect(144, 144, 0, 0);
  expect(256, 256, 7, 0);
  // Rounded up to whole chunks.
  expect(1, 16, 0, 0);
  expect(17, 32, 1, 2);
  expect(0, 0, 7, 0);
}

TEST(SharedMemoryLayout, EveryChunkHasItsOwnPlace) {
  for (int32_t bytes : {16, 32, 48, 64, 80, 96, 128, 192, 256}) {
    for (auto form : {SharedMemoryForm::conflictFree, SharedMemoryForm::padded,
                      SharedMemoryForm::plain}) {
      SharedMemoryLayout layout = SharedMemoryLayout::get(40, bytes, form);
      std::set<int64_t> offsets;
      for (int32_t row = 0; row < 40; ++row) {
        for (int32_t chunk = 0; chunk < bytes / 16; ++chunk) {
          int64_t offset = layout.offset(row, chunk);
          EXPECT_GE(offset, int64_t(row) * layout.pitchBytes);
          EXPECT_LE(offset + 16, int64_t(row + 1) * layout.pitchBytes);
          EXPECT_EQ(offset % 16, 0);
          EXPECT_TRUE(offsets.insert(offset).second);
          int32_t place = layout.swizzledChunk(row, chunk);
          EXPECT_EQ(layout.swizzledChunk(row, place), chunk);
        }
      }
    }
  }
}

TEST(SharedMemoryLayout, ConflictFreeCostsNoSpaceAndPlainCostsTime) {
  for (int32_t bytes : {32, 64, 128}) {
    SharedMemoryLayout plain =
        SharedMemoryLayout::get(64, bytes, SharedMemoryForm::plain);
    EXPECT_EQ(phase(plain, consecutive(0), 0), bytes / 16);
    EXPECT_EQ(SharedMemoryLayout::get(64, bytes).sizeInBytes(),
              plain.sizeInBytes());
    EXPECT_EQ(SharedMemoryLayout::get(64, bytes, SharedMemoryForm::padded)
                  .sizeInBytes(),
              plain.sizeInBytes() + 64 * 16);
  }
}

TEST(SharedMemoryLayout, SizesBeyond32Bits) {
  SharedMemoryLayout layout = SharedMemoryLayout::get(1 << 30, 128);
  EXPECT_EQ(layout.sizeInBytes(), int64_t(1) << 37);
  EXPECT_EQ(layout.offset((1 << 30) - 8, 0), ((int64_t(1) << 30) - 8) * 128);
}

TEST(SharedMemoryLayout, WavefrontsCountDifferentChunksOnly) {
  EXPECT_EQ(countWavefronts({0, 16, 32, 48, 64, 80, 96, 112}), 1);
  EXPECT_EQ(countWavefronts({0, 128, 256, 384, 512, 640, 768, 896}), 8);
  EXPECT_EQ(countWavefronts({0, 0, 0, 0, 0, 0, 0, 0}), 1);
  EXPECT_EQ(countWavefronts({0, 0, 128, 128, 16, 16, 32, 32}), 2);
  EXPECT_EQ(countWavefronts({}), 0);
}

} // namespace
