//===- Compiler.cpp - Compiling a module ----------------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Context, parsing, pipelines, extraction of binaries.
//
//===----------------------------------------------------------------------===//

#include "magicube/Serialize/Compiler.h"

#include "magicube/Pipelines/Diagnostics.h"
#include "magicube/Pipelines/Registration.h"
#include "magicube/Serialize/Toolkit.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/AsmState.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"

using namespace mlir;
using namespace mlir::magicube;

std::unique_ptr<MLIRContext> mlir::magicube::createCompilerContext() {
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  registerAllToLLVMIRTranslations(registry);
  registerMagicubeDialects(registry);
  // Modules are small: threads cost more than they bring.
  auto context =
      std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  // Diagnostics show the user's line; the operation itself, by then lowered
  // half-way, would bury it.
  context->printOpOnDiagnostic(false);
  return context;
}

/// The source manager that `diagnostics` is about takes the file.
static llvm::SourceMgr &addFile(llvm::SourceMgr &sources,
                                std::unique_ptr<llvm::MemoryBuffer> file) {
  sources.AddNewSourceBuffer(std::move(file), SMLoc());
  sources.setDiagHandler(printWithShortLine);
  return sources;
}

ParsedModule::ParsedModule(MLIRContext &context,
                           std::unique_ptr<llvm::MemoryBuffer> file)
    : diagnostics(addFile(sources, std::move(file)), &context),
      module(parseSourceFile<ModuleOp>(sources, &context)) {}

std::unique_ptr<ParsedModule>
mlir::magicube::parseModuleFile(MLIRContext &context, StringRef path) {
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> file = openInputFile(path, &message);
  if (!file) {
    llvm::errs() << "error: " << message << "\n";
    return nullptr;
  }
  auto parsed = std::make_unique<ParsedModule>(context, std::move(file));
  return *parsed ? std::move(parsed) : nullptr;
}

LogicalResult mlir::magicube::propagateQuantization(ModuleOp module) {
  PassManager manager(module.getContext());
  buildQuantizationPipeline(manager);
  return manager.run(module);
}

LogicalResult mlir::magicube::runStages(ModuleOp module,
                                        const CompileOptions &options,
                                        StringRef last, bool dump) {
  PassManager manager(module.getContext());
  if (!buildCompilePipeline(manager, options, last))
    return module.emitError("unknown stage '") << last << "'";
  if (dump) {
    manager.printAsTextualPipeline(llvm::errs());
    llvm::errs() << "\n";
  }
  return manager.run(module);
}

LogicalResult mlir::magicube::serializeKernels(ModuleOp module,
                                               BinaryFormat format) {
  if (format == BinaryFormat::Binary) {
    if (Status status = usePtxas(); !status) {
      // About the machine, not about a line of the module.
      llvm::errs() << "error: " << status.error().message
                   << "\nnote: " << status.error().note << "\n";
      return failure();
    }
  }
  PassManager manager(module.getContext());
  buildSerializePipeline(manager, format, /*toolkit=*/"");
  return manager.run(module);
}

FailureOr<std::string> mlir::magicube::getSerializedKernels(ModuleOp module) {
  SmallVector<gpu::ObjectAttr> objects;
  for (gpu::BinaryOp binary : module.getOps<gpu::BinaryOp>())
    for (Attribute object : binary.getObjects())
      objects.push_back(cast<gpu::ObjectAttr>(object));
  if (objects.empty()) {
    module.emitError("has no kernel: no product in it runs on a GPU")
            .attachNote()
        << "products are 'magicube.spmm' operations in functions; see "
           "examples/spmm.mlir";
    return failure();
  }
  if (objects.size() > 1) {
    module.emitError("has ")
        << objects.size() << " GPU modules, but one file takes one";
    return failure();
  }
  return objects.front().getObject().getValue().str();
}
