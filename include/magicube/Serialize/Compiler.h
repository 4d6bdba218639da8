//===- Compiler.h - Compiling a module ------------------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the pipelines on a module and takes its kernels out; what the tools
// share.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_SERIALIZE_COMPILER_H
#define MAGICUBE_SERIALIZE_COMPILER_H

#include "magicube/Pipelines/Pipelines.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/SourceMgr.h"

#include <memory>
#include <string>

namespace mlir::magicube {

/// A context with every dialect, translation and target that the pipelines use,
/// ours and upstream's.
std::unique_ptr<MLIRContext> createCompilerContext();

/// A module from a file. While it lives, diagnostics of its context go to
/// standard error with the line of the file that they are about, and with their
/// notes.
class ParsedModule {
public:
  ParsedModule(MLIRContext &context, std::unique_ptr<llvm::MemoryBuffer> file);

  /// False if the file held no valid module, which has been reported.
  explicit operator bool() const { return static_cast<bool>(module); }
  ModuleOp operator*() const { return *module; }

private:
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler diagnostics;
  OwningOpRef<ModuleOp> module;
};

/// Reads a module from a file of IR in text or bytecode ("-": standard input).
/// Null if there is none; errors are reported on standard error.
std::unique_ptr<ParsedModule> parseModuleFile(MLIRContext &context,
                                              StringRef path);

/// Makes integer products of quantized ones, so that the types of functions are
/// those of the stored values.
LogicalResult propagateQuantization(ModuleOp module);

/// Runs the stages up to and including `last` (empty: all). With `dump` the
/// pipeline is printed to standard error first, so that magicube-opt can repeat
/// it.
LogicalResult runStages(ModuleOp module, const CompileOptions &options,
                        StringRef last = {}, bool dump = false);

/// Turns the kernels of a module that went through all stages into `gpu.binary`
/// operations. Finds ptxas where `format` needs it.
LogicalResult serializeKernels(ModuleOp module, BinaryFormat format);

/// The bytes of the module's one `gpu.binary`; an error if there is none (the
/// program has no product) or more than one.
FailureOr<std::string> getSerializedKernels(ModuleOp module);

} // namespace mlir::magicube

#endif // MAGICUBE_SERIALIZE_COMPILER_H
