//===- SddmmKernelSpec.cpp - What a sampled product's kernel is made for --===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Specifications from products, their keys and names.
//
//===----------------------------------------------------------------------===//

#include "SddmmKernelSpec.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::magicube;

ChunkWidths mlir::magicube::getChunkWidths(SddmmOp op) {
  auto getBits = [](Type type) {
    return static_cast<int32_t>(type.getIntOrFloatBitWidth());
  };
  return {getBits(op.getLhsElementType()), getBits(op.getRhsElementType()),
          getBits(op.getComputeType())};
}

/// The module's chip; the one that the model knows best if it has none.
static const GpuTarget &getModelTarget(Operation *op) {
  auto chip = op->getParentOfType<ModuleOp>()->getAttrOfType<StringAttr>(
      MagicubeDialect::kChipAttrName);
  if (chip)
    if (Result<const GpuTarget *> target =
            lookupGpuTarget(std::string_view(chip.getValue())))
      return **target;
  return **lookupGpuTarget("sm_90");
}

static SddmmTilingRequest getRequest(SddmmOp op) {
  std::optional<SddmmTilingAttr> tiling = op.getTiling();
  if (!tiling)
    return {};
  return {tiling->getWarps(), tiling->getSteps(), tiling->getResident(),
          tiling->getAhead()};
}

SddmmKernelSpec SddmmKernelSpec::get(SddmmOp op, int64_t alignment) {
  ChunkWidths widths = getChunkWidths(op);
  int64_t columns = op.getPatternType().getShape().back();
  int64_t inner = op.getInnerExtent();
  int64_t vector = op.getEncoding().getVector();
  return {
      op.getEncoding(),
      op.getEncoding().getFormat().slabCount(columns),
      widths,
      op.getUnsignedLhs(),
      op.getUnsignedRhs(),
      inner,
      alignment,
      op.getEpilogue().mapOperands([&](const EpilogueOperand<Value> &operand) {
        return op.getBroadcastAxis(operand.ref.getType());
      }),
      chooseSddmmTiling(*getChunkLayout(widths), vector, inner,
                        getModelTarget(op), getRequest(op))};
}

Attribute SddmmKernelSpec::getKey() const {
  Builder builder(encoding.getContext());
  auto number = [&](int64_t value) -> Attribute {
    return builder.getI64IntegerAttr(value);
  };
  // The order of vectors does not change the code.
  return builder.getArrayAttr(
      {builder.getStringAttr("sddmm"), number(encoding.getVector()),
       number(encoding.getStride()),
       builder.getBoolAttr(encoding.getIndex() == IndexWidth::U16),
       number(segments), number(widths.lhs), number(widths.rhs),
       number(widths.compute), builder.getBoolAttr(unsignedLhs),
       builder.getBoolAttr(unsignedRhs), number(inner), number(alignment),
       EpilogueAttr::get(builder.getContext(), epilogue), number(tiling.warps),
       number(tiling.steps), number(tiling.residentRegisters),
       number(tiling.ahead), number(tiling.ctasPerMultiprocessor), number(tiling.ctas)});
}

std::string SddmmKernelSpec::getName() const {
  auto typeName = [](bool isUnsigned, int64_t bits) {
    return (isUnsigned ? "u" : "i") + std::to_string(bits);
  };
  std::string name;
  llvm::raw_string_ostream stream(name);
  stream << "sddmm_" << typeName(unsignedLhs, widths.lhs) << "_"
         << typeName(unsignedRhs, widths.rhs);
  if (widths.compute != 8)
    stream << "_mma" << widths.compute;
  if (epilogue.element != ResultElement(ElementType{32, /*isSigned=*/true}))
    stream << "_" << elementName(epilogue.element);
  stream << "_v" << encoding.getVector();
  if (!ShapedType::isDynamic(inner))
    stream << "_k" << inner;
  stream << "_align" << alignment;
  return name;
}
