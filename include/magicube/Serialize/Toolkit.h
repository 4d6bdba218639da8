//===- Toolkit.h - Finding the CUDA toolkit --------------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where ptxas is, for pipelines that make machine code.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_SERIALIZE_TOOLKIT_H
#define MAGICUBE_SERIALIZE_TOOLKIT_H

#include "magicube/Support/Result.h"

#include <string>

namespace mlir::magicube {

/// The path of ptxas. Searched: bin/ of MAGICUBE_CUDA_TOOLKIT, CUDA_PATH,
/// CUDA_HOME (environment), PATH, /usr/local/cuda/bin. As in the scripts,
/// MAGICUBE_IGNORE_SYSTEM_CUDA=1 leaves only the first.
Result<std::string> findPtxas();

/// Makes upstream's gpu-module-to-binary, which searches PATH, use that ptxas.
Status usePtxas();

} // namespace mlir::magicube

#endif // MAGICUBE_SERIALIZE_TOOLKIT_H
