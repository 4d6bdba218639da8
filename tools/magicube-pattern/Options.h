//===- Options.h - The command line of magicube-pattern -------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Words to values; what they mean together is left to the library.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_TOOLS_MAGICUBE_PATTERN_OPTIONS_H
#define MAGICUBE_TOOLS_MAGICUBE_PATTERN_OPTIONS_H

#include "magicube/Format/Pattern.h"

namespace mlir::magicube {

/// How the pattern's numbers are printed.
enum class StatisticsForm { None, Text, Json };

struct PatternOptions {
  /// Complete but for masks, and for extents (0) where they come from a mask.
  PatternSpec spec;
  SRBCRSEncoding encoding;
  /// Files; empty: none.
  std::string mask, blockMask, out;
  /// Whether an entry of `out` is a vector, not an element.
  bool isOutOfVectors = false;
  int64_t blockRows = 0;
  int64_t blockCols = 0;
  StatisticsForm statistics = StatisticsForm::Text;
  bool help = false;
};

/// The text of --help.
extern const char *const patternHelp;

/// Parses the arguments after the program's name.
Result<PatternOptions> parseCommandLine(const std::vector<std::string> &words);

} // namespace mlir::magicube

#endif // MAGICUBE_TOOLS_MAGICUBE_PATTERN_OPTIONS_H
