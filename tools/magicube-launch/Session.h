//===- Session.h - Runs on one device -------------------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_TOOLS_MAGICUBE_LAUNCH_SESSION_H
#define MAGICUBE_TOOLS_MAGICUBE_LAUNCH_SESSION_H

#include "Options.h"

#include "magicube/Format/ProgramArguments.h"
#include "magicube/Runtime/BundleProgram.h"

#include <map>

namespace mlir::magicube {

/// What a run did.
struct CaseReport {
  const BundleProgram *program = nullptr;
  std::vector<PlannedLaunch> launches;
  int64_t rows = 0, inner = 0, columns = 0, vector = 0;
  /// Products that a component of a stored vector is part of, or the sum of; 0:
  /// not known, or none.
  int64_t products = 0;
  /// Vectors, and stored ones with padding.
  int64_t vectors = 0, stored = 0;
  std::optional<LaunchTiming> timing;
  bool wasCompared = false;
  /// By projections only.
  bool wasProjected = false;
  /// Of operands and result.
  size_t copies = 1;
  /// Milliseconds from file to loaded module (0 if it was loaded before), and
  /// from the call of the launch to its end.
  double loadMilliseconds = 0, launchMilliseconds = 0;

  /// 10^12 operations a second of the median; a multiply-add is two.
  double teraOps() const;
};

/// A device with the bundles that were loaded on it.
class Session {
public:
  static Result<std::unique_ptr<Session>> create(const LaunchOptions &options);

  const Device &device() const { return *owned; }
  /// Milliseconds that creating the device took.
  double startMilliseconds() const { return start; }

  /// Makes the arguments, launches, and then measures, writes and compares as
  /// the options say.
  Result<CaseReport> run(const CaseOptions &options);

private:
  Result<BundleProgram *> load(const std::string &path, CaseReport &report);

  std::unique_ptr<Device> owned;
  double start = 0;
  // Before the device in the order of destruction.
  std::map<std::string, std::unique_ptr<BundleProgram>> programs;
};

} // namespace mlir::magicube

#endif // MAGICUBE_TOOLS_MAGICUBE_LAUNCH_SESSION_H
