//===- MagicubeQuantization.cpp - Quantized element types -----------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading and verification of `!quant.uniform` types.
//
//===----------------------------------------------------------------------===//

#include "dialect/magicube/MagicubeQuantization.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"

using namespace mlir;
using namespace mlir::magicube;

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

Quantization Quantization::expand() const {
  Quantization result{axis, {}, {}};
  for (auto [scale, point] : llvm::zip_equal(scales, zeroPoints)) {
    result.scales.append(block, scale);
    result.zeroPoints.append(block, point);
  }
  return result;
}

/// Sub-channel types have tensors of scales and zero points, as many as there
/// are blocks along each axis.
static std::optional<Quantization>
getQuantization(quant::UniformQuantizedSubChannelType type) {
  Quantization result;
  for (auto [axis, blocks] :
       llvm::enumerate(type.getScales().getType().getShape())) {
    if (blocks == 1)
      continue;
    if (result.axis)
      return std::nullopt;
    result.axis = axis;
  }
  for (auto [axis, size] :
       llvm::zip_equal(type.getQuantizedDimensions(), type.getBlockSizes()))
    if (result.axis == axis)
      result.block = size;
  for (const APFloat &scale : type.getScales().getValues<APFloat>())
    result.scales.push_back(scale.convertToDouble());
  for (const APInt &point : type.getZeroPoints().getValues<APInt>())
    result.zeroPoints.push_back(type.isSigned() ? point.getSExtValue()
                                                : point.getZExtValue());
  return result;
}

std::optional<Quantization> mlir::magicube::getQuantization(Type elementType) {
  if (auto type = dyn_cast<quant::UniformQuantizedType>(elementType))
    return Quantization{std::nullopt, {type.getScale()}, {type.getZeroPoint()}};
  if (auto type = dyn_cast<quant::UniformQuantizedPerAxisType>(elementType))
    return Quantization{type.getQuantizedDimension(),
                        llvm::to_vector(type.getScales()),
                        llvm::to_vector(type.getZeroPoints())};
  if (auto type = dyn_cast<quant::UniformQuantizedSubChannelType>(elementType))
    return ::getQuantization(type);
  return std::nullopt;
}

Type mlir::magicube::getStorageElementType(Type elementType) {
  // !quant.calibrated states a range of numbers and no integers.
  auto type = dyn_cast<quant::QuantizedType>(elementType);
  return type && type.getStorageType() ? type.getStorageType() : elementType;
}

bool mlir::magicube::hasQuantizedType(Type type) {
  auto check = [](Type part) {
    return isa<quant::QuantizedType>(part) ? WalkResult::interrupt()
                                           : WalkResult::advance();
  };
  return type.walk(check).wasInterrupted();
}

bool mlir::magicube::isQuantized(SpmmOp op) {
  Type types[] = {op.getLhsType(), op.getRhs().getType(), op.getOutputType()};
  return llvm::any_of(types, [](Type type) {
    return isa<quant::QuantizedType>(cast<ShapedType>(type).getElementType());
  });
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

LogicalResult mlir::magicube::verifySparseZeroPoint(
    Type elementType, function_ref<InFlightDiagnostic()> emitError) {
  std::optional<Quantization> quantization = getQuantization(elementType);
  if (!quantization || !quantization->hasZeroPoint())
    return success();
  int64_t point = *llvm::find_if(quantization->zeroPoints,
                                 [](int64_t point) { return point != 0; });
  // The emitter may belong to a parser, which attaches the note to its error.
  InFlightDiagnostic diag = emitError()
                            << "expected the zero point of a sparse tensor to "
                               "be 0, but got "
                            << point;
  diag.attachNote()
      << "a dropped vector stands for the number 0 and is read as "
         "the integer 0: quantize the tensor symmetrically";
  return diag;
}

namespace {

/// One quantized value of a product.
struct QuantizedValue {
  StringRef name;
  ShapedType type;
  /// Axes that scales may go by.
  SmallVector<int64_t, 2> axes;
  StringRef axisNote;

  quant::QuantizedType element() const {
    return dyn_cast<quant::QuantizedType>(type.getElementType());
  }
};

} // namespace

/// Most scales that a few blocks may stand for (they become a constant of f32).
static constexpr int64_t kMaxBlockExtent = int64_t(1) << 24;

/// The number of scales against the extent of their axis.
static LogicalResult verifyExtent(SpmmOp op, const QuantizedValue &value,
                                  const Quantization &quantization) {
  int64_t extent = value.type.getDimSize(*quantization.axis);
  int64_t scales = quantization.scales.size();
  if (quantization.block != 1 && quantization.extent() > kMaxBlockExtent)
    return (op.emitOpError("expected blocks along an axis of at most ")
            << kMaxBlockExtent << " indices, but got " << quantization.extent())
               .attachNote()
           << "take one scale for the tensor";
  if (extent == quantization.extent())
    return success();
  InFlightDiagnostic diag = op.emitOpError("expected ");
  if (ShapedType::isDynamic(extent)) {
    diag << "axis " << *quantization.axis << " of the " << value.name
         << ", which its " << scales
         << " scales go by, to have a static extent, but got " << value.type;
    diag.attachNote() << "state the extent, " << quantization.extent()
                      << ", in the type";
    return diag;
  }
  diag << "scales for " << extent << " indices along axis "
       << *quantization.axis << " of the " << value.name << ", but got "
       << scales;
  if (quantization.block != 1)
    diag << " for blocks of " << quantization.block;
  diag.attachNote() << "give one scale for each index of the axis";
  return diag;
}

/// Largest zero point of either sign: all that the widest storage of an
/// operand, u16, has integers for, whatever the storage. What is beyond could
/// be corrected for only by more and more products with columns of i16.
static constexpr int64_t kMaxZeroPoint = 65535;

static LogicalResult verifyZeroPoints(SpmmOp op, const QuantizedValue &value,
                                      const Quantization &quantization) {
  const int64_t *beyond =
      llvm::find_if(quantization.zeroPoints, [](int64_t point) {
        return point < -kMaxZeroPoint || point > kMaxZeroPoint;
      });
  if (beyond == quantization.zeroPoints.end())
    return success();
  return (op.emitOpError("expected zero points of the ")
          << value.name << " from " << -kMaxZeroPoint << " to " << kMaxZeroPoint
          << ", but got " << *beyond)
             .attachNote()
         << "quantize it with a zero point that is among the integers of its "
            "storage type";
}

/// Kind, expressed type, zero points and axis of one value.
static LogicalResult verifyValue(SpmmOp op, const QuantizedValue &value) {
  quant::QuantizedType element = value.element();
  std::optional<Quantization> quantization = getQuantization(element);
  if (!quantization)
    return (op.emitOpError("expected the ")
            << value.name
            << " to be of a !quant.uniform type with scales by at most one "
               "axis, but got "
            << element)
               .attachNote()
           << "requantize it with one scale, or one per index of an axis";
  if (!element.getExpressedType().isF32())
    return (op.emitOpError("expected the ")
            << value.name << " to express f32, but got " << element)
               .attachNote()
           << "write the type as !quant.uniform<i8:f32, ...>; the result may "
              "still be f16 or bf16";
  if (failed(verifyZeroPoints(op, value, *quantization)))
    return failure();
  if (!quantization->axis)
    return success();
  if (!llvm::is_contained(value.axes, *quantization->axis)) {
    InFlightDiagnostic diag = op.emitOpError("expected the scales of the ");
    diag << value.name << " to go by axis ";
    llvm::interleave(
        value.axes, [&](int64_t axis) { diag << axis; },
        [&] { diag << " or "; });
    diag << ", but got axis " << *quantization->axis;
    diag.attachNote() << value.axisNote;
    return diag;
  }
  return verifyExtent(op, value, *quantization);
}

/// A sign that is stated twice must be the same.
static LogicalResult verifySign(SpmmOp op, const QuantizedValue &value,
                                bool isUnsigned, StringRef attribute) {
  quant::QuantizedType element = value.element();
  if (!isUnsigned || !element.isSigned())
    return success();
  return (op.emitOpError("has '")
          << attribute << "', but the " << value.name
          << " is stored as signed integers: " << element)
             .attachNote()
         << "leave '" << attribute << "' out: the type has the sign";
}

/// What a product of quantized operands may result in.
static LogicalResult verifyResult(SpmmOp op, const QuantizedValue &result) {
  Type element = result.type.getElementType();
  if (result.element()) {
    Type storage = getStorageElementType(result.element());
    if (storage.isInteger(4) || storage.isInteger(8) || storage.isInteger(32))
      return success(succeeded(verifyValue(op, result)) &&
                     succeeded(verifySign(op, result, op.getUnsignedResult(),
                                          "unsigned_result")));
    return (op.emitOpError("expected a quantized result to be stored as i4, i8 "
                           "or i32, but got ")
            << storage)
               .attachNote()
           << "quantize the result to 4 or 8 bits, or take it as f32";
  }
  if (op.getUnsignedResult())
    return (op.emitOpError("expected unsigned_result on a quantized result, "
                           "but got ")
            << element)
               .attachNote()
           << "leave it out: a quantized type has the sign, a float its own";
  if (element.isF32() || element.isF16() || element.isBF16())
    return success();
  return (op.emitOpError("expected the result of quantized operands to be "
                         "quantized, f32, f16 or bf16, but got ")
          << element)
             .attachNote()
         << "for the bare sums cast the operands to their storage types with "
            "'quant.scast'";
}

LogicalResult mlir::magicube::verifyQuantization(SpmmOp op) {
  static constexpr StringLiteral operandNote =
      "a scale per index of K cannot be taken out of the sum over K: "
      "requantize the operand with one scale, or one per row of lhs or column "
      "of rhs";
  ShapedType lhsType = op.getLhsType();
  auto rhsType = cast<ShapedType>(op.getRhs().getType());
  ShapedType outputType = op.getOutputType();
  int64_t lhsRank = lhsType.getRank(), rank = rhsType.getRank();
  QuantizedValue lhs{"lhs", lhsType, {lhsRank - 2}, operandNote};
  QuantizedValue rhs{"rhs", rhsType, {rank - 1}, operandNote};
  QuantizedValue result{"result",
                        outputType,
                        {rank - 2, rank - 1},
                        "scales go by rows or columns of the result"};

  if (!lhs.element() && !rhs.element()) {
    if (!result.element())
      return success();
    return (op.emitOpError("expected no quantized result of integer operands, "
                           "but got ")
            << result.type.getElementType())
               .attachNote()
           << "cast the operands to quantized types with 'quant.scast'";
  }
  if (!lhs.element() || !rhs.element())
    return (op.emitOpError("expected lhs and rhs to be both quantized or both "
                           "integers, but got ")
            << lhsType.getElementType() << " and " << rhsType.getElementType())
               .attachNote()
           << "cast one of them with 'quant.scast'";
  if (op.isStorageForm())
    return op.emitOpError("expected no quantized types in storage form, but "
                          "got ")
           << lhsType.getElementType();
  if (failed(verifyValue(op, lhs)) || failed(verifyValue(op, rhs)) ||
      failed(verifyResult(op, result)) ||
      failed(verifySign(op, lhs, op.getUnsignedLhs(), "unsigned_lhs")) ||
      failed(verifySign(op, rhs, op.getUnsignedRhs(), "unsigned_rhs")))
    return failure();
  return success();
}
