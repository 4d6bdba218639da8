//===- ToolSupport.h - What command-line tools share ----------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Start, messages and output of the tools.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_TOOLS_COMMON_TOOLSUPPORT_H
#define MAGICUBE_TOOLS_COMMON_TOOLSUPPORT_H

#include "magicube/Support/Result.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CommandLine.h"

#include <string>

namespace mlir::magicube {

/// Takes LLVM's own options, some of the names that tools want, out of the way,
/// and makes running out of memory or of file size a message and exit status 1.
/// Call it after llvm::InitLLVM and before options are made.
void initializeTool();

/// Prints an error and its note on standard error; returns the exit status, 1.
int fail(const Error &error);

/// Writes a file as a whole (see writeFile), or standard output for "-".
Status writeOutput(const std::string &path, llvm::StringRef bytes);

/// Parser of an option with named values, whose error lists the names.
template <typename EnumT>
class NamedValueParser : public llvm::cl::parser<EnumT> {
public:
  using Base = llvm::cl::parser<EnumT>;
  using Base::Base;

  /// Returns true on failure, as LLVM's parsers do.
  bool parse(llvm::cl::Option &option, llvm::StringRef, llvm::StringRef text,
             EnumT &value) {
    for (const auto &row : this->Values)
      if (row.Name == text) {
        value = row.V.getValue();
        return false;
      }
    std::string names;
    for (const auto &row : this->Values)
      names += (names.empty() ? "" : ", ") + row.Name.str();
    return option.error("expected one of " + names + ", but got '" + text +
                        "'");
  }
};

} // namespace mlir::magicube

#endif // MAGICUBE_TOOLS_COMMON_TOOLSUPPORT_H
