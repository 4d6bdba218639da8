//===- Compiler.cpp - Compiling a module -----------------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Context, parsing, pipelines, extraction of binaries.
//
//===----------------------------------------------------------------------===//

#include "magicube/Serialize/Compiler.h"

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
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::magicube;

std::unique_ptr<MLIRContext> mlir::magicube::createCompilerContext() {
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  registerAllToLLVMIRTranslations(registry);
  registerMagicubeDialects(registry);
  // Modules are small: threads cost more than they bring.
  return std::make_unique<MLIRContext>(registry,
                                       MLIRContext::Threading::DISABLED);
}

OwningOpRef<ModuleOp> mlir::magicube::parseModuleFile(MLIRContext &context,
                                                      StringRef path) {
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> file = openInputFile(path, &message);
  if (!file) {
    llvm::errs() << "error: " << message << "\n";
    return {};
  }
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(std::move(file), SMLoc());
  return parseSourceFile<ModuleOp>(sources, &context);
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
      InFlightDiagnostic diag = module.emitError(status.error().message);
      diag.attachNote() << status.error().note;
      return diag;
    }
  }
  PassManager manager(module.getContext());
  buildSerializePipeline(manager, format, /*toolkit=*/"");
  return manager.run(module);
}

FailureOr<std::string>
mlir::magicube::getSerializedKernels(ModuleOp module) {
  SmallVector<gpu::ObjectAttr> objects;
  for (gpu::BinaryOp binary : module.getOps<gpu::BinaryOp>())
    for (Attribute object : binary.getObjects())
      objects.push_back(cast<gpu::ObjectAttr>(object));
  if (objects.empty()) {
    module.emitError("has no kernel: no product in it runs on a GPU");
    return failure();
  }
  if (objects.size() > 1) {
    module.emitError("has ")
        << objects.size() << " GPU modules, but one file takes one";
    return failure();
  }
  return objects.front().getObject().getValue().str();
}
