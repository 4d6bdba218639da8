//===- Registration.h - Dialects and passes for tools ---------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every tool and plugin of the project registers.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_PIPELINES_REGISTRATION_H
#define MAGICUBE_PIPELINES_REGISTRATION_H

#include "mlir/IR/DialectRegistry.h"

namespace mlir::magicube {

/// Adds the dialects magicube and magicube_gpu, and the upstream extensions
/// that the pipelines need, to `registry`. With them, diagnostics show long
/// types in short (Diagnostics.h).
void registerMagicubeDialects(DialectRegistry &registry);

/// Adds the project's passes and pipelines to the global pass registry.
void registerMagicubePasses();

} // namespace mlir::magicube

#endif // MAGICUBE_PIPELINES_REGISTRATION_H
