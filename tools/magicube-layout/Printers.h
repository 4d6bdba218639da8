//===- Printers.h - What the tool prints ----------------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function per mode of the command line.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_TOOLS_MAGICUBE_LAYOUT_PRINTERS_H
#define MAGICUBE_TOOLS_MAGICUBE_LAYOUT_PRINTERS_H

#include "Options.h"

#include <iosfwd>

namespace mlir::magicube {

/// Names for --mma=, --step= and --form=.
Status printList(const Options &options, std::ostream &os);

/// Fragments of an MMA instruction.
Status printMma(const Options &options, std::ostream &os);

/// Gather, operands and results of a step.
Status printStep(const Options &options, std::ostream &os);

/// Banks and conflicts of a tile in shared memory.
Status printShared(const Options &options, std::ostream &os);

} // namespace mlir::magicube

#endif // MAGICUBE_TOOLS_MAGICUBE_LAYOUT_PRINTERS_H
