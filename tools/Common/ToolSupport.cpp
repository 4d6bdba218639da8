//===- ToolSupport.cpp - What command-line tools share --------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's handlers and streams, as users of these tools should meet them.
//
//===----------------------------------------------------------------------===//

#include "ToolSupport.h"

#include "magicube/Format/FileIO.h"
#include "magicube/Support/OutOfMemory.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>

using namespace mlir::magicube;
namespace cl = llvm::cl;

void mlir::magicube::initializeTool() {
  llvm::install_bad_alloc_error_handler(
      [](void *, const char *, bool) { exitOutOfMemory(); });
  // A write past the limit of file sizes then fails as on a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  llvm::setBugReportMsg("This is a bug in Magicube. Please report it with the "
                        "command, its input and this text.\n");
  cl::ResetCommandLineParser();
  cl::SetVersionPrinter([](llvm::raw_ostream &out) {
    out << "Magicube " MAGICUBE_VERSION " on LLVM " LLVM_VERSION_STRING "\n";
  });
}

int mlir::magicube::fail(const Error &error) {
  llvm::errs() << "error: " << error.message << "\n";
  if (!error.note.empty())
    llvm::errs() << "note: " << error.note << "\n";
  return 1;
}

Status mlir::magicube::writeOutput(const std::string &path,
                                   llvm::StringRef bytes) {
  if (path != "-")
    return writeFile(path, bytes);
  llvm::raw_fd_ostream &out = llvm::outs();
  out << bytes;
  out.flush();
  if (!out.has_error())
    return Status::success();
  std::string reason = out.error().message();
  // Else the stream would end the process in its own words.
  out.clear_error();
  return Error{"cannot write to standard output: " + reason};
}
