//===- Passes.h - Passes on the warp-level dialect ------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declarations of the passes in Passes.td of this folder.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_GPU_TRANSFORMS_PASSES_H
#define MAGICUBE_GPU_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir::magicube {

#define GEN_PASS_DECL
#include "magicube/GPU/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "magicube/GPU/Transforms/Passes.h.inc"

} // namespace mlir::magicube

#endif // MAGICUBE_GPU_TRANSFORMS_PASSES_H
