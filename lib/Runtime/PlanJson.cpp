//===- PlanJson.cpp - Launch plans as JSON --------------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Read and write functions of a struct stand side by side.
//
//===----------------------------------------------------------------------===//

#include "magicube/Runtime/PlanJson.h"

#include <map>

using namespace mlir::magicube;

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

namespace {

/// What a symbol's value may be used for.
enum class SymbolKind { Size, Address, Number };

struct Component {
  std::string_view name;
  SymbolKind kind;
};

constexpr Component denseComponents[] = {{"dim0", SymbolKind::Size},
                                         {"dim1", SymbolKind::Size},
                                         {"stride0", SymbolKind::Size},
                                         {"address", SymbolKind::Address}};
constexpr Component sparseComponents[] = {{"dim0", SymbolKind::Size},
                                          {"dim1", SymbolKind::Size},
                                          {"stored", SymbolKind::Size},
                                          {"pointers", SymbolKind::Address},
                                          {"indices", SymbolKind::Address},
                                          {"values", SymbolKind::Address}};

/// Calls `visit(symbol, kind)` for each symbol of an operand.
template <typename Visit>
void forEachSymbol(const PlanOperand &operand, Visit visit) {
  auto visitAll = [&](const auto &components) {
    for (const Component &component : components)
      visit(operand.name + "." + std::string(component.name), component.kind);
  };
  switch (operand.kind) {
  case PlanOperand::Kind::Dense:
    return visitAll(denseComponents);
  case PlanOperand::Kind::Sparse:
    return visitAll(sparseComponents);
  case PlanOperand::Kind::Number:
    return visit(operand.name, SymbolKind::Number);
  }
}

/// The symbols that are known at a place of a plan.
class Scope {
public:
  /// False for a name that is taken.
  bool add(const std::string &name, SymbolKind kind) {
    return symbols.emplace(name, Symbol{kind, symbols.size()}).second;
  }
  bool add(const PlanOperand &operand) {
    bool isNew = true;
    forEachSymbol(operand, [&](const std::string &name, SymbolKind kind) {
      isNew &= add(name, kind);
    });
    return isNew;
  }

  /// The expression that a node holds, of symbols of the kinds that `accepts`
  /// takes.
  SizeExpr read(const JsonNode &node, bool (*accepts)(SymbolKind)) const;
  SizeExpr readSize(const JsonNode &node) const {
    return read(node, [](SymbolKind kind) { return kind == SymbolKind::Size; });
  }
  SizeExpr readAddress(const JsonNode &node) const {
    return read(node,
                [](SymbolKind kind) { return kind != SymbolKind::Number; });
  }

private:
  struct Symbol {
    SymbolKind kind;
    size_t slot;
  };
  std::map<std::string, Symbol> symbols;
};

} // namespace

std::vector<std::string>
mlir::magicube::getSymbols(const PlanOperand &operand) {
  std::vector<std::string> names;
  forEachSymbol(operand, [&](const std::string &name, SymbolKind) {
    names.push_back(name);
  });
  return names;
}

static std::string describe(SymbolKind kind) {
  switch (kind) {
  case SymbolKind::Size:
    return "a size";
  case SymbolKind::Address:
    return "an address";
  case SymbolKind::Number:
    return "a number of f32";
  }
  return "";
}

SizeExpr Scope::read(const JsonNode &node, bool (*accepts)(SymbolKind)) const {
  Result<SizeExpr> expr = SizeExpr::parse(node.string());
  if (!expr) {
    node.fail(expr.error().message);
    return {};
  }
  expr->forEachSymbol([&](SizeExpr &symbol) {
    auto found = symbols.find(symbol.name);
    if (found == symbols.end())
      return node.fail("unknown name '" + symbol.name + "'");
    symbol.slot = found->second.slot;
    if (!accepts(found->second.kind))
      node.fail("'" + symbol.name + "' is " + describe(found->second.kind) +
                ", which may not stand here");
  });
  return *expr;
}

//===----------------------------------------------------------------------===//
// Lists
//===----------------------------------------------------------------------===//

template <typename Items, typename Convert>
static Json toList(const Items &items, Convert convert) {
  Json list = Json::array();
  for (const auto &item : items)
    list.push_back(convert(item));
  return list;
}

static Json toText(const SizeExpr &expr) { return expr.str(); }

/// The elements of an array of `count`; none, with a problem, of another one.
static std::vector<JsonNode> readFixed(const JsonNode &node, size_t count) {
  std::vector<JsonNode> elements = node.elements();
  if (elements.size() == count)
    return elements;
  node.fail("expected " + std::to_string(count) + " elements, but got " +
            std::to_string(elements.size()));
  return {};
}

template <size_t count, typename T, typename Read>
static void readArray(const JsonNode &node, std::array<T, count> &array,
                      Read read) {
  size_t i = 0;
  for (const JsonNode &element : readFixed(node, count))
    array[i++] = read(element);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

namespace {

struct ParameterName {
  PlanParameter::Kind kind;
  std::string_view name;
};

constexpr ParameterName parameterNames[] = {
    {PlanParameter::Kind::Pointer, "pointer"},
    {PlanParameter::Kind::I32, "i32"},
    {PlanParameter::Kind::I64, "i64"},
    {PlanParameter::Kind::F32, "f32"}};

constexpr const char *newerNote =
    "use the runtime of the compiler that made the bundle";

} // namespace

static Json parameterToJson(const PlanParameter &parameter) {
  Json result = Json::object();
  for (const ParameterName &row : parameterNames)
    if (row.kind == parameter.kind)
      result[std::string(row.name)] = parameter.value.str();
  return result;
}

static PlanParameter readParameter(const JsonNode &node, const Scope &scope) {
  PlanParameter parameter;
  for (const ParameterName &row : parameterNames) {
    if (!node.has(row.name))
      continue;
    JsonNode value = node[row.name];
    parameter.kind = row.kind;
    switch (row.kind) {
    case PlanParameter::Kind::Pointer:
      parameter.value = scope.readAddress(value);
      return parameter;
    case PlanParameter::Kind::I32:
    case PlanParameter::Kind::I64:
      parameter.value = scope.readSize(value);
      return parameter;
    case PlanParameter::Kind::F32:
      parameter.value = scope.read(
          value, [](SymbolKind kind) { return kind == SymbolKind::Number; });
      if (parameter.value.kind != SizeExpr::Kind::Symbol)
        value.fail("expected the name of a number, but got '" +
                   parameter.value.str() + "'");
      return parameter;
    }
  }
  node.fail("unknown kind of kernel parameter", newerNote);
  return parameter;
}

static Json kernelToJson(const PlanKernel &kernel) {
  return Json{
      {"name", kernel.name},
      {"alignments", toList(kernel.alignments,
                            [](const PlanAlignment &alignment) {
                              return Json{
                                  {"values", toList(alignment.values, toText)},
                                  {"multiple", alignment.multiple}};
                            })},
      {"parameters", toList(kernel.parameters, parameterToJson)},
      {"grid", toList(kernel.grid, toText)},
      {"block", kernel.block},
      {"cluster", kernel.cluster},
      {"shared_memory", kernel.sharedMemoryBytes}};
}

static PlanKernel readKernel(const JsonNode &node, const Scope &scope) {
  // CUDA C++ Programming Guide, "Technical Specifications per Compute
  // Capability"; more shared memory and larger clusters than any chip has.
  constexpr int64_t maxThreads = 1024, maxCluster = 16,
                    maxSharedBytes = 1 << 20;
  constexpr int64_t maxMultiple = 1 << 20;
  PlanKernel kernel;
  kernel.name = node["name"].string();
  if (kernel.name.empty() || kernel.name.find('\0') != std::string::npos)
    node["name"].fail("expected the name of a kernel");
  for (const JsonNode &item : node["alignments"].elements()) {
    PlanAlignment &alignment = kernel.alignments.emplace_back();
    for (const JsonNode &value : item["values"].elements())
      alignment.values.push_back(scope.readAddress(value));
    alignment.multiple = item["multiple"].integer(1, maxMultiple);
  }
  for (const JsonNode &parameter : node["parameters"].elements())
    kernel.parameters.push_back(readParameter(parameter, scope));
  readArray(node["grid"], kernel.grid,
            [&](const JsonNode &extent) { return scope.readSize(extent); });
  int64_t threads = 1, blocks = 1;
  readArray(node["block"], kernel.block, [&](const JsonNode &extent) {
    return extent.integer(1, maxThreads);
  });
  readArray(node["cluster"], kernel.cluster, [&](const JsonNode &extent) {
    return extent.integer(1, maxCluster);
  });
  for (size_t i = 0; i < kernel.block.size(); ++i) {
    threads *= kernel.block[i];
    blocks *= kernel.cluster[i];
  }
  if (threads > maxThreads)
    node["block"].fail("expected at most " + std::to_string(maxThreads) +
                       " threads, but got " + std::to_string(threads));
  if (blocks > maxCluster)
    node["cluster"].fail("expected at most " + std::to_string(maxCluster) +
                         " blocks, but got " + std::to_string(blocks));
  kernel.sharedMemoryBytes = node["shared_memory"].integer(0, maxSharedBytes);
  return kernel;
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

static PlanCheck readCheck(const JsonNode &node, const Scope &scope,
                           const std::vector<PlanOperand> &operands) {
  PlanCheck check{scope.readSize(node["value"]),
                  scope.readSize(node["expected"]), node["message"].string(),
                  node["note"].string()};
  // Names in braces must be there for whoever puts the operands' in their
  // place.
  for (size_t open = check.message.find('{'); open != std::string::npos;
       open = check.message.find('{', open + 1)) {
    size_t close = check.message.find('}', open);
    std::string name = check.message.substr(
        open + 1, close == std::string::npos ? close : close - open - 1);
    bool isKnown = false;
    for (const PlanOperand &operand : operands)
      isKnown |= operand.name == name;
    if (close == std::string::npos || !isKnown)
      node["message"].fail("unknown operand '" + name + "'");
  }
  return check;
}

static PlanLaunch readLaunch(const JsonNode &node, const Scope &scope) {
  PlanLaunch launch;
  for (const JsonNode &size : node["unless_zero"].elements())
    launch.unlessZero.push_back(scope.readSize(size));
  for (const JsonNode &kernel : node["kernels"].elements())
    launch.kernels.push_back(readKernel(kernel, scope));
  if (launch.kernels.empty())
    node["kernels"].fail("expected at least one kernel");
  return launch;
}

std::string mlir::magicube::readPlanName(const JsonNode &node) {
  std::string name = node.string();
  Result<SizeExpr> symbol = SizeExpr::parse(name);
  if (!symbol || symbol->kind != SizeExpr::Kind::Symbol ||
      symbol->name != name || name.find('.') != std::string::npos)
    node.fail("expected a name of letters, digits and underscores, but got '" +
              name + "'");
  return name;
}

/// Shapes of results are known before the results are.
static std::vector<PlanResult>
readResults(const JsonNode &node, Scope &scope,
            const std::vector<PlanOperand> &operands) {
  std::vector<PlanResult> results;
  for (const JsonNode &item : node.elements()) {
    PlanResult &result = results.emplace_back();
    result.operand = item["operand"].string();
    readArray(item["shape"], result.shape,
              [&](const JsonNode &extent) { return scope.readSize(extent); });
    size_t i = results.size() - 1, seen = 0;
    for (const PlanOperand &operand : operands)
      if (operand.isResult && seen++ == i && operand.name != result.operand)
        item["operand"].fail("expected '" + operand.name + "', but got '" +
                             result.operand + "'");
  }
  size_t count = 0;
  for (const PlanOperand &operand : operands)
    if (operand.isResult) {
      ++count;
      scope.add(operand);
    }
  if (results.size() != count)
    node.fail("expected " + std::to_string(count) + " results, but got " +
              std::to_string(results.size()));
  return results;
}

Json mlir::magicube::planToJson(const LaunchPlan &plan) {
  return Json{
      {"results", toList(plan.results,
                         [](const PlanResult &result) {
                           return Json{{"operand", result.operand},
                                       {"shape", toList(result.shape, toText)}};
                         })},
      {"values",
       toList(plan.values,
              [](const PlanValue &value) {
                return Json{{"name", value.name}, {"value", value.value.str()}};
              })},
      {"checks", toList(plan.checks,
                        [](const PlanCheck &check) {
                          return Json{{"value", check.value.str()},
                                      {"expected", check.expected.str()},
                                      {"message", check.message},
                                      {"note", check.note}};
                        })},
      {"buffers",
       toList(
           plan.buffers,
           [](const PlanBuffer &buffer) {
             return Json{{"name", buffer.name}, {"bytes", buffer.bytes.str()}};
           })},
      {"launches", toList(plan.launches, [](const PlanLaunch &launch) {
         return Json{{"unless_zero", toList(launch.unlessZero, toText)},
                     {"kernels", toList(launch.kernels, kernelToJson)}};
       })}};
}

LaunchPlan mlir::magicube::readPlan(const JsonNode &node,
                                    const std::vector<PlanOperand> &operands) {
  LaunchPlan plan;
  Scope scope;
  for (const PlanOperand &operand : operands)
    if (!operand.isResult)
      scope.add(operand);
  plan.results = readResults(node["results"], scope, operands);
  auto readNew = [&](const JsonNode &item, const std::string &suffix,
                     SymbolKind kind) {
    std::string name = readPlanName(item["name"]);
    if (!scope.add(name + suffix, kind))
      item["name"].fail("'" + name + "' is something else already");
    return name;
  };
  for (const JsonNode &item : node["values"].elements()) {
    SizeExpr value = scope.readSize(item["value"]);
    plan.values.push_back({readNew(item, "", SymbolKind::Size), value});
  }
  for (const JsonNode &item : node["checks"].elements())
    plan.checks.push_back(readCheck(item, scope, operands));
  for (const JsonNode &item : node["buffers"].elements()) {
    SizeExpr bytes = scope.readSize(item["bytes"]);
    plan.buffers.push_back(
        {readNew(item, ".address", SymbolKind::Address), bytes});
  }
  for (const JsonNode &item : node["launches"].elements())
    plan.launches.push_back(readLaunch(item, scope));
  if (plan.launches.empty())
    node["launches"].fail("expected at least one launch");
  return plan;
}
