//===- Reference.h - Plain reference products -----------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SpMM from unpacked operands by simple loops: the answer that kernels are
// compared with. Shares no code with packer, layout or addressing.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_FORMAT_REFERENCE_H
#define MAGICUBE_FORMAT_REFERENCE_H

#include "magicube/Format/DenseMatrix.h"
#include "magicube/Format/SparseMatrix.h"

#include <cstdint>
#include <vector>

namespace mlir::magicube {

/// C = A * B + init modulo 2^32, row-major A.rows x B.cols. `init` is empty or
/// has that many elements. Entries of A may be in any order; repeated ones
/// add up. Fails if A's columns differ from B's rows or sizes do not match.
Result<std::vector<int32_t>>
referenceSpmm(const CooMatrix &a, const DenseView &b,
              const std::vector<int32_t> &init = {});
/// The same for compressed rows.
Result<std::vector<int32_t>>
referenceSpmm(const CsrMatrix &a, const DenseView &b,
              const std::vector<int32_t> &init = {});

} // namespace mlir::magicube

#endif // MAGICUBE_FORMAT_REFERENCE_H
