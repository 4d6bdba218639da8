//===- Diagnostics.h - Messages of a bounded length -----------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A quantized type may have a scale for each of 100,000 columns, and upstream's
// diagnostics print types and whole operations.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_PIPELINES_DIAGNOSTICS_H
#define MAGICUBE_PIPELINES_DIAGNOSTICS_H

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Types.h"

#include <string>

namespace llvm {
class SMDiagnostic;
} // namespace llvm

namespace mlir::magicube {

/// `type` as a message shows it: a long one without what is in the middle.
std::string getShortText(Type type);

/// Has the diagnostics of `context`, upstream's too, show types and attributes
/// in that way, and operations of many lines likewise. Handlers that were
/// registered before get the short ones.
void shortenDiagnostics(MLIRContext &context);

/// A handler for a llvm::SourceMgr: prints to the standard error, of a long
/// line of the file only what is around the location.
void printWithShortLine(const llvm::SMDiagnostic &diagnostic, void *);

} // namespace mlir::magicube

#endif // MAGICUBE_PIPELINES_DIAGNOSTICS_H
