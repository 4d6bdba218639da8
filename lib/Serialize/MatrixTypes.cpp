//===- MatrixTypes.cpp - Plain types of a function's values ---------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "magicube/Serialize/MatrixTypes.h"

#include "dialect/magicube/MagicubeDialect.h"
#include "magicube/Pipelines/Diagnostics.h"

#include "mlir/IR/Operation.h"

using namespace mlir;
using namespace mlir::magicube;

static_assert(kDynamic == ShapedType::kDynamic,
              "extents pass between the two unchanged");

/// Whether products take `value` as unsigned. Error: one does, another does
/// not.
static Result<bool> isUnsigned(Value value, const std::string &what) {
  bool isSomewhereSigned = false, isSomewhereUnsigned = false;
  for (OpOperand &use : value.getUses()) {
    auto user = dyn_cast<SparseComputeOpInterface>(use.getOwner());
    if (!user)
      continue;
    for (const ComputeOperand &operand : user.getComputeOperands())
      if (operand.contains(value) && (operand.role == OperandRole::Sparse ||
                                      operand.role == OperandRole::Dense))
        (operand.isUnsigned ? isSomewhereUnsigned : isSomewhereSigned) = true;
  }
  if (isSomewhereSigned && isSomewhereUnsigned)
    return Error{what + " is signed in one product and unsigned in another",
                 "give the function an argument for each"};
  return isSomewhereUnsigned;
}

Result<MatrixType> mlir::magicube::getMatrixType(Type type, bool isSigned,
                                                 const std::string &what) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  MatrixType result;
  result.isNumber = type.isF32();
  SRBCRSAttr encoding = getSparseEncoding(type);
  std::optional<FloatFormat> format =
      tensor ? getFloatFormat(tensor.getElementType()) : std::nullopt;
  bool hasFloats =
      format && tensor.getRank() == 2 &&
      (encoding || (!tensor.getEncoding() && format == FloatFormat::F32));
  result.isFloat = result.isNumber || hasFloats;
  if (result.isNumber) {
    result.rows = result.cols = 1;
    return result;
  }
  auto integer =
      tensor ? dyn_cast<IntegerType>(tensor.getElementType()) : IntegerType();
  if (!result.isFloat && (!integer || tensor.getRank() != 2))
    return Error{
        what + " has type " + getShortText(type),
        "expected a matrix of integers, tensor<MxNxi8> for example, or "
        "f32"};
  result.rows = tensor.getDimSize(0);
  result.cols = tensor.getDimSize(1);
  if (encoding)
    result.encoding = encoding.getFormat();
  if (result.isFloat) {
    result.format = *format;
    return result;
  }
  Result<ElementType> element =
      ElementType::get(static_cast<int>(integer.getWidth()), isSigned);
  if (!element)
    return Error{what + ": " + element.error().message, element.error().note};
  result.element = *element;
  return result;
}

Result<MatrixType> mlir::magicube::getMatrixType(BlockArgument argument) {
  std::string what = "argument #" + std::to_string(argument.getArgNumber());
  Result<bool> takenAsUnsigned = isUnsigned(argument, what);
  if (!takenAsUnsigned)
    return takenAsUnsigned.error();
  return getMatrixType(argument.getType(), !*takenAsUnsigned, what);
}
