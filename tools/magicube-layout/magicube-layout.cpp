//===- magicube-layout.cpp - Prints layouts as grids ----------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For people who write or debug kernels: the tables that the compiler, the
// packer and the tests share, made visible. Links neither LLVM nor MLIR.
//
//===----------------------------------------------------------------------===//

#include "Printers.h"

#include "tools/Common/PlainTool.h"

#include <iostream>

using namespace mlir::magicube;

static Status print(const Options &options, std::ostream &os) {
  switch (options.mode) {
  case Mode::Help:
    os << kHelp;
    return Status::success();
  case Mode::List:
    return printList(options, os);
  case Mode::Mma:
    return printMma(options, os);
  case Mode::Step:
    return printStep(options, os);
  case Mode::Shared:
    return printShared(options, os);
  }
  return Status::success();
}

int main(int argc, char **argv) {
  Result<Options> options =
      parseOptions(std::vector<std::string>(argv + 1, argv + argc));
  if (!options)
    return fail(options.error());
  Status status = print(*options, std::cout);
  return status ? 0 : fail(status.error());
}
