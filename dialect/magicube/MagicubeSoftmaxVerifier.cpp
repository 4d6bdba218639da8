//===- MagicubeSoftmaxVerifier.cpp - What a softmax must be like ----------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verification of magicube.softmax: forms, shapes, types.
//
//===----------------------------------------------------------------------===//

#include "MagicubeProduct.h"

using namespace mlir;
using namespace mlir::magicube;

/// The scores: one encoded tensor, or its components.
static LogicalResult verifyScores(SoftmaxOp op) {
  if (op.isStorageForm())
    return verifyStorageComponents(op, cast<RankedTensorType>(*op.getStorage()),
                                   op.getScores().getTypes());
  if (op.getScores().size() == 1 &&
      getSparseEncoding(op.getScores().front().getType()))
    return success();
  InFlightDiagnostic diag = op.emitOpError(
      "expected scores to be one tensor with a #magicube.sr_bcrs encoding");
  if (!op.getScores().empty())
    diag << ", but got " << op.getScores().front().getType();
  return diag;
}

/// Types of the scores, and what scores of integers need.
static LogicalResult verifyScoresElement(SoftmaxOp op) {
  Type element = op.getScoresType().getElementType();
  if (!element.isInteger(32) && !element.isF32() && !element.isF16())
    return (op.emitOpError("expected scores of i32, f32 or f16, but got ")
            << element)
               .attachNote()
           << "scores are what magicube.sddmm makes";
  if (!element.isInteger(32) || op.getScale())
    return success();
  return (op.emitOpError("expected 'scale' next to scores of i32")).attachNote()
         << "say what a unit of the scores counts, for example the product of "
            "the scales of both operands over sqrt(K)";
}

/// A tensor of one number for each row of the scores.
static LogicalResult verifyRowNumbers(SoftmaxOp op, StringRef name, Type type) {
  RankedTensorType scores = op.getScoresType();
  auto shaped = dyn_cast<ShapedType>(type);
  SmallVector<int64_t> expected(scores.getShape());
  expected.back() = 1;
  if (shaped && shaped.hasRank() && shaped.getElementType().isF32() &&
      succeeded(verifyCompatibleShape(shaped.getShape(), expected)) &&
      shaped.getShape().back() == 1)
    return success();
  InFlightDiagnostic diag = op.emitOpError("expected ");
  diag << name << " of f32 and shape ";
  llvm::interleave(
      expected, [&](int64_t extent) { diag << extentName(extent); },
      [&] { diag << "x"; });
  diag << ", but got " << type;
  diag.attachNote() << "there is one number for each row of the scores";
  return diag;
}

static LogicalResult verifyMask(SoftmaxOp op) {
  if (!op.getMask())
    return success();
  RankedTensorType scores = op.getScoresType();
  Type type = op.getMask().getType();
  Type element = cast<ShapedType>(type).getElementType();
  if (scores.getElementType().isInteger(32))
    return (op.emitOpError("expected no mask for scores of i32")).attachNote()
           << "leave what is masked out of the pattern, or give "
              "magicube.sddmm a scale, which makes floats of the scores";
  if (!element.isF32() && !element.isF16())
    return (op.emitOpError("expected a mask of f32 or f16, but got ")
            << element)
               .attachNote()
           << "a mask is added to the scores: 0 keeps an entry, -inf drops it";
  if (op.isStorageForm()) {
    if (cast<ShapedType>(type).getRank() != 1)
      return op.emitOpError("expected the values of a mask, of rank 1, but "
                            "got ")
             << type;
    return success();
  }
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || tensor.getEncoding() != scores.getEncoding() ||
      failed(verifyCompatibleShape(tensor, scores)))
    return (op.emitOpError("expected a mask of the shape and encoding of the "
                           "scores, ")
            << scores << ", but got " << type)
               .attachNote()
           << "a mask has a value for each stored entry of the scores, at the "
              "same pointers and indices";
  return success();
}

/// Elements of the values, and what goes with them.
static LogicalResult verifyResultElement(SoftmaxOp op) {
  Type element = op.getOutputElementType();
  bool isInteger =
      element.isInteger(4) || element.isInteger(8) || element.isInteger(16);
  if (!isInteger && !element.isF32() && !element.isF16())
    return (op.emitOpError("expected a result of i4, i8, i16, f32 or f16, but "
                           "got ")
            << element)
               .attachNote()
           << "integers are unsigned, for magicube.spmm; floats are "
              "probabilities";
  if (op.getUnsignedResult() != isInteger)
    return (op.emitOpError("expected ")
            << (isInteger ? "unsigned_result on a result of integers, "
                            "which are unsigned"
                          : "no unsigned_result on a result of floats"))
               .attachNote()
           << (isInteger ? "add it, and unsigned_lhs on the product that takes "
                           "the result"
                         : "leave it out: floats have signs of their own");
  if (op.getValueScale() && !isInteger)
    return (op.emitOpError("expected no value_scale next to a result of ")
            << element)
               .attachNote()
           << "it is multiplied into the factors, which integers have; scale "
              "the product instead";
  return success();
}

/// L must fit 32 bits.
static LogicalResult verifyRowLength(SoftmaxOp op) {
  if (!op.hasFactors())
    return success();
  int64_t columns = op.getScoresType().getShape().back();
  int64_t bits = op.getOutputElementType().getIntOrFloatBitWidth();
  int64_t limit =
      std::numeric_limits<uint32_t>::max() / ((int64_t(1) << bits) - 1);
  if (ShapedType::isDynamic(columns) || columns <= limit)
    return success();
  return (op.emitOpError("expected rows of at most ")
          << limit << " entries, whose values of " << bits
          << " bits are summed in 32, but the scores have " << columns
          << " columns")
             .attachNote()
         << "take a result of fewer bits";
}

/// The results, or destinations of the values and factors.
static LogicalResult verifyResults(SoftmaxOp op) {
  if (op.getPackedResult() && !op.isStorageForm())
    return op.emitOpError("expected packed_result in storage form only");
  if (!op.isStorageForm() && !op.getInits().empty())
    return (op.emitOpError("expected outs in storage form only")).attachNote()
           << "a softmax has values of its own";
  if (op.isStorageForm() && !op.getOverwrite())
    return op.emitOpError("expected 'overwrite' next to outs: nothing is added "
                          "to");
  bool isOnTensors = !op.getOutputs().empty();
  TypeRange types = isOnTensors ? TypeRange(op.getOutputs().getTypes())
                                : TypeRange(op.getInits().getTypes());
  size_t expected = op.hasFactors() ? 2 : 1;
  if (types.size() != expected)
    return (op.emitOpError("expected ")
            << expected << (expected == 1 ? " result" : " results") << " for "
            << op.getOutputElementType() << ", but got " << types.size())
               .attachNote()
           << "integers come with the factors of their rows, floats alone";
  if (op.isStorageForm()) {
    if (failed(verifyValuesDestination(op, types[0],
                                       op.getPackedResult().has_value())))
      return failure();
  } else if (failed(verifySparseResult(op, types[0], "the scores",
                                       op.getScoresType()))) {
    return failure();
  }
  if (expected == 1)
    return success();
  return verifyRowNumbers(op, "factors", types[1]);
}

LogicalResult SoftmaxOp::verify() {
  if (failed(verifyScores(*this)) ||
      failed(verifyForm(*this, getInits(), getOverwrite())) ||
      failed(verifyNaturalOrder(*this, "scores", getEncoding())) ||
      failed(verifyScoresElement(*this)) || failed(verifyMask(*this)) ||
      failed(verifyResultElement(*this)) || failed(verifyResults(*this)))
    return failure();
  if (Value scale = getScale();
      scale && !scale.getType().isF32() &&
      failed(verifyRowNumbers(*this, "a number of f32, or a scale",
                              scale.getType())))
    return failure();
  return verifyRowLength(*this);
}
