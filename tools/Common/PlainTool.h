//===- PlainTool.h - What tools without LLVM share ------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Their start and their messages; ToolSupport.h has those of the others.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_TOOLS_COMMON_PLAINTOOL_H
#define MAGICUBE_TOOLS_COMMON_PLAINTOOL_H

#include "magicube/Support/OutOfMemory.h"
#include "magicube/Support/Result.h"

#include <cstdio>
#include <new>
#include <string>
#include <vector>

namespace mlir::magicube {

/// Prints an error and its note on standard error; returns the exit status, 1.
inline int fail(const Error &error) {
  std::fprintf(stderr, "error: %s\n", error.message.c_str());
  if (!error.note.empty())
    std::fprintf(stderr, "note: %s\n", error.note.c_str());
  return 1;
}

/// The frame of main(): `parse` makes options of the command line, --help
/// prints `help`, and `run` returns the exit status for the options.
template <typename Parse, typename Run>
int runPlainTool(int argc, char **argv, const char *help, Parse parse,
                 Run run) {
  std::set_new_handler(exitOutOfMemory);
  auto options = parse(std::vector<std::string>(argv + 1, argv + argc));
  if (!options)
    return fail(options.error());
  if (options->help) {
    std::fputs(help, stdout);
    return 0;
  }
  return run(*options);
}

} // namespace mlir::magicube

#endif // MAGICUBE_TOOLS_COMMON_PLAINTOOL_H
