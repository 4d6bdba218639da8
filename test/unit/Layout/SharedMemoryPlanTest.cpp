//===- SharedMemoryPlanTest.cpp - Unit tests of kernels' shared memory ----===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes worked out by hand, and the sums of all operand layouts.
//
//===----------------------------------------------------------------------===//

#include "magicube/Layout/SharedMemoryPlan.h"

#include "StepProof.h"
#include "magicube/Layout/OperandPlanes.h"
#include "gtest/gtest.h"

using namespace mlir::magicube;
using namespace mlir::magicube::test;

namespace {

using Role = SharedBufferRole;

TEST(SharedMemoryPlan, Gathered) {
  // int8, V = 8, 128 columns.
  SharedMemoryPlan plan = SharedMemoryPlan::getGathered({8, 8, 8, 128, 2}, 3);
  EXPECT_EQ(plan.get(Role::DenseRows).bytes(), 3 * 32 * 128);
  EXPECT_EQ(plan.get(Role::SparseValues).bytes(), 3 * 32 * 8);
  EXPECT_EQ(plan.bytes(), 3 * (4096 + 256));
  EXPECT_EQ(plan.describe(),
            "dense rows: 12288 bytes, sparse values: 768 bytes");
  // 32 values of 4 bits are 16 bytes, at a place of 128.
  EXPECT_EQ(SharedMemoryPlan::getGathered({1, 4, 8, 16, 1}, 2).bytes(),
            2 * (512 + 128));
}

TEST(SharedMemoryPlan, GatheredFitsEveryChip) {
  // 256 bytes of a row, V = 16 of 16 bits, 8 stages: nobody checks.
  SharedMemoryPlan plan = SharedMemoryPlan::getGathered(
      {16, 16, 16, 128, 4, SharedMemoryForm::padded}, 8);
  for (const GpuTarget &target : gpuTargets())
    EXPECT_LE(plan.bytes(), target.maxSharedMemoryPerBlock);
}

TEST(SharedMemoryPlan, Stationary) {
  SharedMemoryPlan plan =
      SharedMemoryPlan::getStationary({8, 8, 8, 64, 16}, 2304);
  EXPECT_EQ(plan.get(Role::DenseRows).bytes(), 2304 * 64);
  // Row, inside, position, gap of 16 warps and the one behind.
  EXPECT_EQ(plan.get(Role::RangeStarts).bytes(), 384); // of 17 * 16
  EXPECT_EQ(plan.bytes(), 2304 * 64 + 384);
}

TEST(SharedMemoryPlan, StationaryHasPlaceForSums) {
  // K = 10: the sums of 16 warps, 8 x 64 words each, take more.
  SharedMemoryPlan plan =
      SharedMemoryPlan::getStationary({4, 8, 8, 64, 16}, 10);
  EXPECT_EQ(plan.get(Role::DenseRows).bytes(), 16 * 8 * 64 * 4);
}

TEST(SharedMemoryPlan, PaddedRows) {
  // 5 chunks instead of 4.
  SharedMemoryPlan plan = SharedMemoryPlan::getStationary(
      {8, 8, 8, 64, 16, SharedMemoryForm::padded}, 1024);
  EXPECT_EQ(plan.get(Role::DenseRows).bytes(), 1024 * 80);
}

TEST(SharedMemoryPlan, StationaryKTiles) {
  // V = 16, 4 K segments, the last of one row; 5 vector-rows, at most 14.
  SharedMemoryPlan plan = SharedMemoryPlan::getStationaryKTiles(
      {16, 8, 8, 16, 32}, /*inner=*/301, /*slab=*/100, /*rowsPerCta=*/5,
      /*smemStages=*/2);
  EXPECT_EQ(plan.get(Role::DenseRows).bytes(), 2 * 1664); // of 100 * 16
  EXPECT_EQ(plan.get(Role::RowSums).bytes(), 14 * 16 * 16 * 4);
  EXPECT_EQ(plan.get(Role::SegmentPointers).bytes(), 512); // of 14 * 4 * 8
  EXPECT_EQ(plan.get(Role::RangeStarts).bytes(), 768);     // of 33 * 5 * 4
  EXPECT_EQ(plan.bytes(), 3328 + 14336 + 512 + 768);
}

TEST(SharedMemoryPlan, SlabOfMoreThanAllRows) {
  SharedMemoryPlan plan = SharedMemoryPlan::getStationaryKTiles(
      {8, 8, 8, 16, 4}, /*inner=*/64, /*slab=*/1000, 1, 1);
  EXPECT_EQ(plan.get(Role::DenseRows).bytes(), 64 * 16);
}

TEST(SharedMemoryPlan, LargeExtents) {
  int64_t most = 2147483647;
  EXPECT_EQ(SharedMemoryPlan::getStationary({16, 16, 16, 512, 32}, most)
                .get(Role::DenseRows)
                .bytes(),
            most * 1024);
  EXPECT_GT(SharedMemoryPlan::getStationaryKTiles({16, 16, 16, 512, 32}, most,
                                                  1,
                                                  /*rowsPerCta=*/4096, 8)
                .bytes(),
            most * 9219 * 8);
}

/// Sums are registers of whole accumulators, 32 lanes each.
TEST(SharedMemoryPlan, SumsAreThoseOfTheOperandLayout) {
  constexpr int64_t registerBytes = kWarpSize * sizeof(int32_t);
  for (OperandLayout layout : operandLayouts())
    for (int32_t vector : {1, 2, 4, 8, 16})
      for (OperandWidths widths : getAllWidths()) {
        Result<StepLayout> step = getStepLayout(layout, widths, vector);
        if (!step)
          continue;
        Result<DenseOperand> dense = getDenseOperand(*step);
        ASSERT_TRUE(bool(dense));
        int64_t registers = step->fragments() * dense->columnSets() *
                            step->mma->c.inputSize(dim::reg);
        SharedMemoryNumbers numbers = {vector, widths.sparse, widths.dense,
                                       dense->columns(), 1};
        // Never more than what is assumed before the layout is chosen.
        EXPECT_LE(registers * registerBytes, numbers.sumBytes());
        numbers.sharesColumns = step->sharesColumns;
        EXPECT_EQ(registers * registerBytes, numbers.sumBytes())
            << spelling(layout) << ", V = " << vector << ", " << widths.sparse
            << " x " << widths.dense << " bits";
      }
}

} // namespace
