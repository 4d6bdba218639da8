//===- MagicubeSddmmVerifier.cpp - What a sampled product must be like ----===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verification of magicube.sddmm: forms, shapes, types.
//
//===----------------------------------------------------------------------===//

#include "MagicubeProduct.h"

#include "dialect/magicube/MagicubeQuantization.h"

using namespace mlir;
using namespace mlir::magicube;

/// The pattern: one encoded tensor, or its pointers and indices.
static LogicalResult verifyPatternOperand(SddmmOp op) {
  if (op.isStorageForm()) {
    auto storage = cast<RankedTensorType>(*op.getStorage());
    // What a pattern cannot be has no components.
    if (!storage.getElementType().isInteger(1))
      return op.emitOpError(
                 "expected a pattern of i1 in storage form, but got ")
             << storage;
    return verifyStorageComponents(op, storage, op.getPattern().getTypes());
  }
  if (op.getPattern().size() == 1 &&
      getSparseEncoding(op.getPattern().front().getType()))
    return success();
  InFlightDiagnostic diag = op.emitOpError(
      "expected pattern to be one tensor with a #magicube.sr_bcrs encoding");
  if (!op.getPattern().empty())
    diag << ", but got " << op.getPattern().front().getType();
  return diag;
}

/// Integers of 4, 8 or 16 bits.
static LogicalResult verifyOperandElement(SddmmOp op, StringRef name,
                                          Value operand, Type element) {
  if (hasQuantizedType(operand.getType()))
    return (op.emitOpError("expected ")
            << name << " of integers, but got " << operand.getType())
               .attachNote()
           << "cast it to its storage type with 'quant.scast', and give the "
              "scales of both operands as 'scale'";
  if (isOperandType(element, {4, 8, 16}))
    return success();
  return (op.emitOpError("expected ")
          << name << " elements of type i4, i8 or i16, but got " << element)
             .attachNote()
         << "extend or saturate them to one of these widths";
}

/// Dense operands and pattern against one another; see extents of `op`.
static LogicalResult verifyOperandShapes(SddmmOp op) {
  RankedTensorType pattern = op.getPatternType();
  auto lhs = cast<ShapedType>(op.getLhs().getType());
  auto rhs = cast<ShapedType>(op.getRhs().getType());
  int64_t rank = pattern.getRank();
  if (!lhs.hasRank() || !rhs.hasRank() || lhs.getRank() != rank ||
      rhs.getRank() != rank)
    return (op.emitOpError("expected lhs, rhs and pattern of the same rank, "
                           "but got ")
            << lhs << ", " << rhs << " and " << pattern)
               .attachNote()
           << "lhs is M x K, rhs N x K, pattern M x N, each with the same "
              "batch "
              "dimensions before";
  int64_t m = rank - 2, n = rank - 1;
  if (!areCompatible(lhs.getDimSize(m), pattern.getDimSize(m)))
    return (op.emitOpError("expected lhs to have as many rows as pattern, ")
            << extentName(pattern.getDimSize(m)) << ", but got "
            << lhs.getDimSize(m))
               .attachNote()
           << "the pattern is M x N for a lhs of M x K";
  if (!areCompatible(rhs.getDimSize(m), pattern.getDimSize(n)))
    return (op.emitOpError("expected rhs to have as many rows as pattern has "
                           "columns, ")
            << extentName(pattern.getDimSize(n)) << ", but got "
            << rhs.getDimSize(m))
               .attachNote()
           << "rhs is N x K, the transpose of a product's right operand";
  for (int64_t dim = 0; dim < m; ++dim)
    if (!areCompatible(lhs.getDimSize(dim), pattern.getDimSize(dim)) ||
        !areCompatible(rhs.getDimSize(dim), pattern.getDimSize(dim)))
      return op.emitOpError("expected the batch dimensions of lhs, rhs and "
                            "pattern to agree, but got ")
             << lhs << ", " << rhs << " and " << pattern;
  return success();
}

/// One row of an operand against K; a packed one has two elements a byte.
static LogicalResult verifyInner(SddmmOp op, StringRef name, Value operand,
                                 bool isPacked) {
  auto type = cast<ShapedType>(operand.getType());
  int64_t inner = op.getInnerExtent();
  int64_t expected = isPacked ? getPackedBytes(inner) : inner;
  if (isPacked && !type.getElementType().isInteger(8))
    return op.emitOpError("expected the bytes of a packed ")
           << name << " to be i8, but got " << type.getElementType();
  if (op.isStorageForm() && !isPacked && type.getElementType().isInteger(4))
    return op.emitOpError("expected bytes and packed_")
           << name << " for a " << name << " of i4 in storage form, but got "
           << type;
  if (areCompatible(type.getShape().back(), expected))
    return success();
  if (isPacked)
    return op.emitOpError("expected a packed ")
           << name << " of " << expected << " bytes a row for " << inner
           << " columns, but got " << type.getShape().back();
  return (op.emitOpError("expected ")
          << name << " to have as many columns as lhs, " << inner
          << ", but got " << type.getShape().back())
             .attachNote()
         << "lhs is M x K and rhs N x K: transpose a rhs of K x N";
}

static LogicalResult verifyShapes(SddmmOp op) {
  bool isPackedLhs = op.getPackedLhs().has_value();
  bool isPackedRhs = op.getPackedRhs().has_value();
  if ((isPackedLhs || isPackedRhs) && !op.isStorageForm())
    return op.emitOpError("expected packed_lhs and packed_rhs in storage form "
                          "only");
  if ((isPackedLhs || isPackedRhs) != (op.getInner() != nullptr))
    return op.emitOpError("expected 'inner' next to packed operands, whose "
                          "bytes do not tell K, and only there");
  if (failed(verifyOperandShapes(op)))
    return failure();
  if (op.getInnerExtent() == 0)
    return op.emitOpError("expected operands of at least 1 column, but got 0");
  return success(succeeded(verifyInner(op, "lhs", op.getLhs(), isPackedLhs)) &&
                 succeeded(verifyInner(op, "rhs", op.getRhs(), isPackedRhs)));
}

/// The result against the pattern, or the destination of its values.
static LogicalResult verifyResult(SddmmOp op) {
  RankedTensorType pattern = op.getPatternType();
  if (op.getPackedResult() && !op.isStorageForm())
    return op.emitOpError("expected packed_result in storage form only");
  if (op.isStorageForm()) {
    if (!op.getOverwrite())
      return op.emitOpError("expected 'overwrite' next to outs: nothing is "
                            "added to");
    return verifyValuesDestination(op, op.getOutputType(),
                                   op.getPackedResult().has_value());
  }
  if (op.getInit())
    return (op.emitOpError("expected outs in storage form only")).attachNote()
           << "a product at the places of a pattern has values of its own";
  if (hasQuantizedType(op.getResult().getType()))
    return (op.emitOpError("expected a result of integers or floats, but got ")
            << op.getResult().getType())
               .attachNote()
           << "take its storage type, and give 'scale' what 1 / its scale is "
              "multiplied into";
  return verifySparseResult(op, op.getResult().getType(), "pattern", pattern);
}

/// The MMAs' width against the operands'.
static LogicalResult verifyCompute(SddmmOp op) {
  Type lhs = op.getLhsElementType(), rhs = op.getRhsElementType();
  if (!op.getComputeType().isInteger(4) ||
      (lhs.isInteger(4) && rhs.isInteger(4)))
    return success();
  return (op.emitOpError("expected operands of type i4 for compute = i4, but "
                         "got ")
          << lhs << " and " << rhs)
             .attachNote()
         << "leave 'compute' out, or take i8";
}

LogicalResult SddmmOp::verify() {
  if (failed(verifyPatternOperand(*this)) ||
      failed(verifyForm(*this, getODSOperands(7), getOverwrite())) ||
      failed(verifyNaturalOrder(*this, "pattern", getEncoding())) ||
      failed(
          verifyOperandElement(*this, "lhs", getLhs(), getLhsElementType())) ||
      failed(
          verifyOperandElement(*this, "rhs", getRhs(), getRhsElementType())) ||
      failed(verifyShapes(*this)) || failed(verifyResult(*this)) ||
      failed(verifyCompute(*this)))
    return failure();
  ArrayRef<int64_t> matrix = getPatternType().getShape().take_back(2);
  return success(
      succeeded(verifyProductEpilogue(*this, matrix[0], matrix[1])) &&
      succeeded(
          verifyPatternNumbers(*this, getPatternInfoAttr(), getPatternType())));
}
