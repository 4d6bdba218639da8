//===- MagicubeEpilogueVerifier.cpp - What an epilogue must be like -------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verification of what follows the sums, the same for all products.
//
//===----------------------------------------------------------------------===//

#include "MagicubeProduct.h"

#include "dialect/magicube/MagicubeQuantization.h"

using namespace mlir;
using namespace mlir::magicube;

/// An epilogue operand of `element` broadcast over the result: `M x 1` or
/// `1 x N`.
static LogicalResult verifyBroadcast(Operation *op, StringRef name, Type type,
                                     Type element, int64_t m, int64_t n) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped || !shaped.hasRank() || shaped.getRank() != 2 ||
      shaped.getElementType() != element ||
      !((areCompatible(shaped.getDimSize(0), m) && shaped.getDimSize(1) == 1) ||
        (shaped.getDimSize(0) == 1 && areCompatible(shaped.getDimSize(1), n))))
    return (op->emitOpError("expected ")
            << name << " to be " << (element.isF32() ? "f32" : "i32")
            << " of shape " << extentName(m) << "x1 or 1x" << extentName(n)
            << ", but got " << type)
               .attachNote()
           << "give one number per row of the result (M x 1) or per column "
              "(1 x N)";
  return success();
}

/// Element types of results, by what there is besides the product.
template <typename ProductOp>
static LogicalResult verifyResultElement(ProductOp op) {
  Type element = op.getOutputElementType();
  bool isFloat = element.isF32() || element.isF16() || element.isBF16();
  bool isNarrow = element.isInteger(8) || element.isInteger(4);
  if (op.getUnsignedResult() && !isNarrow)
    return (op.emitOpError("expected unsigned_result on a result of i8 or i4, "
                           "but got ")
            << element)
               .attachNote()
           << "leave it out: i32 sums have no sign of their own, and floats "
              "have theirs";
  if (op.hasEpilogue()) {
    if (isFloat || isNarrow)
      return success();
    return (op.emitOpError("expected the result of an epilogue to be f32, f16, "
                           "bf16, i8 or i4, but got ")
            << element)
               .attachNote()
           << "scale, bias and activation work in f32; an i32 result takes a "
              "sum_bias alone";
  }
  if (op.getAccumulate()) {
    if (isFloat)
      return success();
    return (op.emitOpError("expected the element type of the result to be f32, "
                           "f16 or bf16 next to accumulate = f32, but got ")
            << element)
               .attachNote()
           << "give a scale for an i8 or i4 result; leave accumulate out for "
              "an i32 result";
  }
  if (element.isInteger(32))
    return success();
  return (op.emitOpError("expected the element type of the result to be i32 "
                         "where there is no epilogue, but got ")
          << element)
             .attachNote()
         << "give the product a scale, which makes a float of the sum";
}

/// Where f32 accumulation makes sense.
template <typename ProductOp>
static LogicalResult verifyAccumulation(ProductOp op) {
  constexpr unsigned digitBits = 8;
  if (!op.getAccumulate())
    return success();
  Type lhs = op.getLhsElementType(), rhs = op.getRhsElementType();
  if (lhs.getIntOrFloatBitWidth() <= digitBits &&
      rhs.getIntOrFloatBitWidth() <= digitBits)
    return (op.emitOpError("expected an operand of more than ")
            << digitBits << " bits next to accumulate = f32, but got " << lhs
            << " and " << rhs)
               .attachNote()
           << "leave accumulate out: there is one i32 sum, with nothing to "
              "combine";
  if (!op.getComputeType().isInteger(digitBits))
    return (op.emitOpError("expected compute = i8 next to accumulate = f32, "
                           "but got ")
            << op.getComputeType())
               .attachNote()
           << "accumulate = f32 is defined by digits of " << digitBits
           << " bits";
  if (op.getSumBias())
    return op.emitOpError("expected no sum_bias next to accumulate = f32")
               .attachNote()
           << "add it as an f32 bias: there is no i32 sum to add it to";
  return success();
}

template <typename ProductOp>
LogicalResult mlir::magicube::verifyProductEpilogue(ProductOp op, int64_t m,
                                                    int64_t n) {
  if (op.getScales().size() > 2)
    return (op.emitOpError("expected at most two scales, but got ")
            << op.getScales().size())
               .attachNote()
           << "multiply factors of the same shape before";
  Builder builder(op.getContext());
  Type f32 = builder.getF32Type(), i32 = builder.getI32Type();
  if (Value bias = op.getSumBias();
      bias &&
      failed(verifyBroadcast(op, "sum_bias", bias.getType(), i32, m, n)))
    return failure();
  for (Value scale : op.getScales())
    if (!scale.getType().isF32() &&
        failed(verifyBroadcast(op, "a scale", scale.getType(), f32, m, n)))
      return failure();
  if (Value bias = op.getBias();
      bias && failed(verifyBroadcast(op, "bias", bias.getType(), f32, m, n)))
    return failure();

  if (failed(verifyAccumulation(op)))
    return failure();
  // What the result may be then is in MagicubeQuantization.cpp.
  if (isQuantized(op))
    return success();
  if (op.getInit() && !op.getOverwrite() &&
      (op.hasEpilogue() || op.getAccumulate()))
    return op.emitOpError("expected no init that is read next to ")
               .append(op.hasEpilogue() ? "an epilogue" : "accumulate = f32")
               .attachNote()
           << "add the init after the product, or mark it with 'overwrite'";
  return verifyResultElement(op);
}

template LogicalResult mlir::magicube::verifyProductEpilogue(SddmmOp, int64_t,
                                                             int64_t);
template LogicalResult mlir::magicube::verifyProductEpilogue(SpmmOp, int64_t,
                                                             int64_t);
