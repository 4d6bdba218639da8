//===- AssignedMemoryTest.cpp - Planned and assigned shared memory --------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What SharedMemoryPlan adds up is what launches get, for every placement, pair
// of widths and vector length.
//
//===----------------------------------------------------------------------===//

#include "magicube/Layout/OperandPlanes.h"
#include "magicube/Layout/SharedMemoryPlan.h"
#include "magicube/Layout/StepLayout.h"
#include "magicube/Serialize/Compiler.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::magicube;

namespace {

/// K is no multiple of the slab, whose rows are no multiple of 128 bytes.
constexpr int64_t kInner = 203, kSlab = 37, kTileN = 64, kWarps = 4;

/// A placement in IR, and its plan.
struct Placement {
  std::string text;
  bool hasSlab;
  SharedMemoryPlan (*getPlan)(const SharedMemoryNumbers &);
};

const Placement kPlacements[] = {
    {"gathered<smem_stages = 3>", false,
     [](const SharedMemoryNumbers &numbers) {
       return SharedMemoryPlan::getGathered(numbers, /*smemStages=*/3);
     }},
    {"gathered<smem_stages = 1>", false,
     [](const SharedMemoryNumbers &numbers) {
       return SharedMemoryPlan::getGathered(numbers, /*smemStages=*/1);
     }},
    {"stationary<prefetch_stages = 2, num_ctas = 9>", false,
     [](const SharedMemoryNumbers &numbers) {
       return SharedMemoryPlan::getStationary(numbers, kInner);
     }},
    {"stationary_k_tiles<prefetch_stages = 2, rows_per_cta = 5, smem_stages = "
     "2>",
     true, [](const SharedMemoryNumbers &numbers) {
       return SharedMemoryPlan::getStationaryKTiles(
           numbers, kInner, kSlab, /*rowsPerCta=*/5, /*smemStages=*/2);
     }}};

constexpr std::pair<const char *, SharedMemoryForm> kForms[] = {
    {"conflict_free", SharedMemoryForm::conflictFree},
    {"padded", SharedMemoryForm::padded}};

/// Products of a module, and what each should take.
struct Module {
  std::string text = "module attributes {magicube.chip = \"sm_80\"} {\n";
  std::vector<int64_t> planned;

  void add(const Placement &placement, OperandLayout layout,
           OperandWidths widths, int32_t vector,
           std::pair<const char *, SharedMemoryForm> form) {
    Result<StepLayout> step = getStepLayout(layout, widths, vector);
    if (!step)
      return;
    bool isGathered = !placement.hasSlab && placement.text.front() == 'g';
    int64_t warps = isGathered ? 1 : kWarps;
    text += llvm::formatv(
        "func.func @f{0}(%a: tensor<64x{1}xi{2}, #magicube.sr_bcrs<vector = "
        "{3}{4}>>, %b: tensor<{1}x126xi{5}>) -> tensor<64x126xi32> {{\n"
        "  %r = magicube.spmm %a, %b {{schedule = #magicube.schedule<tile_n = "
        "{6}, warps = {7}, layout = <form = {8}>, shared = {9}, placement = "
        "#magicube.{10}>} : (tensor<64x{1}xi{2}, #magicube.sr_bcrs<vector = "
        "{3}{4}>>, tensor<{1}x126xi{5}>) -> tensor<64x126xi32>\n"
        "  return %r : tensor<64x126xi32>\n}\n",
        planned.size(), kInner, widths.sparse, vector,
        placement.hasSlab ? ", slab = " + std::to_string(kSlab) : "",
        widths.dense, kTileN, warps, spelling(layout.form).data(), form.first,
        placement.text);
    int64_t valueBits = widths.sparse == 12 ? 16 : widths.sparse;
    planned.push_back(placement
                          .getPlan({vector, valueBits, widths.dense, kTileN,
                                    warps, form.second, step->sharesColumns})
                          .bytes());
  }
};

/// Checks the launches of each function: one for each alignment of rows.
void check(const Module &products) {
  std::unique_ptr<MLIRContext> context = createCompilerContext();
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(products.text + "}\n", context.get());
  ASSERT_TRUE(module);
  ASSERT_TRUE(succeeded(runStages(*module, CompileOptions(), "pipeline")));
  for (auto [i, planned] : llvm::enumerate(products.planned)) {
    auto function = module->lookupSymbol<func::FuncOp>("f" + std::to_string(i));
    int64_t launches = 0;
    function.walk([&, planned = planned](gpu::LaunchFuncOp launch) {
      EXPECT_EQ(getConstantIntValue(launch.getDynamicSharedMemorySize()),
                planned)
          << launch.getKernelName().str();
      ++launches;
    });
    EXPECT_GE(launches, 1);
  }
}

TEST(AssignedMemory, IsWhatIsPlanned) {
  Module module;
  for (const Placement &placement : kPlacements)
    for (int32_t sparse : {4, 8, 12, 16})
      for (int32_t dense : {4, 8, 16})
        for (int32_t vector : {1, 2, 4, 8, 16})
          module.add(placement, {OperandForm::Transposed}, {sparse, dense},
                     vector, kForms[vector == 4]);
  // Sums take half of the place.
  for (const Placement &placement : kPlacements)
    for (int32_t vector : {1, 2, 4})
      module.add(placement, {OperandForm::Interleaved}, {8, 8}, vector,
                 kForms[0]);
  EXPECT_GT(module.planned.size(), 4u * 3 * 5);
  check(module);
}

} // namespace
