//===- SoftmaxKernelSpec.cpp - What a softmax kernel is made for ----------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Specifications from operations, their keys, names and parameters.
//
//===----------------------------------------------------------------------===//

#include "SoftmaxKernelSpec.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::magicube;

SoftmaxKernelSpec SoftmaxKernelSpec::get(SoftmaxOp op) {
  RankedTensorType scores = op.getScoresType();
  Scale scale = Scale::None;
  if (Value value = op.getScale())
    scale = value.getType().isF32() ? Scale::Number : Scale::Rows;
  Value mask = op.getMask();
  return {op.getEncoding(),
          op.getEncoding().getFormat().slabCount(scores.getShape().back()),
          scores.getElementType(),
          mask ? getElementTypeOrSelf(mask.getType()) : Type(),
          op.getOutputElementType(),
          scale,
          bool(op.getValueScale())};
}

Attribute SoftmaxKernelSpec::getKey() const {
  Builder builder(encoding.getContext());
  Type none = builder.getNoneType();
  return builder.getArrayAttr(
      {builder.getStringAttr("softmax"), builder.getI64IntegerAttr(vector()),
       builder.getI64IntegerAttr(encoding.getStride()),
       // Without slabs no index is read.
       builder.getBoolAttr(slabs > 1 && encoding.getIndex() == IndexWidth::U16),
       builder.getI64IntegerAttr(slabs), TypeAttr::get(scores),
       TypeAttr::get(mask ? mask : none), TypeAttr::get(result),
       builder.getI64IntegerAttr(static_cast<int64_t>(scale)),
       builder.getBoolAttr(hasValueScale)});
}

std::string SoftmaxKernelSpec::getName() const {
  std::string name;
  llvm::raw_string_ostream stream(name);
  stream << "softmax_" << scores << "_";
  if (result.isInteger())
    stream << "u" << result.getIntOrFloatBitWidth();
  else
    stream << result;
  stream << "_v" << vector();
  if (mask)
    stream << "_mask";
  return name;
}

SmallVector<SoftmaxParameter>
mlir::magicube::getParameters(const SoftmaxKernelSpec &spec) {
  using Parameter = SoftmaxParameter;
  SmallVector<Parameter> parameters = {Parameter::Pointers};
  if (spec.slabs > 1)
    parameters.push_back(Parameter::Indices);
  parameters.push_back(Parameter::Scores);
  if (spec.mask)
    parameters.push_back(Parameter::Mask);
  if (spec.scale != SoftmaxKernelSpec::Scale::None)
    parameters.push_back(Parameter::Scale);
  if (spec.hasValueScale)
    parameters.push_back(Parameter::ValueScale);
  parameters.push_back(Parameter::Result);
  if (spec.getChain())
    parameters.push_back(Parameter::Factors);
  return parameters;
}
