//===- JoinPlans.cpp - One launch plan of several -------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Symbols of a step's plan become expressions of the bundle's: of arguments, of
// results, or of scratch buffers.
//
//===----------------------------------------------------------------------===//

#include "JoinPlans.h"

#include "magicube/Runtime/PlanJson.h"

using namespace mlir;
using namespace mlir::magicube;

static constexpr int64_t kByteBits = 8;

/// What the components of an operand are ("dim0", "address"); "" is a number.
using Place = std::map<std::string, SizeExpr>;

std::vector<PlanOperand>
mlir::magicube::getPlanOperands(const EntryStep &step) {
  std::vector<PlanOperand> operands;
  for (const EntryInput &input : step.inputs)
    operands.push_back({input.name, input.kind});
  for (const EntryOutput &output : step.outputs)
    operands.push_back({output.name,
                        output.type.isSparse() ? PlanOperand::Kind::Sparse
                                               : PlanOperand::Kind::Dense,
                        /*isResult=*/true});
  return operands;
}

/// An operand that the bundle's plan knows as `name`.
static Place getOperandPlace(PlanOperand::Kind kind, const std::string &name) {
  Place place;
  for (const std::string &symbol : getSymbols({name, kind})) {
    size_t dot = symbol.find('.');
    std::string component =
        dot == std::string::npos ? "" : symbol.substr(dot + 1);
    place[component] = SizeExpr::symbol(symbol);
  }
  return place;
}

namespace {

class PlanJoiner {
public:
  PlanJoiner(const std::vector<EntryStep> &steps, size_t numResults,
             const BundleManifest &manifest)
      : steps(steps), manifest(manifest) {
    joined.results.resize(numResults);
  }

  void add(const EntryStep &step, const LaunchPlan &plan);

  LaunchPlan joined;

private:
  /// What the symbols of the plan of one step are.
  using Symbols = std::map<std::string, SizeExpr>;

  static void bind(const std::string &name, const Place &place,
                   Symbols &symbols);
  static SizeExpr replace(SizeExpr expr, const Symbols &symbols);
  Place addBuffer(const EntryStep &step, const EntryOutput &output,
                  const std::array<SizeExpr, 2> &shape, const Place &pattern);
  void addOutputs(const EntryStep &step, const LaunchPlan &plan,
                  const Place &pattern, Symbols &symbols);
  void addCheck(const EntryStep &step, PlanCheck check, const Symbols &symbols);
  void addLaunch(PlanLaunch launch, const Symbols &symbols);

  const std::vector<EntryStep> &steps;
  const BundleManifest &manifest;
  /// What each step has made, for later ones.
  std::vector<std::vector<Place>> places;
};

} // namespace

void PlanJoiner::bind(const std::string &name, const Place &place,
                      Symbols &symbols) {
  for (const auto &[component, expr] : place)
    symbols[component.empty() ? name : name + "." + component] = expr;
}

SizeExpr PlanJoiner::replace(SizeExpr expr, const Symbols &symbols) {
  if (expr.kind == SizeExpr::Kind::Symbol)
    return symbols.at(expr.name);
  for (SizeExpr &operand : expr.operands)
    operand = replace(std::move(operand), symbols);
  return expr;
}

/// Rows follow one another without gaps.
Place PlanJoiner::addBuffer(const EntryStep &step, const EntryOutput &output,
                            const std::array<SizeExpr, 2> &shape,
                            const Place &pattern) {
  const MatrixType &type = output.type;
  std::string name = step.prefix + output.name;
  SizeExpr address = SizeExpr::symbol(name + ".address");
  int64_t bits = type.isFloat ? floatBytes(type.format) * kByteBits
                              : type.element.containerBits();
  bool isPacked = !type.isFloat && type.element.isPacked();
  if (isPacked)
    bits = type.element.bits;
  if (type.isSparse()) {
    Place place = pattern;
    place["values"] = address;
    joined.buffers.push_back(
        {name,
         ceilDiv(place["stored"] * (type.encoding->vector * bits), kByteBits)});
    return place;
  }
  // Storage elements of 4 bits are bytes.
  SizeExpr stride = isPacked ? ceilDiv(shape[1], kByteBits / bits) : shape[1];
  int64_t bytes = isPacked ? 1 : bits / kByteBits;
  joined.buffers.push_back({name, shape[0] * (stride * bytes)});
  return {{"dim0", shape[0]},
          {"dim1", shape[1]},
          {"stride0", stride},
          {"address", address}};
}

void PlanJoiner::addOutputs(const EntryStep &step, const LaunchPlan &plan,
                            const Place &pattern, Symbols &symbols) {
  std::vector<Place> &outputs = places.emplace_back();
  for (size_t i = 0; i < step.outputs.size(); ++i) {
    const EntryOutput &output = step.outputs[i];
    std::array<SizeExpr, 2> shape = plan.results[i].shape;
    for (SizeExpr &extent : shape)
      extent = replace(extent, symbols);
    if (output.operand.empty()) {
      outputs.push_back(addBuffer(step, output, shape, pattern));
      bind(output.name, outputs.back(), symbols);
      continue;
    }
    joined.results[manifest.findOperand(output.operand)->index] = {
        output.operand, shape};
    Place place =
        getOperandPlace(output.type.isSparse() ? PlanOperand::Kind::Sparse
                                               : PlanOperand::Kind::Dense,
                        output.operand);
    bind(output.name, place, symbols);
    // Shapes of results are expressions of arguments alone.
    place["dim0"] = shape[0];
    place["dim1"] = shape[1];
    outputs.push_back(std::move(place));
  }
}

void PlanJoiner::addCheck(const EntryStep &step, PlanCheck check,
                          const Symbols &symbols) {
  check.value = replace(check.value, symbols);
  check.expected = replace(check.expected, symbols);
  auto rename = [&](const std::string &name, const std::string &text) {
    std::string braced = "{" + name + "}";
    for (size_t at = check.message.find(braced); at != std::string::npos;
         at = check.message.find(braced, at + text.size()))
      check.message.replace(at, braced.size(), text);
  };
  for (const EntryInput &input : step.inputs)
    rename(input.name, input.operand.empty()
                           ? "the " +
                                 steps[input.step].outputs[input.output].name +
                                 " of " + steps[input.step].operation
                           : "{" + input.operand + "}");
  for (const EntryOutput &output : step.outputs)
    rename(output.name, output.operand.empty()
                            ? "the " + output.name + " of " + step.operation
                            : "{" + output.operand + "}");
  joined.checks.push_back(std::move(check));
}

void PlanJoiner::addLaunch(PlanLaunch launch, const Symbols &symbols) {
  for (SizeExpr &size : launch.unlessZero)
    size = replace(size, symbols);
  for (PlanKernel &kernel : launch.kernels) {
    for (PlanAlignment &alignment : kernel.alignments)
      for (SizeExpr &value : alignment.values)
        value = replace(value, symbols);
    for (PlanParameter &parameter : kernel.parameters)
      parameter.value = replace(parameter.value, symbols);
    for (SizeExpr &extent : kernel.grid)
      extent = replace(extent, symbols);
  }
  joined.launches.push_back(std::move(launch));
}

void PlanJoiner::add(const EntryStep &step, const LaunchPlan &plan) {
  Symbols symbols;
  Place pattern;
  for (const EntryInput &input : step.inputs) {
    Place place = input.operand.empty()
                      ? places[input.step][input.output]
                      : getOperandPlace(input.kind, input.operand);
    bind(input.name, place, symbols);
    if (input.kind == PlanOperand::Kind::Sparse && pattern.empty())
      pattern = place;
  }
  addOutputs(step, plan, pattern, symbols);
  for (const PlanValue &value : plan.values) {
    std::string name = step.prefix + value.name;
    joined.values.push_back({name, replace(value.value, symbols)});
    symbols[value.name] = SizeExpr::symbol(name);
  }
  for (const PlanBuffer &buffer : plan.buffers) {
    std::string name = step.prefix + buffer.name;
    joined.buffers.push_back({name, replace(buffer.bytes, symbols)});
    symbols[buffer.name + ".address"] = SizeExpr::symbol(name + ".address");
  }
  for (const PlanCheck &check : plan.checks)
    addCheck(step, check, symbols);
  for (const PlanLaunch &launch : plan.launches)
    addLaunch(launch, symbols);
}

LaunchPlan mlir::magicube::joinPlans(const std::vector<EntryStep> &steps,
                                     const std::vector<LaunchPlan> &plans,
                                     size_t numResults,
                                     const BundleManifest &manifest) {
  PlanJoiner joiner(steps, numResults, manifest);
  for (size_t i = 0; i < steps.size(); ++i)
    joiner.add(steps[i], plans[i]);
  return std::move(joiner.joined);
}
