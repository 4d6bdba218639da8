//===- SoftmaxPlan.cpp - How a softmax is launched ------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parameters, grid, and what operands must fulfil.
//
//===----------------------------------------------------------------------===//

#include "SoftmaxPlan.h"

#include <limits>

using namespace mlir;
using namespace mlir::magicube;

static SizeExpr symbol(StringRef name, StringRef component = "") {
  return SizeExpr::symbol((name + component).str());
}

static PlanParameter getParameter(SoftmaxParameter parameter,
                                  const SoftmaxKernelSpec &spec) {
  using Kind = PlanParameter::Kind;
  auto pointer = [](StringRef name, StringRef component) {
    return PlanParameter{Kind::Pointer, symbol(name, component)};
  };
  switch (parameter) {
  case SoftmaxParameter::Pointers:
    return pointer(kScoresName, ".pointers");
  case SoftmaxParameter::Indices:
    return pointer(kScoresName, ".indices");
  case SoftmaxParameter::Scores:
    return pointer(kScoresName, ".values");
  case SoftmaxParameter::Mask:
    return pointer(kMaskName, ".values");
  case SoftmaxParameter::Scale:
    if (spec.scale == SoftmaxKernelSpec::Scale::Number)
      return {Kind::F32, symbol(kScaleName)};
    return pointer(kScaleName, ".address");
  case SoftmaxParameter::ValueScale:
    return {Kind::F32, symbol(kValueScaleName)};
  case SoftmaxParameter::Result:
    return pointer("result", ".values");
  case SoftmaxParameter::Factors:
    return pointer(kFactorsName, ".address");
  }
}

/// Most entries of a row whose q are summed in 32 bits; null for floats, whose
/// sums have 64.
static std::optional<int64_t> getMostEntries(const SoftmaxKernelSpec &spec) {
  const Exp2Chain *chain = spec.getChain();
  if (!chain)
    return std::nullopt;
  return std::numeric_limits<uint32_t>::max() /
         ((int64_t(1) << chain->bits) - 1);
}

static std::vector<PlanCheck> getChecks(const SoftmaxKernelSpec &spec) {
  std::vector<PlanCheck> checks;
  auto expect = [&](SizeExpr value, SizeExpr expected, std::string message,
                    std::string note) {
    checks.push_back({std::move(value), std::move(expected), std::move(message),
                      std::move(note)});
  };
  if (spec.scale == SoftmaxKernelSpec::Scale::Rows)
    expect(symbol(kScaleName, ".dim0"), symbol(kScoresName, ".dim0"),
           "expected {scale} to have as many rows as {scores}",
           "give a number, or one for each row");
  constexpr std::pair<StringLiteral, StringLiteral> maskSizes[] = {
      {".dim0", "rows"}, {".dim1", "columns"}, {".stored", "stored vectors"}};
  if (spec.mask)
    for (auto [size, what] : maskSizes)
      expect(symbol(kMaskName, size), symbol(kScoresName, size),
             ("expected {mask} to have as many " + what + " as {scores}").str(),
             "the mask has the positions of the scores");
  if (std::optional<int64_t> most = getMostEntries(spec))
    expect(symbol(kScoresName, ".dim1"),
           min(symbol(kScoresName, ".dim1"), *most),
           "expected {scores} to have no more columns than numbers of " +
               std::to_string(spec.getChain()->bits) + " bits are summed in 32",
           "choose results of fewer bits");
  return checks;
}

LaunchPlan mlir::magicube::getSoftmaxPlan(const SoftmaxKernelSpec &spec,
                                          StringRef name) {
  SizeExpr rows = symbol(kScoresName, ".dim0");
  LaunchPlan plan;
  plan.results = {{"result", {rows, symbol(kScoresName, ".dim1")}}};
  if (spec.getChain())
    plan.results.push_back({kFactorsName.str(), {rows, 1}});
  plan.values = {{"vector_rows", floorDiv(rows, spec.vector())}};
  plan.checks = getChecks(spec);
  PlanLaunch &launch = plan.launches.emplace_back();
  launch.unlessZero = {symbol("vector_rows")};
  PlanKernel &kernel = launch.kernels.emplace_back();
  kernel.name = name.str();
  for (SoftmaxParameter parameter : getParameters(spec))
    kernel.parameters.push_back(getParameter(parameter, spec));
  kernel.grid = {symbol("vector_rows"), 1, 1};
  kernel.block = {spec.threads(), 1, 1};
  return plan;
}
