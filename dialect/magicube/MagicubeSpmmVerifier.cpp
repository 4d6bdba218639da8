//===- MagicubeSpmmVerifier.cpp - What a product must be like
//--------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verification of magicube.spmm: forms, shapes, epilogue, schedule.
//
//===----------------------------------------------------------------------===//

#include "MagicubeSpmmShapes.h"

#include "dialect/magicube/MagicubeQuantization.h"

#include "magicube/Layout/ResultPacking.h"

using namespace mlir;
using namespace mlir::magicube;

/// The sparse operand: one encoded tensor, or its components.
static LogicalResult verifySparseOperand(SpmmOp op) {
  if (!op.isStorageForm()) {
    if (op.getLhs().size() != 1 ||
        !getSparseEncoding(op.getLhs().front().getType())) {
      InFlightDiagnostic diag = op.emitOpError(
          "expected lhs to be one tensor with a #magicube.sr_bcrs encoding");
      if (!op.getLhs().empty())
        diag << ", but got " << op.getLhs().front().getType();
      return diag;
    }
    return success();
  }
  return verifyStorageComponents(op, cast<RankedTensorType>(*op.getStorage()),
                                 op.getLhs().getTypes());
}

/// Shapes of rhs and output against the logical shape of lhs.
static LogicalResult verifyShapes(SpmmOp op) {
  RankedTensorType lhs = op.getLhsType();
  auto rhs = cast<ShapedType>(op.getRhs().getType());
  ShapedType out = op.getOutputType();
  if (!rhs.hasRank() || !out.hasRank() || rhs.getRank() < 2 ||
      out.getRank() != rhs.getRank())
    return op.emitOpError("expected rhs and result of the same rank of 2 or "
                          "more, but got ")
           << rhs << " and " << out;
  if (lhs.getRank() != 2 && lhs.getRank() != rhs.getRank())
    return op.emitOpError("expected lhs of rank 2 or of rhs's rank ")
           << rhs.getRank() << ", but got rank " << lhs.getRank();

  int64_t rank = rhs.getRank();
  int64_t m = lhs.getDimSize(lhs.getRank() - 2);
  int64_t k = lhs.getDimSize(lhs.getRank() - 1);
  int64_t n = op.getNumColumns();
  if (!areCompatible(k, rhs.getDimSize(rank - 2)))
    return op.emitOpError(
               "expected rhs to have as many rows as lhs has columns, ")
           << k << ", but got " << rhs.getDimSize(rank - 2);
  if (lhs.getRank() > 2 &&
      failed(verifyCompatibleShape(lhs.getShape().drop_back(2),
                                   rhs.getShape().drop_back(2))))
    return op.emitOpError("expected the batch dimensions of lhs and rhs to "
                          "agree, but got ")
           << lhs << " and " << rhs;
  SmallVector<int64_t> expected = inferShape(op);
  if (op.getPackedResult())
    expected.back() = getPackedBytes(expected.back());
  if (failed(verifyCompatibleShape(out.getShape(), expected))) {
    InFlightDiagnostic diag = op.emitOpError("expected a result of shape ");
    llvm::interleave(
        expected, [&](int64_t e) { diag << extentName(e); },
        [&] { diag << "x"; });
    return diag << ", but got " << out;
  }
  return verifyProductEpilogue(op, m, n);
}

/// Bytes of a dense row that a block's tile can have: 16-byte chunks that are
/// told apart by bits, and at most what 32 rows of leave room for a ring of.
static constexpr int64_t kMinTileBytes = 16;
static constexpr int64_t kMaxTileBytes = 256;

/// The schedule's tile against the width of the dense operand.
static LogicalResult verifyTile(SpmmOp op, ScheduleAttr schedule,
                                int64_t rhsBits) {
  int64_t bytes = schedule.getTileN() * rhsBits / 8;
  // A stationary tile is limited by the chip's shared memory alone.
  if (bytes >= kMinTileBytes &&
      (bytes <= kMaxTileBytes || schedule.isStationary()))
    return success();
  return op.emitOpError("expected tile_n to be from ")
         << kMinTileBytes * 8 / rhsBits << " to " << kMaxTileBytes * 8 / rhsBits
         << " for rhs elements of " << rhsBits << " bits, but got "
         << schedule.getTileN();
}

/// The MMAs' width against the dense operand's.
static LogicalResult verifyCompute(SpmmOp op) {
  Type rhs = op.getRhsElementType();
  if (!op.getComputeType().isInteger(4) || rhs.isInteger(4))
    return success();
  return (op.emitOpError("expected rhs elements of type i4 for compute = i4, "
                         "but got ")
          << rhs)
             .attachNote()
         << "leave 'compute' out, or take i8";
}

/// The schedule's operand layout against the vector length, the widths of the
/// operands and the warp's columns.
static LogicalResult verifySchedule(SpmmOp op) {
  if (!op.getSchedule())
    return success();
  ScheduleAttr schedule = *op.getSchedule();
  auto report = [&](const Error &error) {
    return emit([&] { return op.emitOpError(); }, error);
  };
  OperandLayout layout = schedule.getLayout().getLayout();
  int32_t computeBits = getMma(layout)->operandBits;
  if (op.getCompute() && !op.getComputeType().isInteger(computeBits))
    return op.emitOpError("expected an operand layout for MMAs on ")
           << op.getComputeType() << ", the type in 'compute', but got '"
           << spelling(layout) << "' for MMAs on i" << computeBits;
  Result<StepLayout> step =
      getStepLayout(layout, op.getWidths(), op.getEncoding().getVector());
  if (!step)
    return report(step.error());
  Result<DenseOperand> rhs = getDenseOperand(*step);
  if (!rhs)
    return report(rhs.error());
  // Quantized types have the signs; the integer product is checked again.
  if (Status signs =
          checkSigns(layout, op.getUnsignedLhs(), op.getUnsignedRhs());
      !signs && !isQuantized(op))
    return report(signs.error());
  if (op.getAccumulate() && step->foldShift != 0)
    return (op.emitOpError("expected an operand layout that keeps digits apart "
                           "next to 'accumulate', but got '")
            << spelling(layout) << "'")
               .attachNote()
           << "take one without idle_columns = digits";
  constexpr int64_t byteBits = 8;
  if (int64_t bits = op.getResultBits(); bits <= byteBits)
    if (Result<ResultPacking> packing = getResultPacking(*rhs, bits); !packing)
      return (op.emitOpError(
                  "expected an operand layout whose lanes have words "
                  "of i")
              << bits << " results, but got '" << spelling(layout) << "'")
                 .attachNote()
             << "take one without idle_columns = digits, or a wider result";
  if (failed(verifyTile(op, schedule, op.getWidths().dense)))
    return failure();
  bool hasSlabs = op.getEncoding().getSlab() != 0;
  bool hasKTiles = isa<StationaryKTilesAttr>(schedule.getPlacement());
  if (schedule.isStationary() && hasSlabs != hasKTiles)
    return (op.emitOpError("expected placement to be ")
            << (hasSlabs ? "#magicube.stationary_k_tiles on storage with slabs"
                         : "#magicube.stationary on storage without slabs")
            << ", but got " << schedule.getPlacement())
               .attachNote()
           << (hasSlabs ? "say how many vector-rows a block has, or encode the "
                          "operand without 'slab'"
                        : "say how many blocks there are, or encode the "
                          "operand with 'slab'");
  if (schedule.getWarpColumns() % rhs->columns() != 0)
    return op.emitOpError("expected a multiple of ")
           << rhs->columns() << " columns a warp for operand layout '"
           << spelling(layout) << "', but "
           << (schedule.isStationary() ? "tile_n is " : "tile_n / warps is ")
           << schedule.getWarpColumns();
  return success();
}

/// Bytes in place of a dense operand of 4 bits.
static LogicalResult verifyPackedRhs(SpmmOp op) {
  if (op.isStorageForm() && op.getRhsElementType().isInteger(4) &&
      !op.getPackedRhs())
    return op.emitOpError(
               "expected bytes and packed_rhs for a rhs of i4 in storage "
               "form, but got ")
           << op.getRhs().getType();
  if (!op.getPackedRhs())
    return success();
  auto type = cast<ShapedType>(op.getRhs().getType());
  if (!op.isStorageForm())
    return op.emitOpError("expected packed_rhs in storage form only");
  if (!type.getElementType().isInteger(8))
    return op.emitOpError(
               "expected the bytes of a packed rhs to be i8, but got ")
           << type.getElementType();
  int64_t columns = op.getNumColumns(), bytes = type.getShape().back();
  if (!areCompatible(bytes, getPackedBytes(columns)))
    return op.emitOpError("expected a packed rhs of ")
           << getPackedBytes(columns) << " bytes a row for " << columns
           << " columns, but got " << bytes;
  return success();
}

/// Bytes in place of a result of 4 bits. Its shape is checked with the others.
static LogicalResult verifyPackedResult(SpmmOp op) {
  Type element = op.getOutputType().getElementType();
  if (op.getPackedResult() && !op.isStorageForm())
    return op.emitOpError("expected packed_result in storage form only");
  if (op.getPackedResult() && !element.isInteger(8))
    return op.emitOpError(
               "expected the bytes of a packed result to be i8, but got ")
           << element;
  if (op.isStorageForm() && element.isInteger(4))
    return op.emitOpError("expected bytes and packed_result for a result of i4 "
                          "in storage form, but got ")
           << op.getOutputType();
  bool hasColumns = op.getColumns() != nullptr;
  if (op.getPackedResult().has_value() != hasColumns)
    return op.emitOpError("expected 'columns' and packed_result together, but "
                          "got only ")
           << (hasColumns ? "'columns'" : "packed_result");
  return success();
}

LogicalResult SpmmOp::verify() {
  if (failed(verifySparseOperand(*this)) ||
      failed(verifyForm(*this, getODSOperands(6), getOverwrite())))
    return failure();
  if (!isOperandType(getLhsElementType(), {4, 8, 12, 16})) {
    Type element = getLhsType().getElementType();
    InFlightDiagnostic diag = emitOpError(
        "expected lhs elements of type i4, i8, i12 or i16, but got ");
    diag << element;
    if (element.isInteger(32) || getFloatFormat(element))
      diag.attachNote() << "make integers of at most 16 bits of it: with "
                           "magicube.softmax, or as a result of magicube.sddmm "
                           "with a scale";
    return diag;
  }
  Type rhsElement = getRhsElementType();
  if (!isOperandType(rhsElement, {4, 8, 16}))
    return emitOpError("expected rhs elements of type i4, i8 or i16, but got ")
           << rhsElement;
  if (failed(verifyPackedResult(*this)) || failed(verifyShapes(*this)) ||
      failed(verifyPackedRhs(*this)) || failed(verifyQuantization(*this)) ||
      failed(verifyCompute(*this)) ||
      failed(verifyPatternNumbers(*this, getPatternAttr(), getLhsType())) ||
      failed(verifySchedule(*this)))
    return failure();
  return success();
}
