//===- MagicubePlugin.cpp - Plugin for stock mlir-opt ---------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One library for both options of mlir-opt, --load-dialect-plugin= and
// --load-pass-plugin=. Passes of plugins are named in --pass-pipeline=, since
// options for single passes exist before a plugin is loaded.
//
//===----------------------------------------------------------------------===//

#include "magicube/Pipelines/Registration.h"

#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

static constexpr const char *kName = "Magicube";

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT mlir::DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, kName, MAGICUBE_VERSION,
          [](mlir::DialectRegistry *registry) {
            mlir::magicube::registerMagicubeDialects(*registry);
          }};
}

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, kName, MAGICUBE_VERSION,
          [] { mlir::magicube::registerMagicubePasses(); }};
}
