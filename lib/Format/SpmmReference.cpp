//===- SpmmReference.cpp - The reference of a product ---------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReferenceOps.h"

#include "magicube/Format/Projection.h"

namespace mlir::magicube {

namespace {

/// The operands of a product.
struct Product {
  const SRBCRSMatrix *lhs = nullptr;
  const DenseMatrix *rhs = nullptr;
  /// Null: zeros.
  const DenseMatrix *init = nullptr;
};

} // namespace

static Result<Product> getProduct(const ReferenceOperands &operands) {
  Product product{operands.find<SRBCRSMatrix>("lhs"),
                  operands.find<DenseMatrix>("rhs"),
                  operands.find<DenseMatrix>("init")};
  auto [lhs, rhs, init] = product;
  if (!lhs || !rhs || lhs->cols != rhs->rows ||
      operands.has("init") != !!init ||
      (init && (init->rows != lhs->rows || init->cols != rhs->cols)))
    return Error{"the operands are not those of a product"};
  if (Status s = checkBroadcast(operands.epilogue, lhs->rows, rhs->cols); !s)
    return s.error();
  return product;
}

Result<std::vector<ProgramValue>>
evaluateSpmmOp(const ReferenceOperands &operands) {
  Result<Product> product = getProduct(operands);
  if (!product)
    return product.error();
  Result<ProgramValue> result = evaluateProduct(
      *product->lhs, *product->rhs, product->init, operands.epilogue);
  if (!result)
    return result.error();
  return std::vector<ProgramValue>{std::move(*result)};
}

Status compareSpmmProjections(const ReferenceOperands &operands,
                              const ProgramValue &actual, uint64_t seed) {
  Result<Product> product = getProduct(operands);
  if (!product)
    return product.error();
  const auto *sums = std::get_if<DenseMatrix>(&actual);
  const auto *type = std::get_if<ElementType>(&operands.epilogue.element);
  if (!sums || !type || type->bits != 32 ||
      !operands.epilogue.operands.empty() || operands.epilogue.isFloat())
    return Error{"expected a result of i32 sums for --check-projection, but "
                 "the product has an epilogue",
                 "use --check"};
  if (sums->rows != product->lhs->rows || sums->cols != product->rhs->cols)
    return Error{"the operands are not those of a product"};
  return compareProjections(*product->lhs, *product->rhs, product->init, *sums,
                            seed);
}

} // namespace mlir::magicube
