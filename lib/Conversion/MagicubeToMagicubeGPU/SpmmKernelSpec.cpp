//===- SpmmKernelSpec.cpp - What an SpMM kernel is made for ---------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Specifications from products, their keys, names and launch descriptions.
//
//===----------------------------------------------------------------------===//

#include "SpmmKernelSpec.h"

#include "magicube/Layout/OperandPlanes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::magicube;

SmallVector<Type>
mlir::magicube::getParameterTypes(MLIRContext *context,
                                  const Epilogue<BroadcastAxis> &epilogue) {
  Type pointer = LLVM::LLVMPointerType::get(context, /*addressSpace=*/1);
  SmallVector<Type> types;
  for (auto [role, axis] : epilogue.operands)
    types.push_back(axis == BroadcastAxis::None ? Float32Type::get(context)
                                                : pointer);
  return types;
}

/// Whether a vector-row has no more vectors than a sum of scaled 4-bit values
/// may have: it has at most one per column. Only they ask.
static bool hasShortRows(SpmmOp op) {
  constexpr int64_t scaledBits = 4;
  constexpr int64_t maxNarrowColumns = 65535; // 0xFFFF is padding
  int64_t columns = op.getLhsType().getShape().back();
  if (op.getEncoding().getIndex() == IndexWidth::U16)
    columns = maxNarrowColumns;
  return op.getRhsElementType().isInteger(scaledBits) &&
         !ShapedType::isDynamic(columns) && columns <= kMaxScaledVectors;
}

SpmmKernelSpec SpmmKernelSpec::get(SpmmOp op, int64_t alignment) {
  int64_t inner = cast<ShapedType>(op.getRhs().getType()).getDimSize(0);
  return {
      op.getEncoding(),
      *op.getSchedule(),
      inner,
      op.getEncoding().getFormat().slabCount(inner),
      op.getLhsType().getElementType().getIntOrFloatBitWidth(),
      op.getRhsElementType().getIntOrFloatBitWidth(),
      getMma(op.getSchedule()->getLayout().getLayout())->operandBits,
      op.getUnsignedLhs(),
      op.getUnsignedRhs(),
      hasShortRows(op),
      !op.getOverwrite(),
      alignment,
      op.getEpilogue().mapOperands([&](const EpilogueOperand<Value> &operand) {
        return op.getBroadcastAxis(operand.ref.getType());
      })};
}

StepLayout SpmmKernelSpec::getStep() const {
  OperandWidths widths{static_cast<int32_t>(lhsBits),
                       static_cast<int32_t>(rhsBits)};
  return *getStepLayout(schedule.getLayout().getLayout(), widths,
                        encoding.getVector());
}

SharedMemoryPlan SpmmKernelSpec::getSharedMemory() const {
  SharedMemoryNumbers numbers = {encoding.getVector(),
                                 getValueBits(),
                                 rhsBits,
                                 schedule.getTileN(),
                                 schedule.getWarps(),
                                 getSharedMemoryForm(schedule.getShared())};
  numbers.sharesColumns = getStep().sharesColumns;
  Attribute placement = schedule.getPlacement();
  if (auto gathered = dyn_cast<GatheredAttr>(placement))
    return SharedMemoryPlan::getGathered(numbers, gathered.getSmemStages());
  if (auto tiles = dyn_cast<StationaryKTilesAttr>(placement))
    return SharedMemoryPlan::getStationaryKTiles(
        numbers, inner, encoding.getSlab(), tiles.getRowsPerCta(),
        tiles.getSmemStages());
  return SharedMemoryPlan::getStationary(numbers, inner);
}

SpmmTile SpmmKernelSpec::getTile() const {
  SpmmTile tile;
  tile.columns = schedule.getTileN();
  Attribute placement = schedule.getPlacement();
  if (auto tiles = dyn_cast<StationaryKTilesAttr>(placement))
    tile.rowsPerCta = tiles.getRowsPerCta();
  else if (auto stationary = dyn_cast<StationaryAttr>(placement))
    tile.numCtas = stationary.getNumCtas();
  return tile;
}

Attribute SpmmKernelSpec::getKey() const {
  Builder builder(encoding.getContext());
  // The order of vectors does not change the code.
  return builder.getArrayAttr(
      {builder.getI64IntegerAttr(encoding.getVector()),
       builder.getI64IntegerAttr(encoding.getStride()),
       builder.getBoolAttr(encoding.getIndex() == IndexWidth::U16), schedule,
       builder.getI64IntegerAttr(schedule.isStationary() ? inner : 0),
       builder.getI64IntegerAttr(segments),
       builder.getI64IntegerAttr(encoding.getSlab()),
       builder.getI64IntegerAttr(lhsBits), builder.getI64IntegerAttr(rhsBits),
       builder.getI64IntegerAttr(computeBits), builder.getBoolAttr(unsignedLhs),
       builder.getBoolAttr(unsignedRhs), builder.getBoolAttr(shortRows),
       builder.getBoolAttr(accumulate), builder.getI64IntegerAttr(alignment),
       EpilogueAttr::get(builder.getContext(), epilogue)});
}

std::string SpmmKernelSpec::getName() const {
  auto typeName = [](bool isUnsigned, int64_t bits) {
    return (isUnsigned ? "u" : "i") + std::to_string(bits);
  };
  std::string name;
  llvm::raw_string_ostream stream(name);
  stream << "spmm_" << typeName(unsignedLhs, lhsBits) << "_"
         << typeName(unsignedRhs, rhsBits);
  if (computeBits != 8)
    stream << "_mma" << computeBits;
  if (epilogue.element != ResultElement(ElementType{32, /*isSigned=*/true}))
    stream << "_" << elementName(epilogue.element);
  stream << "_v" << encoding.getVector();
  if (schedule.isStationary())
    stream << "_stationary" << inner;
  if (encoding.getSlab() != 0)
    stream << "_slab" << encoding.getSlab();
  stream << "_align" << alignment;
  if (accumulate)
    stream << "_accumulate";
  return name;
}
