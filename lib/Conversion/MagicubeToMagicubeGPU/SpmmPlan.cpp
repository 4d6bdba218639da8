//===- SpmmPlan.cpp - How a product is launched -------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parameters, grid, alignments and what operands must fulfil.
//
//===----------------------------------------------------------------------===//

#include "SpmmPlan.h"

#include "EpiloguePlan.h"

using namespace mlir;
using namespace mlir::magicube;

/// Most blocks in y and in z (CUDA C++ Programming Guide, "Technical
/// Specifications per Compute Capability"); x has 2^31 - 1.
static constexpr int64_t kMaxGridY = 65535;

static constexpr int64_t kByteBits = 8;

static SizeExpr symbol(const char *name) { return SizeExpr::symbol(name); }

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Blocks of vector-rows in x; tiles of columns in y as far as they go, the
/// rest in z, so that the last slice may hold blocks past the last tile.
static std::array<SizeExpr, 3> getGrid(SpmmTile tile) {
  SizeExpr rows = symbol("vector_rows");
  SizeExpr tiles = ceilDiv(symbol("columns"), tile.columns);
  SizeExpr x = ceilDiv(rows, tile.rowsPerCta);
  if (tile.numCtas != 0)
    x = min(rows, max(1, floorDiv(tile.numCtas, max(1, tiles))));
  return {x, min(tiles, kMaxGridY), ceilDiv(tiles, kMaxGridY)};
}

/// Bytes of a dense row; rows of 4-bit elements end with a whole byte.
static SizeExpr getRowBytes(int64_t bits) {
  SizeExpr columns = symbol("columns");
  return bits < kByteBits ? ceilDiv(columns, kByteBits / bits)
                          : columns * (bits / kByteBits);
}

static std::vector<PlanAlignment> getAlignments(const SpmmKernelSpec &spec) {
  SpmmAlignment alignment = spec.getAlignment();
  std::vector<PlanAlignment> result;
  auto add = [&](std::vector<SizeExpr> values, int64_t multiple) {
    if (multiple > 1)
      result.push_back({std::move(values), multiple});
  };
  add({symbol("rhs.address"), symbol("rhs_stride"), getRowBytes(spec.rhsBits)},
      alignment.rhs);
  // Whole bytes do not tell it for two columns a byte.
  if (spec.rhsBits < kByteBits)
    add({symbol("columns")},
        SpmmAlignment::getColumns(alignment.rhs, spec.rhsBits));
  int64_t resultBits = elementBits(spec.epilogue.element);
  add({symbol("result.address"),
       symbol("result.stride0") * std::max<int64_t>(resultBits / kByteBits, 1)},
      alignment.result);
  return result;
}

/// In the order of SpmmParameter.
static std::vector<PlanParameter> getParameters(const SpmmKernelSpec &spec) {
  using Kind = PlanParameter::Kind;
  std::vector<PlanParameter> parameters = {
      {Kind::Pointer, symbol("lhs.pointers")},
      {Kind::Pointer, symbol("lhs.indices")},
      {Kind::Pointer, symbol("lhs.values")},
      {Kind::Pointer, symbol("rhs.address")},
      {Kind::Pointer, symbol("result.address")},
      {Kind::I32, symbol("columns")},
      {Kind::I32, symbol("rhs_stride")},
      {Kind::I32, symbol("result.stride0")},
      {Kind::I32, symbol("vector_rows")}};
  addEpilogueParameters(parameters, spec.epilogue);
  return parameters;
}

static PlanKernel getKernel(const SpmmKernel &kernel) {
  PlanKernel result;
  gpu::GPUFuncOp function = kernel.function;
  result.name = function.getName().str();
  result.alignments = getAlignments(kernel.spec);
  result.parameters = getParameters(kernel.spec);
  result.grid = getGrid(kernel.spec.getTile());
  result.block = {kernel.spec.getBlockThreads(), 1, 1};
  return result;
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

/// Extents of operands that follow from others.
static std::vector<PlanCheck>
getChecks(const Epilogue<BroadcastAxis> &epilogue) {
  std::vector<PlanCheck> checks = {
      {symbol("rhs.dim0"), symbol("lhs.dim1"),
       "expected {rhs} to have as many rows as {lhs} has columns",
       "change one of the two matrices"}};
  addEpilogueChecks(checks, epilogue, "result");
  return checks;
}

LaunchPlan mlir::magicube::getSpmmPlan(ArrayRef<SpmmKernel> kernels) {
  const SpmmKernelSpec &spec = kernels.front().spec;
  int64_t rhsBytes = std::max<int64_t>(spec.rhsBits / kByteBits, 1);
  LaunchPlan plan;
  plan.results = {{"result", {symbol("lhs.dim0"), symbol("rhs.dim1")}}};
  plan.values = {{"columns", symbol("result.dim1")},
                 {"vector_rows",
                  floorDiv(symbol("result.dim0"), spec.encoding.getVector())},
                 {"rhs_stride", symbol("rhs.stride0") * rhsBytes}};
  plan.checks = getChecks(spec.epilogue);
  PlanLaunch &launch = plan.launches.emplace_back();
  launch.unlessZero = {symbol("vector_rows"), symbol("columns")};
  for (const SpmmKernel &kernel : kernels)
    launch.kernels.push_back(getKernel(kernel));
  return plan;
}
