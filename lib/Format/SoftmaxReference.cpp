//===- SoftmaxReference.cpp - The reference of a sparse softmax -----------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// softmax of a program or a bundle: its operands by their names.
//
//===----------------------------------------------------------------------===//

#include "ReferenceOps.h"

#include "magicube/Format/EvaluateSoftmax.h"

namespace mlir::magicube {

Result<std::vector<ProgramValue>>
evaluateSoftmaxOp(const ReferenceOperands &operands) {
  std::optional<SparseValue> scores;
  if (const auto *integers = operands.find<SRBCRSMatrix>("scores"))
    scores = *integers;
  else if (const auto *floats = operands.find<SparseFloatMatrix>("scores"))
    scores = *floats;
  const auto *scale = operands.find<FloatMatrix>("scale");
  const auto *valueScale = operands.find<FloatMatrix>("value_scale");
  const auto *mask = operands.find<SparseFloatMatrix>("mask");
  if (!scores || operands.has("scale") != !!scale ||
      operands.has("value_scale") != !!valueScale ||
      operands.has("mask") != !!mask)
    return Error{"the operands are not those of a softmax"};
  SoftmaxOperands softmax{*scores, scale, mask};
  const ResultElement &element = operands.epilogue.element;
  if (const auto *format = std::get_if<FloatFormat>(&element)) {
    Result<SparseFloatMatrix> result = evaluateFloatSoftmax(softmax, *format);
    if (!result)
      return result.error();
    return std::vector<ProgramValue>{std::move(*result)};
  }
  Result<QuantizedSoftmax> result =
      evaluateQuantizedSoftmax(softmax, std::get<ElementType>(element).bits,
                               valueScale ? valueScale->at(0, 0) : 1.0f);
  if (!result)
    return result.error();
  return std::vector<ProgramValue>{std::move(result->values),
                                   std::move(result->factors)};
}

} // namespace mlir::magicube
