//===- Options.cpp - Options of the simulated device ----------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include <charconv>
#include <limits>

using namespace mlir::magicube;
using namespace mlir::magicube::sim;

namespace {

template <typename T>
struct Choice {
  std::string_view name;
  T value;
};

constexpr Choice<WarpOrder> warpOrders[] = {{"forward", WarpOrder::Forward},
                                            {"reverse", WarpOrder::Reverse},
                                            {"random", WarpOrder::Random}};

constexpr Choice<AsyncCopyMode> asyncCopyModes[] = {
    {"issue", AsyncCopyMode::Issue}, {"wait", AsyncCopyMode::Wait}};

Error badValue(const std::string &key, const std::string &value,
               const std::string &expected) {
  return {"option '" + key + "' of device 'sim' expects " + expected +
          ", but got '" + value + "'"};
}

/// One of the named values.
template <typename T, size_t n>
Status parseChoice(const std::string &key, const std::string &value,
                   const Choice<T> (&choices)[n], T &result) {
  std::string names;
  for (const Choice<T> &choice : choices) {
    if (choice.name == value) {
      result = choice.value;
      return Status::success();
    }
    names += (names.empty() ? "" : ", ") + std::string(choice.name);
  }
  return badValue(key, value, "one of " + names);
}

/// A decimal number that fits T.
template <typename T>
Status parseNumber(const std::string &key, const std::string &value,
                   T &result) {
  const char *end = value.data() + value.size();
  auto [stop, failure] = std::from_chars(value.data(), end, result);
  if (failure == std::errc() && stop == end)
    return Status::success();
  return badValue(key, value,
                  "a number from 0 to " +
                      std::to_string(std::numeric_limits<T>::max()));
}

Status parseOption(const std::string &key, const std::string &value,
                   Options &result) {
  if (key == "warp-order")
    return parseChoice(key, value, warpOrders, result.warpOrder);
  if (key == "async-copy")
    return parseChoice(key, value, asyncCopyModes, result.asyncCopy);
  if (key == "seed")
    return parseNumber(key, value, result.seed);
  if (key == "shared-memory-limit")
    return parseNumber(key, value, result.sharedMemoryLimit);
  if (key == "threads")
    return parseNumber(key, value, result.threads);
  return Error{"unknown option '" + key + "' of device 'sim'",
               "use warp-order, seed, async-copy, shared-memory-limit or "
               "threads"};
}

} // namespace

Result<Options> sim::parseOptions(const DeviceOptions &options) {
  Options result;
  for (const auto &[key, value] : options)
    if (Status parsed = parseOption(key, value, result); !parsed)
      return parsed.error();
  return result;
}
