//===- Arguments.cpp - Arguments of the entry function --------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"

#include "dialect/magicube/MagicubeDialect.h"
#include "magicube/Serialize/MatrixTypes.h"

using namespace mlir;
using namespace mlir::magicube;

Result<std::vector<ProgramValue>> mlir::magicube::makeArguments(
    func::FuncOp entry, const std::vector<std::string> &texts, uint64_t seed) {
  std::vector<MatrixType> types;
  for (BlockArgument argument : entry.getArguments()) {
    Result<MatrixType> type = getMatrixType(argument);
    if (!type)
      return type.error();
    types.push_back(*type);
  }
  return makeArguments(entry.getName().str(), types, texts, seed);
}

std::vector<ResultElement>
mlir::magicube::getResultElements(func::FuncOp entry) {
  std::vector<ResultElement> elements;
  Operation *end = entry.getBody().back().getTerminator();
  for (Value result : end->getOperands()) {
    bool isUnsigned = false;
    if (auto compute = result.getDefiningOp<SparseComputeOpInterface>()) {
      ResultElement element =
          compute.getResultElements()[cast<OpResult>(result).getResultNumber()];
      const auto *integer = std::get_if<ElementType>(&element);
      isUnsigned = integer && !integer->isSigned;
    } else if (auto argument = dyn_cast<BlockArgument>(result)) {
      Result<MatrixType> type = getMatrixType(argument);
      isUnsigned = type && !type->isFloat && !type->element.isSigned;
    }
    Type element = cast<ShapedType>(result.getType()).getElementType();
    elements.push_back(getResultElement(element, isUnsigned));
  }
  return elements;
}
