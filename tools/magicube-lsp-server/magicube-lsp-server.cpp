//===- magicube-lsp-server.cpp - The language server ----------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mlir-lsp-server with the project's dialects: editors set it as the server for
// .mlir files.
//
//===----------------------------------------------------------------------===//

#include "magicube/Pipelines/Registration.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::magicube::registerMagicubeDialects(registry);
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
