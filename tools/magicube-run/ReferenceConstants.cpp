//===- ReferenceConstants.cpp - Constants in the plain reference ----------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scales and zero points that a program carries itself.
//
//===----------------------------------------------------------------------===//

#include "ReferenceConstants.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::magicube;

using Lookup = llvm::function_ref<const ProgramValue *(Value)>;

/// A matrix whose element number i is `element(i)`.
static std::optional<ProgramValue>
makeMatrix(Type type, int64_t rows, int64_t cols,
           llvm::function_ref<Attribute(int64_t)> element) {
  if (type.isF32()) {
    FloatMatrix matrix{rows, cols, FloatFormat::F32, {}};
    for (int64_t i = 0; i < rows * cols; ++i)
      matrix.data.push_back(
          cast<FloatAttr>(element(i)).getValue().convertToFloat());
    return matrix;
  }
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer)
    return std::nullopt;
  Result<ElementType> elementType =
      ElementType::get(static_cast<int>(integer.getWidth()), /*isSigned=*/true);
  if (!elementType)
    return std::nullopt;
  Result<DenseMatrix> matrix = DenseMatrix::zeros(rows, cols, *elementType);
  if (!matrix)
    return std::nullopt;
  for (int64_t i = 0; i < rows * cols; ++i)
    matrix->set(i / cols, i % cols,
                cast<IntegerAttr>(element(i)).getValue().getSExtValue());
  return std::move(*matrix);
}

/// An extent that is a constant or that of a known value.
static std::optional<int64_t> getExtent(Value value, Lookup lookup) {
  auto dim = value.getDefiningOp<tensor::DimOp>();
  std::optional<int64_t> index =
      dim ? dim.getConstantIndex() : std::optional<int64_t>();
  const ProgramValue *source = index ? lookup(dim.getSource()) : nullptr;
  if (!source)
    return std::nullopt;
  auto [rows, cols] = getExtents(*source);
  return *index == 0 ? rows : cols;
}

static std::optional<ProgramValue> evaluateSplat(tensor::SplatOp op,
                                                 Lookup lookup) {
  Attribute element;
  RankedTensorType type = op.getType();
  if (type.getRank() != 2 || !matchPattern(op.getInput(), m_Constant(&element)))
    return std::nullopt;
  SmallVector<int64_t, 2> shape(type.getShape());
  auto sizes = op.getDynamicSizes().begin();
  for (int64_t &extent : shape) {
    if (!ShapedType::isDynamic(extent))
      continue;
    std::optional<int64_t> size = getExtent(*sizes++, lookup);
    if (!size)
      return std::nullopt;
    extent = *size;
  }
  return makeMatrix(type.getElementType(), shape[0], shape[1],
                    [&](int64_t) { return element; });
}

std::optional<ProgramValue> mlir::magicube::evaluateConstant(Operation *op,
                                                             Lookup lookup) {
  if (auto splat = dyn_cast<tensor::SplatOp>(op))
    return evaluateSplat(splat, lookup);
  auto constant = dyn_cast<arith::ConstantOp>(op);
  if (!constant)
    return std::nullopt;
  if (constant.getType().isF32())
    return makeMatrix(constant.getType(), 1, 1,
                      [&](int64_t) { return constant.getValue(); });
  auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
  if (!elements || elements.getType().getRank() != 2)
    return std::nullopt;
  auto values = elements.value_begin<Attribute>();
  return makeMatrix(elements.getElementType(), elements.getType().getDimSize(0),
                    elements.getType().getDimSize(1),
                    [&](int64_t i) { return values[i]; });
}
