//===- MagicubeAttrs.cpp - Attributes of the tensor-level dialect ---------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parsing, printing and verification of the encoding and the schedule.
//
//===----------------------------------------------------------------------===//

#include "dialect/magicube/MagicubeDialect.h"
#include "dialect/magicube/MagicubeQuantization.h"

#include "magicube/Layout/StepLayout.h"
#include "magicube/Layout/WorkTables.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::magicube;

/// Parses the spelling of one of `values`, of an enumeration of a library
/// without LLVM.
template <typename EnumT>
static FailureOr<EnumT> parseKeywordOf(AsmParser &parser,
                                       ArrayRef<EnumT> values) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef word;
  if (failed(parser.parseKeyword(&word)))
    return failure();
  for (EnumT value : values)
    if (word == StringRef(spelling(value)))
      return value;
  InFlightDiagnostic diag = parser.emitError(loc, "expected one of ");
  llvm::interleaveComma(
      values, diag, [&](EnumT value) { diag << StringRef(spelling(value)); });
  return diag << ", but got '" << word << "'";
}

#define GET_ATTRDEF_CLASSES
#include "dialect/magicube/MagicubeAttrs.cpp.inc"

void MagicubeDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialect/magicube/MagicubeAttrs.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// SRBCRSAttr
//===----------------------------------------------------------------------===//

SRBCRSEncoding SRBCRSAttr::getFormat() const {
  SRBCRSEncoding encoding;
  encoding.vector = getVector();
  encoding.stride = getStride();
  encoding.order = getOrder();
  encoding.slab = getSlab();
  encoding.index = getIndex();
  return encoding;
}

LogicalResult SRBCRSAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 int64_t vector, int64_t stride,
                                 VectorOrder order, int64_t slab,
                                 IndexWidth index) {
  SRBCRSEncoding encoding;
  encoding.vector = vector;
  encoding.stride = stride;
  encoding.order = order;
  encoding.slab = slab;
  encoding.index = index;
  Status status = encoding.verify();
  return status ? success() : emit(emitError, status.error());
}

LogicalResult
SRBCRSAttr::verifyEncoding(ArrayRef<int64_t> shape, Type elementType,
                           function_ref<InFlightDiagnostic()> emitError) const {
  // The parser asks also where the element type was an error, which it has
  // reported.
  if (!elementType)
    return failure();
  auto integer = dyn_cast<IntegerType>(getStorageElementType(elementType));
  if (!integer || !integer.isSignless())
    return emitError() << "expected the elements of a sparse tensor to be "
                          "signless integers, but got "
                       << elementType;
  if (failed(verifySparseZeroPoint(elementType, emitError)))
    return failure();
  Result<StorageLayout> layout =
      getStorageLayout(RankedTensorType::get(shape, elementType), getFormat());
  return layout ? success() : emit(emitError, layout.error());
}

//===----------------------------------------------------------------------===//
// PatternAttr
//===----------------------------------------------------------------------===//

LogicalResult PatternAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  int64_t vectors, int64_t longest) {
  if (vectors < 0)
    return emitError() << "expected vectors to be at least 0, but got "
                       << vectors;
  // A matrix with vectors has a row with one.
  int64_t least = std::min<int64_t>(vectors, 1);
  if (longest < least || longest > vectors)
    return emitError() << "expected longest to be from " << least << " to "
                       << vectors << ", the number of vectors, but got "
                       << longest;
  return success();
}

//===----------------------------------------------------------------------===//
// OperandLayoutAttr
//===----------------------------------------------------------------------===//

LogicalResult
OperandLayoutAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                          OperandForm form, GatherOrder order,
                          IdleColumns idleColumns) {
  Status status = verifyLayout({form, order, idleColumns});
  return status ? success() : emit(emitError, status.error());
}

//===----------------------------------------------------------------------===//
// ScheduleAttr
//===----------------------------------------------------------------------===//

/// Columns of one MMA A fragment: the least that a warp can make.
static constexpr int64_t kFragmentColumns = 16;
/// Columns of the widest tile, of 4-bit elements; a product knows its own
/// limit.
static constexpr int64_t kMaxTileColumns = 512;
/// Warps of a block (CUDA C++ Programming Guide, "Technical Specifications per
/// Compute Capability": 1024 threads).
static constexpr int64_t kMaxWarps = 32;
/// More blocks than any chip runs at once, many times over.
static constexpr int64_t kMaxBlocks = 65535;

static LogicalResult
verifyStreamedTile(function_ref<InFlightDiagnostic()> emitError, int64_t tileN,
                   int64_t warps, int64_t blocks, int64_t rows,
                   int64_t buffers) {
  if (!llvm::isPowerOf2_64(tileN) || tileN < kFragmentColumns ||
      tileN > kMaxTileColumns)
    return emitError() << "expected tile_n to be a power of two from "
                       << kFragmentColumns << " to " << kMaxTileColumns
                       << ", but got " << tileN;
  if (!llvm::isPowerOf2_64(warps) ||
      warps > std::min(kMaxWarps, tileN / kFragmentColumns))
    return emitError()
           << "expected warps to be a power of two of at most tile_n "
              "/ 16 = "
           << tileN / kFragmentColumns << ", but got " << warps;
  auto refuse = [&](StringRef what, int64_t value) {
    return emitError() << "expected " << what
                       << " with rhs = resident only, but got " << value;
  };
  if (blocks != 0)
    return refuse("blocks", blocks);
  if (rows != 0)
    return refuse("rows", rows);
  if (buffers != 1)
    return refuse("buffers", buffers);
  return success();
}

static LogicalResult
verifyResidentTile(function_ref<InFlightDiagnostic()> emitError, int64_t tileN,
                   int64_t warps, int64_t blocks, int64_t rows,
                   int64_t buffers) {
  if (tileN % kFragmentColumns != 0 || tileN < kFragmentColumns ||
      tileN > kMaxTileColumns)
    return emitError() << "expected tile_n to be a multiple of "
                       << kFragmentColumns << " of at most " << kMaxTileColumns
                       << " with rhs = resident, but got " << tileN;
  if (!llvm::isPowerOf2_64(warps) || warps > kMaxWarps)
    return emitError() << "expected warps to be a power of two of at most "
                       << kMaxWarps << ", but got " << warps;
  if (rows != 0 && blocks != 0)
    return emitError() << "expected either blocks or rows, but got blocks = "
                       << blocks << " and rows = " << rows;
  if (rows < 0 || rows > kMaxBlockRows)
    return emitError() << "expected rows to be from 1 to " << kMaxBlockRows
                       << ", but got " << rows;
  if (rows == 0 && (blocks < 1 || blocks > kMaxBlocks))
    return emitError() << "expected blocks to be from 1 to " << kMaxBlocks
                       << " with rhs = resident, but got " << blocks;
  if (buffers < 1 || buffers > kMaxBuffers)
    return emitError() << "expected buffers to be from 1 to " << kMaxBuffers
                       << ", but got " << buffers;
  if (rows == 0 && buffers != 1)
    return emitError() << "expected buffers next to rows only, but got "
                       << buffers;
  return success();
}

LogicalResult ScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   int64_t tileN, int64_t warps, int64_t stages,
                                   OperandLayoutAttr, RhsPlace rhs,
                                   SharedForm shared, int64_t blocks,
                                   int64_t rows, int64_t buffers) {
  auto verifyTile =
      rhs == RhsPlace::Resident ? verifyResidentTile : verifyStreamedTile;
  if (failed(verifyTile(emitError, tileN, warps, blocks, rows, buffers)))
    return failure();
  if (stages < 1 || stages > kMaxStages)
    return emitError() << "expected stages to be from 1 to " << kMaxStages
                       << ", but got " << stages;
  return success();
}
