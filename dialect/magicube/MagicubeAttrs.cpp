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
  Type stored = getStorageElementType(elementType);
  auto integer = dyn_cast<IntegerType>(stored);
  if (!(integer && integer.isSignless()) && !getFloatFormat(stored))
    return emitError() << "expected the elements of a sparse tensor to be "
                          "signless integers, f32, f16 or bf16, but got "
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
static constexpr int64_t kMaxCtas = 65535;

static LogicalResult verifyRange(function_ref<InFlightDiagnostic()> emitError,
                                 StringRef name, int64_t value, int64_t most) {
  if (value >= 1 && value <= most)
    return success();
  return emitError() << "expected " << name << " to be from 1 to " << most
                     << ", but got " << value;
}

LogicalResult GatheredAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   int64_t smemStages) {
  return verifyRange(emitError, "smem_stages", smemStages,
                     ScheduleAttr::kMaxStages);
}

LogicalResult
StationaryAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                       int64_t prefetchStages, int64_t numCtas) {
  if (failed(verifyRange(emitError, "prefetch_stages", prefetchStages,
                         ScheduleAttr::kMaxStages)))
    return failure();
  return verifyRange(emitError, "num_ctas", numCtas, kMaxCtas);
}

LogicalResult
StationaryKTilesAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                             int64_t prefetchStages, int64_t rowsPerCta,
                             int64_t smemStages) {
  if (failed(verifyRange(emitError, "prefetch_stages", prefetchStages,
                         ScheduleAttr::kMaxStages)) ||
      failed(
          verifyRange(emitError, "rows_per_cta", rowsPerCta, kMaxRowsPerCta)))
    return failure();
  return verifyRange(emitError, "smem_stages", smemStages, kMaxSmemStages);
}

static LogicalResult
verifyGatheredTile(function_ref<InFlightDiagnostic()> emitError, int64_t tileN,
                   int64_t warps) {
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
  return success();
}

static LogicalResult
verifyStationaryTile(function_ref<InFlightDiagnostic()> emitError,
                     int64_t tileN, int64_t warps) {
  if (tileN % kFragmentColumns != 0 || tileN < kFragmentColumns ||
      tileN > kMaxTileColumns)
    return emitError() << "expected tile_n to be a multiple of "
                       << kFragmentColumns << " of at most " << kMaxTileColumns
                       << " with stationary rows, but got " << tileN;
  if (!llvm::isPowerOf2_64(warps) || warps > kMaxWarps)
    return emitError() << "expected warps to be a power of two of at most "
                       << kMaxWarps << ", but got " << warps;
  return success();
}

LogicalResult ScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   int64_t tileN, int64_t warps,
                                   OperandLayoutAttr, SharedForm,
                                   Attribute placement) {
  if (isa<GatheredAttr>(placement))
    return verifyGatheredTile(emitError, tileN, warps);
  if (isa<StationaryAttr, StationaryKTilesAttr>(placement))
    return verifyStationaryTile(emitError, tileN, warps);
  return emitError() << "expected placement to be #magicube.gathered, "
                        "#magicube.stationary or "
                        "#magicube.stationary_k_tiles, but got "
                     << placement;
}

LogicalResult
SddmmTilingAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                        int64_t warps, int64_t steps, int64_t resident,
                        int64_t ahead) {
  constexpr int64_t maxWarps = 32, maxAhead = 8, maxResident = 255;
  if (warps < 0 || warps > maxWarps)
    return emitError() << "expected warps from 1 to " << maxWarps
                       << ", but got " << warps;
  if (steps < 0 || steps > INT32_MAX)
    return emitError() << "expected steps from 1 to " << INT32_MAX
                       << ", but got " << steps;
  if (resident < -1 || resident > maxResident)
    return emitError() << "expected resident from 0 to " << maxResident
                       << ", but got " << resident;
  if (ahead < 0 || ahead > maxAhead)
    return emitError() << "expected ahead from 1 to " << maxAhead
                       << ", but got " << ahead;
  return success();
}

int64_t ScheduleAttr::getStages() const {
  return TypeSwitch<Attribute, int64_t>(getPlacement())
      .Case([](GatheredAttr gathered) { return gathered.getSmemStages(); })
      .Case([](StationaryAttr stationary) {
        return stationary.getPrefetchStages();
      })
      .Case(
          [](StationaryKTilesAttr tiles) { return tiles.getPrefetchStages(); });
}

namespace {

/// A field of older versions, and what is written now.
struct OldField {
  StringLiteral name;
  StringLiteral now;
};

/// Fields as they are parsed.
struct ScheduleFields {
  std::optional<int64_t> tileN, warps;
  std::optional<OperandLayoutAttr> layout;
  std::optional<SharedForm> shared;
  std::optional<Attribute> placement;
};

} // namespace

static constexpr OldField kOldFields[] = {
    {"recipe", "'layout', a #magicube.operand_layout"},
    {"rhs", "'placement': #magicube.gathered, #magicube.stationary or "
            "#magicube.stationary_k_tiles"},
    {"stages", "'smem_stages' of #magicube.gathered, or 'prefetch_stages' of "
               "#magicube.stationary and #magicube.stationary_k_tiles"},
    {"blocks", "'num_ctas' of #magicube.stationary"},
    {"rows", "'rows_per_cta' of #magicube.stationary_k_tiles"},
    {"buffers", "'smem_stages' of #magicube.stationary_k_tiles"}};

static ParseResult parseScheduleField(AsmParser &parser,
                                      ScheduleFields &fields) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef name;
  if (parser.parseKeyword(&name))
    return failure();
  for (const OldField &old : kOldFields)
    if (name == old.name)
      return parser.emitError(loc, "field '")
             << name << "' of #magicube.schedule is now " << old.now;
  auto parse = [&](auto &field) -> ParseResult {
    if (field)
      return parser.emitError(loc, "field '") << name << "' is given twice";
    if (parser.parseEqual())
      return failure();
    using FieldT = typename std::decay_t<decltype(field)>::value_type;
    FailureOr<FieldT> value = FieldParser<FieldT>::parse(parser);
    if (failed(value))
      return failure();
    field = *value;
    return success();
  };
  if (name == "tile_n")
    return parse(fields.tileN);
  if (name == "warps")
    return parse(fields.warps);
  if (name == "layout")
    return parse(fields.layout);
  if (name == "shared")
    return parse(fields.shared);
  if (name == "placement")
    return parse(fields.placement);
  return parser.emitError(loc, "expected tile_n, warps, layout, shared or "
                               "placement in #magicube.schedule, but got '")
         << name << "'";
}

Attribute ScheduleAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  ScheduleFields fields;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater, [&] {
        return parseScheduleField(parser, fields);
      }))
    return {};
  if (!fields.tileN || !fields.warps || !fields.placement) {
    parser.emitError(
        loc, "expected tile_n, warps and placement in #magicube.schedule");
    return {};
  }
  MLIRContext *context = parser.getContext();
  return parser.getChecked<ScheduleAttr>(
      loc, context, *fields.tileN, *fields.warps,
      fields.layout.value_or(OperandLayoutAttr::get(context, OperandLayout{})),
      fields.shared.value_or(SharedForm::ConflictFree), *fields.placement);
}

void ScheduleAttr::print(AsmPrinter &printer) const {
  printer << "<tile_n = " << getTileN() << ", warps = " << getWarps();
  if (getLayout() != OperandLayoutAttr::get(getContext(), OperandLayout{})) {
    printer << ", layout = ";
    printer.printStrippedAttrOrType(getLayout());
  }
  if (getShared() != SharedForm::ConflictFree)
    printer << ", shared = " << stringifySharedForm(getShared());
  printer << ", placement = " << getPlacement() << ">";
}
