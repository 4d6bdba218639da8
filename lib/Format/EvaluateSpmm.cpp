//===- EvaluateSpmm.cpp - The plain product of program values -------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "magicube/Format/Packer.h"
#include "magicube/Format/ProgramArguments.h"
#include "magicube/Format/Reference.h"

namespace mlir::magicube {

Result<DenseMatrix> evaluateSpmm(const SRBCRSMatrix &lhs,
                                 const DenseMatrix &rhs,
                                 const DenseMatrix *init) {
  constexpr ElementType resultType = {32, /*isSigned=*/true};
  Result<CooMatrix> unpacked = unpackToCoo(lhs);
  if (!unpacked)
    return unpacked.error();
  std::vector<int32_t> start;
  if (init) {
    start.resize(init->data.size() / sizeof(int32_t));
    std::memcpy(start.data(), init->data.data(),
                start.size() * sizeof(int32_t));
  }
  Result<std::vector<int32_t>> product =
      referenceSpmm(*unpacked, rhs.view(), start);
  if (!product)
    return product.error();
  Result<DenseMatrix> result =
      DenseMatrix::zeros(lhs.rows, rhs.cols, resultType);
  if (result)
    std::memcpy(result->data.data(), product->data(), result->data.size());
  return result;
}

} // namespace mlir::magicube
