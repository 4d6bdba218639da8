//===- QuantizedProduct.cpp - Quantized products as integer ones ----------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With lhs sa * A and rhs sb * (B - zb) a product is
//
//   sa sb (A B - zb rowsum(A))
//
// where A B and the correction are integers, exact modulo 2^32, and
// -zb rowsum(A) is the product of A and a column of -zb. A result that is
// quantized with sc and zc is round(sa sb / sc * sum + zc), saturated.
//
//===----------------------------------------------------------------------===//

#include "QuantizedProduct.h"

#include "dialect/magicube/MagicubeQuantization.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"

#include <cmath>

using namespace mlir;
using namespace mlir::magicube;

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// An error at `op` with the way out.
static LogicalResult refuse(SpmmOp op, const Twine &message,
                            const Twine &note) {
  return op.emitOpError(message).attachNote() << note;
}

static quant::QuantizedType getQuantizedResult(SpmmOp op) {
  return dyn_cast<quant::QuantizedType>(op.getOutputType().getElementType());
}

/// The one zero point of the dense operand.
static FailureOr<int64_t> getRhsZeroPoint(SpmmOp op) {
  auto rhs = cast<ShapedType>(op.getRhs().getType());
  SmallVector<int64_t> points =
      getQuantization(rhs.getElementType())->zeroPoints;
  for (int64_t point : points)
    if (point != points.front())
      return refuse(op,
                    "expected the columns of rhs to have one zero point, but "
                    "got " +
                        Twine(points.front()) + " and " + Twine(point),
                    "scales may differ from column to column; a zero point for "
                    "each would need a correction as large as the result");
  return points.front();
}

static LogicalResult verifyResult(SpmmOp op, quant::QuantizedType result) {
  if (result.hasStorageTypeBounds())
    return refuse(op,
                  "expected a quantized result to have the whole range of its "
                  "storage type, but got " +
                      Twine(result.getStorageTypeMin()) + " to " +
                      Twine(result.getStorageTypeMax()),
                  "leave the bounds out: results saturate at those of the "
                  "storage type");
  bool isSum = result.getStorageType().isInteger(32);
  if (isSum && !result.isSigned())
    return refuse(op,
                  "expected sums to be signed, but the result is stored as "
                  "unsigned i32",
                  "store the result as i32 in place of u32");
  if (isSum && (op.getBias() || op.getActivation() || op.getAccumulate()))
    return refuse(op,
                  "expected neither bias, activation nor 'accumulate' next to "
                  "a result that is stored as i32",
                  "take the result as f32, or quantize it to 8 or 4 bits");
  return success();
}

/// What the pass puts into the epilogue must not be there.
static LogicalResult verifyEpilogue(SpmmOp op) {
  if (!op.getScales().empty())
    return refuse(op, "has scales next to quantized operands",
                  "the types have the scales: multiply those of lhs or divide "
                  "those of a quantized result");
  Type stored = getStorageElementType(op.getOutputType().getElementType());
  if (op.getInit() && !op.getOverwrite() && !stored.isInteger(32))
    return refuse(
        op, "expected no init that is read next to quantized operands",
        "add the init after the product, or mark it with 'overwrite'");
  return success();
}

//===----------------------------------------------------------------------===//
// Scales
//===----------------------------------------------------------------------===//

namespace {

/// What the sums are multiplied by: a number, one per row, one per column.
struct Factors {
  double number = 1;
  SmallVector<double> rows, columns;

  /// Multiplies by scales, or divides by those of a result.
  void apply(const Quantization &quantization, bool isByRow, bool isDivisor) {
    auto combine = [&](double &factor, double scale) {
      factor = isDivisor ? factor / scale : factor * scale;
    };
    SmallVector<double> scales = quantization.expand().scales;
    if (scales.size() == 1)
      return combine(number, scales.front());
    SmallVector<double> &factors = isByRow ? rows : columns;
    factors.resize(scales.size(), 1);
    for (auto [factor, scale] : llvm::zip_equal(factors, scales))
      combine(factor, scale);
  }

  /// Puts the number into the rows' factors, else into the columns'.
  void fold() {
    SmallVector<double> &factors = rows.empty() ? columns : rows;
    if (factors.empty())
      return;
    for (double &factor : factors)
      factor *= number;
    number = 1;
  }
};

} // namespace

static Factors getFactors(SpmmOp op) {
  auto lhs = cast<ShapedType>(op.getLhsType());
  auto rhs = cast<ShapedType>(op.getRhs().getType());
  ShapedType result = op.getOutputType();
  Factors factors;
  factors.apply(*getQuantization(lhs.getElementType()), /*isByRow=*/true,
                /*isDivisor=*/false);
  factors.apply(*getQuantization(rhs.getElementType()), /*isByRow=*/false,
                /*isDivisor=*/false);
  if (auto quantization = getQuantization(result.getElementType()))
    factors.apply(*quantization, quantization->axis == result.getRank() - 2,
                  /*isDivisor=*/true);
  factors.fold();
  return factors;
}

/// `numbers` in f32. Fails if one is 0 or infinite there.
static FailureOr<SmallVector<float>> toFloats(SpmmOp op,
                                              ArrayRef<double> numbers) {
  SmallVector<float> floats;
  for (double number : numbers) {
    floats.push_back(static_cast<float>(number));
    if (floats.back() == 0 || std::isinf(floats.back())) {
      InFlightDiagnostic diag = op.emitOpError(
          "expected the product of the scales to be in the range of f32, but "
          "got ");
      diag << number;
      diag.attachNote() << "choose scales of operands and result that are "
                           "closer to each other";
      return diag;
    }
  }
  return floats;
}

/// A constant tensor of shape `count x 1` or `1 x count`.
static Value createVector(OpBuilder &builder, Location loc,
                          ArrayRef<float> values, bool isByRow) {
  int64_t count = values.size();
  auto type = RankedTensorType::get(isByRow ? ArrayRef<int64_t>{count, 1}
                                            : ArrayRef<int64_t>{1, count},
                                    builder.getF32Type());
  return arith::ConstantOp::create(builder, loc,
                                   DenseElementsAttr::get(type, values));
}

/// The scales of the integer product, as operands of its epilogue.
static FailureOr<SmallVector<Value>> createScales(OpBuilder &builder, SpmmOp op,
                                                  const Factors &factors) {
  Location loc = op.getLoc();
  auto number = toFloats(op, factors.number);
  auto rows = toFloats(op, factors.rows);
  auto columns = toFloats(op, factors.columns);
  if (failed(number) || failed(rows) || failed(columns))
    return failure();
  SmallVector<Value> scales;
  if (!rows->empty())
    scales.push_back(createVector(builder, loc, *rows, /*isByRow=*/true));
  if (!columns->empty())
    scales.push_back(createVector(builder, loc, *columns, /*isByRow=*/false));
  // Also a factor of 1: it makes floats of the sums.
  if (scales.empty())
    scales.push_back(arith::ConstantOp::create(
        builder, loc, builder.getF32FloatAttr(number->front())));
  return scales;
}

/// A result that is stored as i32 is the sums themselves.
static LogicalResult verifySumScales(SpmmOp op, const Factors &factors) {
  Quantization result = *getQuantization(op.getOutputType().getElementType());
  for (int64_t point : result.zeroPoints)
    if (point != 0)
      return refuse(op,
                    "expected a result that is stored as i32 to have no zero "
                    "point, but got " +
                        Twine(point),
                    "give it a sum_bias, or quantize the result to 8 or 4 "
                    "bits");
  SmallVector<double> all{factors.number};
  llvm::append_range(all, factors.rows);
  llvm::append_range(all, factors.columns);
  for (double factor : all)
    if (static_cast<float>(factor) != 1) {
      InFlightDiagnostic diag = op.emitOpError(
          "expected the scale of a result that is stored as i32 to be the "
          "product of those of lhs and rhs, but that is ");
      diag << factor << " times it";
      diag.attachNote() << "state the product, or quantize the result to 8 or "
                           "4 bits";
      return diag;
    }
  return success();
}

//===----------------------------------------------------------------------===//
// Zero point of the dense operand
//===----------------------------------------------------------------------===//

/// Summands that add up to `value`, each an i16.
static SmallVector<int64_t> splitIntoWords(int64_t value) {
  SmallVector<int64_t> parts;
  do {
    parts.push_back(std::clamp<int64_t>(value, INT16_MIN, INT16_MAX));
    value -= parts.back();
  } while (value != 0);
  return parts;
}

/// A column of `value`, as long as the dense operand has rows.
static Value createColumn(OpBuilder &builder, SpmmOp op, int64_t value) {
  Location loc = op.getLoc();
  auto rhs = cast<RankedTensorType>(op.getRhs().getType());
  int64_t dim = rhs.getRank() - 2;
  int64_t extent = rhs.getDimSize(dim);
  if (ShapedType::isDynamic(extent))
    extent = op.getLhsType().getShape().back();
  SmallVector<Value, 1> sizes;
  if (ShapedType::isDynamic(extent))
    sizes.push_back(tensor::DimOp::create(builder, loc, op.getRhs(), dim));
  Type element = builder.getIntegerType(llvm::isInt<8>(value) ? 8 : 16);
  Value number = arith::ConstantOp::create(
      builder, loc, builder.getIntegerAttr(element, value));
  return tensor::SplatOp::create(
      builder, loc, RankedTensorType::get({extent, 1}, element), number, sizes);
}

/// A plain product for the correction: [+ bias] [+ init].
static SpmmOp createSum(OpBuilder &builder, SpmmOp op, Type type, Value lhs,
                        Value rhs, bool isUnsigned, Value bias, Value init) {
  SpmmFields fields{lhs, rhs};
  fields.sumBias = bias;
  fields.init = init;
  fields.compute = op.getComputeAttr();
  fields.unsignedLhs = isUnsigned;
  fields.pattern = op.getPatternAttr();
  return SpmmOp::create(builder, op.getLoc(), type, fields);
}

/// lhs times a column of -`zeroPoint`, plus `bias` (may be null): what the sums
/// are to be corrected by.
static FailureOr<Value> createCorrection(OpBuilder &builder, SpmmOp op,
                                         Value lhs, int64_t zeroPoint,
                                         bool isUnsigned, Value bias) {
  if (op.getLhsType().getRank() > 2)
    return refuse(op,
                  "expected the zero point of rhs to be 0 where lhs has a "
                  "batch, but got " +
                      Twine(zeroPoint),
                  "quantize rhs symmetrically, or share a lhs of rank 2");
  if (op.getAccumulate())
    return refuse(
        op,
        "expected the zero point of rhs to be 0 next to 'accumulate', "
        "but got " +
            Twine(zeroPoint),
        "quantize rhs symmetrically, or leave 'accumulate' out");
  auto type = RankedTensorType::get({op.getLhsType().getDimSize(0), 1},
                                    builder.getI32Type());
  if (bias)
    type = cast<RankedTensorType>(bias.getType());
  Value correction;
  for (int64_t part : splitIntoWords(-zeroPoint)) {
    Value column = createColumn(builder, op, part);
    correction = createSum(builder, op, type, lhs, column, isUnsigned,
                           std::exchange(bias, Value()), correction)
                     .getResult();
  }
  return correction;
}

/// The integers that are added to the sums, per row: the op's own and those for
/// the zero point. Null: none.
static FailureOr<Value> createSumBias(OpBuilder &builder, SpmmOp op, Value lhs,
                                      bool isUnsigned) {
  FailureOr<int64_t> zeroPoint = getRhsZeroPoint(op);
  if (failed(zeroPoint))
    return failure();
  Value bias = op.getSumBias();
  if (*zeroPoint == 0)
    return bias;
  if (bias && op.getBroadcastAxis(bias.getType()) != BroadcastAxis::Row)
    return refuse(op,
                  "expected a sum_bias per row next to the zero point of rhs, "
                  "but got one per column",
                  "the correction for the zero point goes by rows: quantize "
                  "rhs symmetrically, or add the bias in f32");
  return createCorrection(builder, op, lhs, *zeroPoint, isUnsigned, bias);
}

//===----------------------------------------------------------------------===//
// Bias and zero point of the result
//===----------------------------------------------------------------------===//

/// `numbers`, one or as many as `type` has elements, as a tensor of `type` with
/// dynamic extents `sizes`.
static Value broadcast(OpBuilder &builder, Location loc,
                       ArrayRef<float> numbers, RankedTensorType type,
                       ValueRange sizes) {
  if (numbers.size() > 1)
    return arith::ConstantOp::create(builder, loc,
                                     DenseElementsAttr::get(type, numbers));
  Value number = arith::ConstantOp::create(
      builder, loc, builder.getF32FloatAttr(numbers.front()));
  return tensor::SplatOp::create(builder, loc, type, number, sizes);
}

/// A column of `numbers`, one or as many as the result has rows.
static Value createRowBias(OpBuilder &builder, SpmmOp op,
                           ArrayRef<float> numbers) {
  Value lhs = op.getLhs().front();
  int64_t dim = op.getLhsType().getRank() - 2;
  int64_t rows = op.getLhsType().getDimSize(dim);
  if (numbers.size() > 1)
    rows = numbers.size();
  SmallVector<Value, 1> sizes;
  if (ShapedType::isDynamic(rows))
    sizes.push_back(tensor::DimOp::create(builder, op.getLoc(), lhs, dim));
  return broadcast(builder, op.getLoc(), numbers,
                   RankedTensorType::get({rows, 1}, builder.getF32Type()),
                   sizes);
}

static SmallVector<float> toFloats(ArrayRef<int64_t> integers) {
  return {integers.begin(), integers.end()};
}

/// `bias` in units of the result's scale, plus its zero point.
static FailureOr<Value> rescaleBias(OpBuilder &builder, SpmmOp op, Value bias,
                                    const Quantization &result, bool isByRow) {
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(bias.getType());
  if (int64_t count = result.scales.size(); count > 1) {
    if ((op.getBroadcastAxis(type) == BroadcastAxis::Row) != isByRow)
      return refuse(op,
                    "expected the bias to go by the axis that the scales of "
                    "the result go by, " +
                        Twine(*result.axis),
                    "quantize the result with one scale, or take it as f32");
    type = type.clone(isByRow ? ArrayRef<int64_t>{count, 1}
                              : ArrayRef<int64_t>{1, count});
    if (type != bias.getType())
      bias = tensor::CastOp::create(builder, loc, type, bias);
  }
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      sizes.push_back(tensor::DimOp::create(builder, loc, bias, dim));
  SmallVector<float> scales(result.scales.begin(), result.scales.end());
  Value divisor = broadcast(builder, loc, scales, type, sizes);
  Value quotient = arith::DivFOp::create(builder, loc, bias, divisor);
  if (!result.hasZeroPoint())
    return quotient;
  Value zeroPoints =
      broadcast(builder, loc, toFloats(result.zeroPoints), type, sizes);
  return arith::AddFOp::create(builder, loc, quotient, zeroPoints).getResult();
}

/// What is added after the scales. Null: nothing.
static FailureOr<Value> createBias(OpBuilder &builder, SpmmOp op) {
  std::optional<Quantization> blocks =
      getQuantization(op.getOutputType().getElementType());
  Value bias = op.getBias();
  if (!blocks)
    return bias;
  Quantization result = blocks->expand();
  bool isByRow = result.axis == op.getOutputType().getRank() - 2;
  if (bias)
    return rescaleBias(builder, op, bias, result, isByRow);
  if (!result.hasZeroPoint())
    return Value();
  SmallVector<float> points = toFloats(result.zeroPoints);
  if (isByRow || points.size() == 1)
    return createRowBias(builder, op, points);
  return createVector(builder, op.getLoc(), points, /*isByRow=*/false);
}

/// The activation before quantization, as one before rounding.
static FailureOr<ActivationAttr> getActivation(SpmmOp op) {
  quant::QuantizedType result = getQuantizedResult(op);
  ActivationAttr activation = op.getActivationAttr();
  if (!activation || !result)
    return activation;
  if (activation.getValue() != Activation::Relu)
    return refuse(op,
                  "expected no activation but relu before quantization, but "
                  "got " +
                      StringRef(spelling(activation.getValue())),
                  "take the result as f32 and quantize it afterwards");
  SmallVector<int64_t> points = getQuantization(result)->zeroPoints;
  // Numbers below 0 are below the zero point: they saturate.
  if (llvm::all_of(points, [&](int64_t point) {
        return point == result.getStorageTypeMin();
      }))
    return ActivationAttr();
  // relu(x) / s = relu(x / s)
  if (llvm::all_of(points, [](int64_t point) { return point == 0; }))
    return activation;
  int64_t other =
      *llvm::find_if(points, [](int64_t point) { return point != 0; });
  return refuse(op,
                "expected the zero point of the result of relu to be 0 or " +
                    Twine(result.getStorageTypeMin()) +
                    ", the least integer, but got " + Twine(other),
                "with the least integer as zero point the result has the "
                "finest scale");
}

//===----------------------------------------------------------------------===//
// The product
//===----------------------------------------------------------------------===//

static ShapedType getStorageType(ShapedType type) {
  return type.clone(getStorageElementType(type.getElementType()));
}

/// `value`, of a quantized type, as integers.
static Value toStorage(OpBuilder &builder, Location loc, Value value) {
  Type type = getStorageType(cast<ShapedType>(value.getType()));
  if (type == value.getType())
    return value;
  return quant::StorageCastOp::create(builder, loc, type, value);
}

/// Whether an operand is unsigned.
static bool isUnsigned(ShapedType type) {
  return !cast<quant::QuantizedType>(type.getElementType()).isSigned();
}

LogicalResult mlir::magicube::lowerQuantizedProduct(SpmmOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  quant::QuantizedType quantizedResult = getQuantizedResult(op);
  if (failed(verifyEpilogue(op)) ||
      (quantizedResult && failed(verifyResult(op, quantizedResult))))
    return failure();
  bool unsignedLhs = isUnsigned(op.getLhsType());
  bool unsignedRhs = isUnsigned(cast<ShapedType>(op.getRhs().getType()));
  bool isSum =
      quantizedResult && quantizedResult.getStorageType().isInteger(32);
  Factors factors = getFactors(op);
  if (isSum && failed(verifySumScales(op, factors)))
    return failure();
  FailureOr<ActivationAttr> activation = getActivation(op);
  if (failed(activation))
    return failure();

  Value lhs = toStorage(builder, loc, op.getLhs().front());
  Value rhs = toStorage(builder, loc, op.getRhs());
  FailureOr<Value> sumBias = createSumBias(builder, op, lhs, unsignedLhs);
  if (failed(sumBias))
    return failure();
  SmallVector<Value> scales;
  Value bias;
  if (!isSum) {
    auto newScales = createScales(builder, op, factors);
    FailureOr<Value> newBias = createBias(builder, op);
    if (failed(newScales) || failed(newBias))
      return failure();
    scales = *newScales;
    bias = *newBias;
  }
  Value init = op.getInit() ? toStorage(builder, loc, op.getInit()) : Value();
  SpmmFields fields{lhs, rhs};
  fields.sumBias = *sumBias;
  fields.scales = scales;
  fields.bias = bias;
  fields.init = init;
  fields.compute = op.getComputeAttr();
  fields.unsignedLhs = unsignedLhs;
  fields.unsignedRhs = unsignedRhs;
  fields.unsignedResult = quantizedResult && !quantizedResult.isSigned();
  fields.overwrite = op.getOverwrite();
  fields.accumulate = op.getAccumulateAttr();
  fields.activation = *activation;
  fields.pattern = op.getPatternAttr();
  fields.schedule = op.getScheduleAttr();
  auto product =
      SpmmOp::create(builder, loc, getStorageType(op.getOutputType()), fields);
  product->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  Value result = product.getResult();
  if (result.getType() != op.getResult().getType())
    result = quant::StorageCastOp::create(builder, loc,
                                          op.getResult().getType(), result);
  op.getResult().replaceAllUsesWith(result);
  op.erase();
  return success();
}
