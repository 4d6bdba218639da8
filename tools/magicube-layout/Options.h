//===- Options.h - The command line ---------------------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What to print, checked against the tables' names by the printers.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_TOOLS_MAGICUBE_LAYOUT_OPTIONS_H
#define MAGICUBE_TOOLS_MAGICUBE_LAYOUT_OPTIONS_H

#include "magicube/Support/Result.h"

#include <map>
#include <string>
#include <vector>

namespace mlir::magicube {

/// One of the things that the tool prints.
enum class Mode { Help, List, Mma, Step, Shared };

/// The parsed command line. `values` has the options given, by name without
/// dashes; those that do not go with the mode have been refused.
struct Options {
  Mode mode = Mode::Help;
  std::map<std::string, std::string> values;

  /// The value of an option, or `otherwise` where it was not given.
  std::string get(const std::string &name, const std::string &otherwise) const;
  /// The same for a number from `min` to `max`.
  Result<int> getNumber(const std::string &name, int otherwise, int min,
                        int max) const;
};

/// Parses `--name` and `--name=value` arguments. Errors: what is no option, a
/// value that is missing or too much, not exactly one mode, an option that does
/// not go with the mode.
Result<Options> parseOptions(const std::vector<std::string> &arguments);

/// The text of --help.
extern const char *const kHelp;

} // namespace mlir::magicube

#endif // MAGICUBE_TOOLS_MAGICUBE_LAYOUT_OPTIONS_H
