//===- SddmmPlan.cpp - How a sampled product is launched ------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parameters, grid, alignments and what operands must fulfil.
//
//===----------------------------------------------------------------------===//

#include "SddmmKernel.h"

#include "EpiloguePlan.h"

using namespace mlir;
using namespace mlir::magicube;

static constexpr int64_t kByteBits = 8;

/// Most blocks in y (CUDA C++ Programming Guide, "Technical Specifications per
/// Compute Capability"), and RowParts' limit.
static constexpr int64_t kMaxParts = 65535;

static SizeExpr symbol(const std::string &name) {
  return SizeExpr::symbol(name);
}

/// A vector-row may have several times as many steps as the mean one: so many
/// parts per mean step are worth it where the chip has room for them.
static constexpr int64_t kPartsOfMeanStep = 4;

/// Groups of vector-rows in x; in y the parts of each: as many as the chip runs
/// at a time, and two at least where there is work for them, so that blocks that
/// end late are short.
static std::array<SizeExpr, 3> getGrid(const SddmmTiling &tiling) {
  SizeExpr groups = ceilDiv(symbol("vector_rows"), tiling.warps);
  SizeExpr meanSteps = symbol("mean_steps");
  SizeExpr fill = floorDiv(tiling.ctas, max(1, groups));
  SizeExpr parts =
      max(min(2, meanSteps), min(fill, meanSteps * kPartsOfMeanStep));
  if (tiling.steps > 0)
    parts = max(parts, ceilDiv(meanSteps, tiling.steps));
  return {groups, min(parts, kMaxParts), 1};
}

/// Bytes of a row of an operand; rows of 4-bit elements end with a whole byte.
static SizeExpr getRowBytes(int64_t bits) {
  return bits < kByteBits ? ceilDiv(symbol("inner"), kByteBits / bits)
                          : symbol("inner") * (bits / kByteBits);
}

static std::vector<PlanAlignment> getAlignments(const SddmmKernelSpec &spec) {
  if (spec.alignment == 1)
    return {};
  return {{{symbol("lhs.address"), symbol("lhs_stride"),
            getRowBytes(spec.widths.lhs), symbol("rhs.address"),
            symbol("rhs_stride"), getRowBytes(spec.widths.rhs)},
           spec.alignment}};
}

/// In the order of SddmmParameter.
static std::vector<PlanParameter> getParameters(const SddmmKernelSpec &spec) {
  using Kind = PlanParameter::Kind;
  std::vector<PlanParameter> parameters = {
      {Kind::Pointer, symbol("pattern.pointers")},
      {Kind::Pointer, symbol("pattern.indices")},
      {Kind::Pointer, symbol("lhs.address")},
      {Kind::Pointer, symbol("rhs.address")},
      {Kind::Pointer, symbol("result.values")},
      {Kind::I32, symbol("inner")},
      {Kind::I32, symbol("lhs_stride")},
      {Kind::I32, symbol("rhs_stride")},
      {Kind::I32, symbol("vector_rows")}};
  addEpilogueParameters(parameters, spec.epilogue);
  return parameters;
}

static PlanKernel getKernel(const SddmmKernel &kernel) {
  PlanKernel result;
  gpu::GPUFuncOp function = kernel.function;
  result.name = function.getName().str();
  result.alignments = getAlignments(kernel.spec);
  result.parameters = getParameters(kernel.spec);
  result.grid = getGrid(kernel.spec.tiling);
  result.block = {kernel.spec.getBlockThreads(), 1, 1};
  return result;
}

/// Extents of operands that follow from others.
static std::vector<PlanCheck>
getChecks(const Epilogue<BroadcastAxis> &epilogue) {
  std::vector<PlanCheck> checks = {
      {symbol("lhs.dim0"), symbol("pattern.dim0"),
       "expected {lhs} to have as many rows as {pattern}",
       "change the operand or the pattern"},
      {symbol("rhs.dim0"), symbol("pattern.dim1"),
       "expected {rhs} to have as many rows as {pattern} has columns",
       "change the operand or the pattern"},
      {symbol("rhs.dim1"), symbol("lhs.dim1"),
       "expected {rhs} to have as many columns as {lhs}",
       "change one of the two matrices"}};
  addEpilogueChecks(checks, epilogue, "pattern");
  return checks;
}

LaunchPlan mlir::magicube::getSddmmPlan(ArrayRef<SddmmKernel> kernels) {
  const SddmmKernelSpec &spec = kernels.front().spec;
  auto getStride = [](const char *name, int64_t bits) {
    return symbol(name) * std::max<int64_t>(bits / kByteBits, 1);
  };
  LaunchPlan plan;
  plan.results = {{"result", {symbol("pattern.dim0"), symbol("pattern.dim1")}}};
  plan.values = {
      {"inner", symbol("lhs.dim1")},
      {"vector_rows", floorDiv(symbol("lhs.dim0"), spec.encoding.getVector())},
      {"mean_steps",
       max(1, ceilDiv(ceilDiv(symbol("pattern.stored"), kStepPositions),
                      max(1, symbol("vector_rows"))))},
      {"lhs_stride", getStride("lhs.stride0", spec.widths.lhs)},
      {"rhs_stride", getStride("rhs.stride0", spec.widths.rhs)}};
  plan.checks = getChecks(spec.epilogue);
  PlanLaunch &launch = plan.launches.emplace_back();
  launch.unlessZero = {symbol("vector_rows"), symbol("pattern.stored")};
  for (const SddmmKernel &kernel : kernels)
    launch.kernels.push_back(getKernel(kernel));
  return plan;
}
