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
  for (Value scale : op.getScales())
    epilogue.scaleAxes.push_back(
        op.getBroadcastAxis(scale.getType()).value_or(Number));
  if (Value bias = op.getBias())
    epilogue.biasAxis = op.getBroadcastAxis(bias.getType());
  epilogue.activation = op.getActivationAttr();
  epilogue.resultType = op.getOutputType().getElementType();
  return epilogue;
}

SmallVector<Type> SpmmEpilogue::getParameterTypes(MLIRContext *context) const {
  Type pointer = LLVM::LLVMPointerType::get(context, /*addressSpace=*/1);
  SmallVector<Type> types;
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

SpmmKernelSpec SpmmKernelSpec::get(SpmmOp op, int64_t alignment) {
  // Verified with the operation.
  Result<StepLayout> step = getStepLayout(op.getSchedule()->getRecipe(),
                                          op.getEncoding().getVector());
  return {op.getEncoding(),
          *op.getSchedule(),
          cast<ShapedType>(op.getRhs().getType()).getDimSize(0),
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
  // The order of vectors and the slabs of the storage do not change the code.
  return builder.getArrayAttr(
      {builder.getI64IntegerAttr(encoding.getVector()),
       builder.getI64IntegerAttr(encoding.getStride()),
       builder.getBoolAttr(encoding.getIndex() == IndexWidth::U16), schedule,
       builder.getI64IntegerAttr(schedule.isResident() ? inner : 0),
       builder.getI64IntegerAttr(lhsBits), builder.getI64IntegerAttr(rhsBits),
       builder.getI64IntegerAttr(computeBits), builder.getBoolAttr(unsignedLhs),
       builder.getBoolAttr(unsignedRhs), builder.getBoolAttr(shortRows),
       builder.getBoolAttr(accumulate), builder.getI64IntegerAttr(alignment),
       builder.getDenseI64ArrayAttr(epilogue.scaleAxes),
       builder.getDenseI64ArrayAttr(epilogue.biasAxis
                                        ? ArrayRef(*epilogue.biasAxis)
                                        : ArrayRef<int64_t>()),
       epilogue.activation ? Attribute(epilogue.activation)
                           : builder.getUnitAttr(),
       TypeAttr::get(epilogue.resultType)});
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
  if (!epilogue.resultType.isInteger())
    stream << "_" << epilogue.resultType;
  stream << "_v" << encoding.getVector();
  if (schedule.isResident())
    stream << "_resident" << inner;
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
  return b.getDictionaryAttr(
      {b.getNamedAttr("rule", b.getStringAttr(kSpmmRule)),
       b.getNamedAttr("parameters", b.getArrayAttr(parameters)),
       number("threads", getBlockThreads()),
       number("vector_rows", getTile().vectorRows),
       number("columns", getTile().columns), number("blocks", getTile().blocks),
       number("rhs_alignment", getAlignment().rhs),
       number("result_alignment", getAlignment().result)});
}
