//===- Options.h - The command line of magicube-launch --------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_TOOLS_MAGICUBE_LAUNCH_OPTIONS_H
#define MAGICUBE_TOOLS_MAGICUBE_LAUNCH_OPTIONS_H

#include "magicube/Runtime/Device.h"

namespace mlir::magicube {

/// One run: a bundle on some arguments.
struct CaseOptions {
  std::string bundle;
  /// A label for reports.
  std::string name;
  std::vector<std::string> args;
  /// Files of the first results, in order.
  std::vector<std::string> outs;
  /// A file; empty: none.
  std::string expected;
  bool check = false;
  /// Compare random projections of the result in place of its elements.
  bool checkProjection = false;
  uint64_t seed = 0;
  /// Replays of the measurement; 0: do not measure.
  unsigned repeat = 0;
  /// Bytes that copies of the operands take together; 0: one copy.
  uint64_t rotateBytes = 0;
};

/// The whole command line.
struct LaunchOptions {
  CaseOptions run;
  std::string device = "cuda";
  DeviceOptions deviceOptions;
  /// A file with one run a line; empty: the one run above.
  std::string cases;
  bool timeLoad = false;
  bool help = false;
};

/// The text of --help.
extern const char *const launchHelp;

/// Parses the arguments after the program's name.
Result<LaunchOptions> parseCommandLine(const std::vector<std::string> &words);

/// Parses one line of a file of cases: options of a run, separated by blanks
/// ("a b" is one word). `name` and `line` are for messages.
Result<CaseOptions> parseCaseLine(const std::string &text,
                                  const std::string &name, size_t line);

} // namespace mlir::magicube

#endif // MAGICUBE_TOOLS_MAGICUBE_LAUNCH_OPTIONS_H
