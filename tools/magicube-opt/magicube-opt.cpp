//===- magicube-opt.cpp - The pass driver ---------------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mlir-opt with the project's dialects, passes and pipelines.
//
//===----------------------------------------------------------------------===//

#include "magicube/Pipelines/Registration.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllToLLVMIRTranslations(registry);
  mlir::registerAllPasses();
  mlir::magicube::registerMagicubeDialects(registry);
  mlir::magicube::registerMagicubePasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Magicube pass driver\n", registry));
}
