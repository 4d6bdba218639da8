//===- Registration.cpp - Dialects and passes for tools -------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers dialects, passes and pipelines.
//
//===----------------------------------------------------------------------===//

#include "magicube/Pipelines/Registration.h"

#include "dialect/magicube/MagicubeDialect.h"
#include "dialect/magicube_gpu/MagicubeGPUDialect.h"
#include "magicube/Conversion/Passes.h"
#include "magicube/GPU/Transforms/Passes.h"
#include "magicube/Pipelines/Diagnostics.h"
#include "magicube/Pipelines/Pipelines.h"
#include "magicube/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::magicube;

void mlir::magicube::registerMagicubeDialects(DialectRegistry &registry) {
  registry.insert<MagicubeDialect, magicube_gpu::MagicubeGPUDialect>();
  // Tools register the handlers that print before they load a dialect.
  registry.addExtension(+[](MLIRContext *context, MagicubeDialect *) {
    shortenDiagnostics(*context);
  });
}

void mlir::magicube::registerMagicubePasses() {
  registerMagicubeConversionPasses();
  registerMagicubeTransformsPasses();
  registerMagicubeGPUPasses();
  registerMagicubePipelines();
}
