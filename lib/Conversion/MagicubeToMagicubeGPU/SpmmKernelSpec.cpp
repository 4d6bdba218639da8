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

SpmmEpilogue SpmmEpilogue::get(SpmmOp op) {
  SpmmEpilogue epilogue;
  if (Value bias = op.getSumBias())
    epilogue.sumBiasAxis = op.getBroadcastAxis(bias.getType());
  for (Value scale : op.getScales())
    epilogue.scaleAxes.push_back(
        op.getBroadcastAxis(scale.getType()).value_or(Number));
  if (Value bias = op.getBias())
    epilogue.biasAxis = op.getBroadcastAxis(bias.getType());
  epilogue.activation = op.getActivationAttr();
  epilogue.resultType = op.getOutputElementType();
  epilogue.isUnsigned = op.getUnsignedResult();
  epilogue.hasFloatSums = op.getAccumulate().has_value();
  return epilogue;
}

SmallVector<Type> SpmmEpilogue::getParameterTypes(MLIRContext *context) const {
  Type pointer = LLVM::LLVMPointerType::get(context, /*addressSpace=*/1);
  SmallVector<Type> types;
  if (sumBiasAxis)
    types.push_back(pointer);
  for (int64_t axis : scaleAxes)
    types.push_back(axis == Number ? Float32Type::get(context) : pointer);
  if (biasAxis)
    types.push_back(pointer);
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

SpmmEpilogue::Parameters
SpmmEpilogue::getParameters(ValueRange parameters) const {
  Parameters named;
  if (sumBiasAxis) {
    named.sumBias = parameters.front();
    parameters = parameters.drop_front();
  }
  named.scales = parameters.take_front(scaleAxes.size());
  if (biasAxis)
    named.bias = parameters.back();
  return named;
}

SpmmKernelSpec SpmmKernelSpec::get(SpmmOp op, int64_t alignment) {
  // Verified with the operation.
  Result<StepLayout> step = getStepLayout(op.getSchedule()->getRecipe(),
                                          op.getEncoding().getVector());
  int64_t inner = cast<ShapedType>(op.getRhs().getType()).getDimSize(0);
  return {op.getEncoding(),
          *op.getSchedule(),
          inner,
          op.getEncoding().getFormat().slabCount(inner),
          op.getLhsType().getElementType().getIntOrFloatBitWidth(),
          op.getRhsElementType().getIntOrFloatBitWidth(),
          step->mma->operandBits,
          op.getUnsignedLhs(),
          op.getUnsignedRhs(),
          hasShortRows(op),
          !op.getOverwrite(),
          alignment,
          SpmmEpilogue::get(op)};
}

Attribute SpmmKernelSpec::getKey() const {
  Builder builder(encoding.getContext());
  auto axisAttr = [&](std::optional<int64_t> axis) -> Attribute {
    return axis ? Attribute(builder.getI64IntegerAttr(*axis))
                : builder.getUnitAttr();
  };
  // The order of vectors does not change the code.
  return builder.getArrayAttr(
      {builder.getI64IntegerAttr(encoding.getVector()),
       builder.getI64IntegerAttr(encoding.getStride()),
       builder.getBoolAttr(encoding.getIndex() == IndexWidth::U16),
       schedule,
       builder.getI64IntegerAttr(schedule.isResident() ? inner : 0),
       builder.getI64IntegerAttr(slabs),
       builder.getI64IntegerAttr(encoding.getSlab()),
       builder.getI64IntegerAttr(lhsBits),
       builder.getI64IntegerAttr(rhsBits),
       builder.getI64IntegerAttr(computeBits),
       builder.getBoolAttr(unsignedLhs),
       builder.getBoolAttr(unsignedRhs),
       builder.getBoolAttr(shortRows),
       builder.getBoolAttr(accumulate),
       builder.getI64IntegerAttr(alignment),
       axisAttr(epilogue.sumBiasAxis),
       builder.getDenseI64ArrayAttr(epilogue.scaleAxes),
       axisAttr(epilogue.biasAxis),
       epilogue.activation ? Attribute(epilogue.activation)
                           : builder.getUnitAttr(),
       TypeAttr::get(epilogue.resultType),
       builder.getBoolAttr(epilogue.isUnsigned),
       builder.getBoolAttr(epilogue.hasFloatSums)});
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
  if (epilogue.isUnsigned)
    stream << "_"
           << typeName(true, epilogue.resultType.getIntOrFloatBitWidth());
  else if (!epilogue.resultType.isInteger(32))
    stream << "_" << epilogue.resultType;
  stream << "_v" << encoding.getVector();
  if (schedule.isResident())
    stream << "_resident" << inner;
  if (encoding.getSlab() != 0)
    stream << "_slab" << encoding.getSlab();
  stream << "_align" << alignment;
  if (accumulate)
    stream << "_accumulate";
  return name;
}

/// What a launch must know, for bundles.
DictionaryAttr SpmmKernelSpec::getLaunchAttr() const {
  Builder b(encoding.getContext());
  auto number = [&](StringRef name, int64_t value) {
    return b.getNamedAttr(name, b.getI64IntegerAttr(value));
  };
  SmallVector<Attribute> parameters;
  for (std::string_view name : kSpmmParameterNames)
    parameters.push_back(b.getStringAttr(name));
  auto [sumBiasName, firstScaleName, secondScaleName, biasName] =
      kSpmmEpilogueNames;
  if (epilogue.sumBiasAxis)
    parameters.push_back(b.getStringAttr(sumBiasName));
  for (size_t i = 0; i < epilogue.scaleAxes.size(); ++i)
    parameters.push_back(
        b.getStringAttr(i == 0 ? firstScaleName : secondScaleName));
  if (epilogue.biasAxis)
    parameters.push_back(b.getStringAttr(biasName));
  return b.getDictionaryAttr(
      {b.getNamedAttr("rule", b.getStringAttr(kSpmmRule)),
       b.getNamedAttr("parameters", b.getArrayAttr(parameters)),
       number("threads", getBlockThreads()),
       number("vector_rows", getTile().vectorRows),
       number("columns", getTile().columns), number("blocks", getTile().blocks),
       number("rhs_alignment", getAlignment().rhs),
       number("result_alignment", getAlignment().result)});
}
