//===- magicube-launch.cpp - Run bundles ----------------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What magicube-run does, for a bundle and with the runtime alone: this program
// needs neither LLVM nor a compiler.
//
//===----------------------------------------------------------------------===//

#include "Session.h"

#include "tools/Common/PlainTool.h"

#include "magicube/Format/FileIO.h"
#include "magicube/Support/Json.h"

using namespace mlir::magicube;

/// "cubin", "ptx", ... of what was loaded.
static std::string describeLoaded(const BundleProgram &program) {
  return std::string(describeImage(program.format())) + " for " +
         program.chip().chip;
}

//===----------------------------------------------------------------------===//
// One run
//===----------------------------------------------------------------------===//

/// Names of the kernels that were launched, in order.
static std::string describeKernels(const CaseReport &report) {
  std::string names;
  for (const PlannedLaunch &launch : report.launches)
    names += (names.empty() ? "" : ", ") + launch.kernel->name;
  return names.empty() ? "nothing to compute" : names;
}

static void printReport(const CaseReport &report) {
  if (report.timing) {
    const LaunchTiming &timing = *report.timing;
    std::printf("%s, %s: median %.2f us (min %.2f, max %.2f)",
                describeKernels(report).c_str(),
                describeLoaded(*report.program).c_str(),
                timing.medianMicroseconds, timing.minMicroseconds,
                timing.maxMicroseconds);
    if (report.products > 0)
      std::printf(", %.1f TOP/s", report.teraOps());
    std::printf("\n");
  }
  if (report.wasCompared)
    std::printf(report.wasProjected ? "exact projections\n" : "exact\n");
}

static int runOne(Session &session, const LaunchOptions &options) {
  Result<CaseReport> report = session.run(options.run);
  if (!report)
    return fail(report.error());
  if (options.timeLoad)
    std::printf("driver start %.2f ms, bundle load %.2f ms, first launch %.2f "
                "ms\n",
                session.startMilliseconds(), report->loadMilliseconds,
                report->launchMilliseconds);
  printReport(*report);
  return 0;
}

//===----------------------------------------------------------------------===//
// Many runs
//===----------------------------------------------------------------------===//

/// What was asked for, as members of a row.
static Json describeCase(const CaseOptions &options) {
  Json row = Json::object();
  if (!options.name.empty())
    row["name"] = options.name;
  row["bundle"] = options.bundle;
  row["args"] = options.args;
  row["seed"] = options.seed;
  if (options.rotateBytes > 0)
    row["rotate_bytes"] = options.rotateBytes;
  return row;
}

static void addReport(Json &row, const CaseReport &report,
                      const Session &session) {
  const BundleProgram &program = *report.program;
  row["device"] = session.device().description();
  row["chip"] = session.device().chip();
  row["image"] = describeLoaded(program);
  row["ir_sha256"] = program.chip().irHash;
  if (!report.launches.empty()) {
    const PlannedLaunch &launch = report.launches.front();
    row["kernel"] = launch.kernel->name;
    row["grid"] = {launch.grid.x, launch.grid.y, launch.grid.z};
    row["threads"] = launch.block.x * launch.block.y * launch.block.z;
    row["shared_memory"] = launch.kernel->sharedMemoryBytes;
  }
  if (report.launches.size() > 1)
    row["launches"] = report.launches.size();
  row["m"] = report.rows;
  row["k"] = report.inner;
  row["n"] = report.columns;
  row["v"] = report.vector;
  row["vectors"] = report.vectors;
  row["stored"] = report.stored;
  if (report.copies > 1)
    row["copies"] = report.copies;
  row["check"] = !report.wasCompared   ? Json()
                 : report.wasProjected ? Json("exact projections")
                                       : Json("exact");
  row["launch_ms"] = report.launchMilliseconds;
  if (report.timing) {
    row["median_us"] = report.timing->medianMicroseconds;
    row["min_us"] = report.timing->minMicroseconds;
    row["max_us"] = report.timing->maxMicroseconds;
    if (report.products > 0)
      row["tops"] = report.teraOps();
  }
}

/// Runs a line; prints its row. Returns whether it succeeded.
static bool runLine(Session &session, const std::string &line,
                    const std::string &file, size_t number) {
  Result<CaseOptions> options = parseCaseLine(line, file, number);
  Result<CaseReport> report =
      options ? session.run(*options) : Result<CaseReport>(options.error());
  Json row;
  if (options)
    row = describeCase(*options);
  if (report) {
    addReport(row, *report, session);
  } else {
    row["error"] = report.error().message;
    if (!report.error().note.empty())
      row["note"] = report.error().note;
  }
  std::printf("%s\n", toJson(row).c_str());
  std::fflush(stdout);
  return bool(report);
}

static int runCases(Session &session, const LaunchOptions &options) {
  Result<std::string> text = readFile(options.cases);
  if (!text)
    return fail(text.error());
  size_t passed = 0, failed = 0, number = 0;
  for (size_t start = 0; start < text->size();) {
    size_t end = std::min(text->find('\n', start), text->size());
    std::string line = text->substr(start, end - start);
    start = end + 1;
    ++number;
    size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string::npos || line[first] == '#')
      continue;
    ++(runLine(session, line, options.cases, number) ? passed : failed);
  }
  if (options.timeLoad)
    std::fprintf(stderr, "driver start %.2f ms\n", session.startMilliseconds());
  std::fprintf(stderr, "%zu passed, %zu failed\n", passed, failed);
  return failed ? 1 : 0;
}

static int run(const LaunchOptions &options) {
  Result<std::unique_ptr<Session>> session = Session::create(options);
  if (!session)
    return fail(session.error());
  return options.cases.empty() ? runOne(**session, options)
                               : runCases(**session, options);
}

int main(int argc, char **argv) {
  return runPlainTool(argc, argv, launchHelp, parseCommandLine, run);
}
