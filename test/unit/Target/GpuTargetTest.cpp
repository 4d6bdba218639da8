//===- GpuTargetTest.cpp - Tests of the table of chips --------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every row against the published limits, and the messages for other chips.
//
//===----------------------------------------------------------------------===//

#include "magicube/Target/GpuTarget.h"
#include "gtest/gtest.h"

#include <map>

using namespace mlir::magicube;

namespace {

TEST(GpuTarget, RowsHoldThePublishedLimits) {
  struct Expected {
    int32_t capability;
    int32_t sharedMemory;
    std::string ptx;
    bool int4;
  };
  const std::map<std::string, Expected> expected = {
      {"sm_80", {80, 166912, "+ptx70", true}},
      {"sm_86", {86, 101376, "+ptx71", true}},
      {"sm_89", {89, 101376, "+ptx78", true}},
      {"sm_90", {90, 232448, "+ptx78", false}},
      {"sm_100", {100, 232448, "+ptx86", false}},
      {"sm_120", {120, 101376, "+ptx87", false}}};
  EXPECT_EQ(gpuTargets().size(), expected.size());
  for (const auto &[name, row] : expected) {
    Result<const GpuTarget *> target = lookupGpuTarget(name);
    ASSERT_TRUE(bool(target)) << name;
    EXPECT_EQ((*target)->name, name);
    EXPECT_EQ((*target)->computeCapability, row.capability);
    EXPECT_EQ((*target)->maxSharedMemoryPerBlock, row.sharedMemory);
    EXPECT_EQ((*target)->ptxFeature, row.ptx);
    EXPECT_EQ((*target)->nativeInt4Mma, row.int4);
  }
}

TEST(GpuTarget, AscendingAndAboveTheMinimum) {
  int32_t previous = kMinComputeCapability - 1;
  for (const GpuTarget &target : gpuTargets()) {
    EXPECT_GT(target.computeCapability, previous);
    EXPECT_GT(target.maxSharedMemoryPerBlock, kDefaultSharedMemoryPerBlock);
    previous = target.computeCapability;
  }
}

TEST(GpuTarget, ChipBelowTheMinimumNamesTheLimit) {
  for (std::string chip : {"sm_75", "sm_70", "sm_61", "sm_79", "sm_1"}) {
    Result<const GpuTarget *> target = lookupGpuTarget(chip);
    ASSERT_FALSE(bool(target)) << chip;
    EXPECT_EQ(target.error().message,
              "chip " + chip + " is below the minimum sm_80");
    EXPECT_EQ(target.error().note,
              "use one of sm_80, sm_86, sm_89, sm_90, sm_100, sm_120");
  }
}

TEST(GpuTarget, UnknownChipListsTheKnownOnes) {
  for (std::string chip : {"sm_99", "", "sm_", "sm_7x", "SM_80", "gfx90a",
                           "sm_080", "sm_80 ", "sm_-5", "sm_4294967376"}) {
    Result<const GpuTarget *> target = lookupGpuTarget(chip);
    ASSERT_FALSE(bool(target)) << chip;
    EXPECT_EQ(target.error().message,
              "unknown chip '" + chip +
                  "', expected one of sm_80, sm_86, sm_89, sm_90, sm_100, "
                  "sm_120");
  }
}

} // namespace
