//===- Options.cpp - The command line -------------------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One table of options drives parsing and messages.
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include <charconv>
#include <optional>

using namespace mlir::magicube;

const char *const mlir::magicube::kHelp =
    R"(Prints the layouts that kernels are built from, as grids.

  --list                   the MMA instructions, operand layouts and forms there are
  --mma=NAME               fragments of an MMA instruction: which lane and register
                           hold which element
      --bits=8|4           width of its operands (default 8)
      --operand=a|b|c      one operand (default: all)
  --step=LAYOUT            a step of 32 stored vectors: which lane gathers which
                           position, how registers are permuted, who ends with
                           which result. The operand layout in words, such as
                           interleaved,paired
      --vector=V           rows of a vector: 1, 2, 4, 8 or 16 (default 8)
      --lhs-bits=L         width of sparse values: 4, 8, 12 or 16 (default 8, or
                           what the layout takes)
      --rhs-bits=R         width of dense values: 4, 8 or 16 (the same)
  --shared                 a tile in shared memory: bank of every 16-byte chunk, and
                           what an ldmatrix phase costs
      --rows=N             rows of the tile (default 32)
      --row-bytes=N        bytes of a row (default 128)
      --form=FORM          conflict-free (default), padded or plain
)";

namespace {

struct OptionRow {
  const char *name;
  bool takesValue;
  /// The mode that the option selects, or goes with.
  Mode mode;
  bool selectsMode;
};

constexpr OptionRow kOptions[] = {
    // name, value, mode, selects it
    {"help", false, Mode::Help, true},
    {"list", false, Mode::List, true},
    {"mma", true, Mode::Mma, true},
    {"bits", true, Mode::Mma, false},
    {"operand", true, Mode::Mma, false},
    {"step", true, Mode::Step, true},
    {"vector", true, Mode::Step, false},
    {"lhs-bits", true, Mode::Step, false},
    {"rhs-bits", true, Mode::Step, false},
    {"shared", false, Mode::Shared, true},
    {"rows", true, Mode::Shared, false},
    {"row-bytes", true, Mode::Shared, false},
    {"form", true, Mode::Shared, false},
};

} // namespace

static constexpr const char *kSeeHelp = "--help lists the options";

static const OptionRow *lookup(const std::string &name) {
  for (const OptionRow &row : kOptions)
    if (row.name == name)
      return &row;
  return nullptr;
}

/// Adds one argument to `options`.
static Status parseArgument(const std::string &argument, Options &options) {
  size_t equals = argument.find('=');
  const OptionRow *row = nullptr;
  if (argument.compare(0, 2, "--") == 0)
    row = lookup(
        argument.substr(2, equals == std::string::npos ? equals : equals - 2));
  if (!row)
    return Error{"unknown argument '" + argument + "'", kSeeHelp};
  std::string value =
      equals == std::string::npos ? "" : argument.substr(equals + 1);
  if (row->takesValue && value.empty())
    return Error{std::string("--") + row->name + " needs a value", kSeeHelp};
  if (!row->takesValue && equals != std::string::npos)
    return Error{std::string("--") + row->name + " takes no value, but got '" +
                     value + "'",
                 kSeeHelp};
  if (!options.values.emplace(row->name, value).second)
    return Error{std::string("--") + row->name + " is given twice", ""};
  return Status::success();
}

/// Finds the mode among the options given, and refuses options of other modes.
static Status selectMode(Options &options) {
  std::optional<Mode> mode;
  std::string selector;
  for (const OptionRow &row : kOptions) {
    if (!row.selectsMode || !options.values.count(row.name))
      continue;
    if (mode)
      return Error{selector + " and --" + row.name + " print different things",
                   "give one of them"};
    mode = row.mode;
    selector = std::string("--") + row.name;
  }
  if (!mode)
    return Error{"nothing to print",
                 "give one of --list, --mma=, --step= and --shared"};
  for (const OptionRow &row : kOptions)
    if (options.values.count(row.name) && row.mode != *mode)
      return Error{std::string("--") + row.name + " does not go with " +
                       selector,
                   kSeeHelp};
  options.mode = *mode;
  return Status::success();
}

Result<Options>
mlir::magicube::parseOptions(const std::vector<std::string> &arguments) {
  Options options;
  for (const std::string &argument : arguments)
    if (Status status = parseArgument(argument, options); !status)
      return status.error();
  if (Status status = selectMode(options); !status)
    return status.error();
  return options;
}

std::string Options::get(const std::string &name,
                         const std::string &otherwise) const {
  auto found = values.find(name);
  return found == values.end() ? otherwise : found->second;
}

Result<int> Options::getNumber(const std::string &name, int otherwise, int min,
                               int max) const {
  std::string text = get(name, std::to_string(otherwise));
  int number = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() ||
      number < min || number > max)
    return Error{"expected --" + name + " to be a number from " +
                 std::to_string(min) + " to " + std::to_string(max) +
                 ", but got '" + text + "'"};
  return number;
}
