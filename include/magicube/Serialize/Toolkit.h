//===- Toolkit.h - The CUDA toolkit's programs ----------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finding and running ptxas and fatbinary, which make machine code of PTX and
// one file of several images.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_SERIALIZE_TOOLKIT_H
#define MAGICUBE_SERIALIZE_TOOLKIT_H

#include "magicube/Runtime/Image.h"
#include "magicube/Support/Result.h"

#include <string>
#include <vector>

namespace mlir::magicube {

/// The path of a program of the toolkit. Searched: bin/ of
/// MAGICUBE_CUDA_TOOLKIT, CUDA_PATH, CUDA_HOME (environment), PATH,
/// /usr/local/cuda/bin. As in the scripts, MAGICUBE_IGNORE_SYSTEM_CUDA=1 leaves
/// only the first.
Result<std::string> findCudaTool(const std::string &name);

/// Makes upstream's gpu-module-to-binary, which searches PATH, use that ptxas.
Status usePtxas();

/// Machine code (a cubin) of PTX text for `chip`, by ptxas. The same input
/// gives the same bytes.
Result<std::string> assemblePtx(const std::string &ptx,
                                const std::string &chip);

/// An image for one chip.
struct ChipImage {
  ImageFormat format;
  std::string chip;
  std::string bytes;
};

/// A fatbin of cubins and PTX, by fatbinary.
Result<std::string> makeFatbin(const std::vector<ChipImage> &images);

} // namespace mlir::magicube

#endif // MAGICUBE_SERIALIZE_TOOLKIT_H
