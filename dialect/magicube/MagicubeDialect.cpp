//===- MagicubeDialect.cpp - Registration of the tensor-level dialect -----===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers operations and attributes; helpers on sparse tensor types.
//
//===----------------------------------------------------------------------===//

#include "dialect/magicube/MagicubeDialect.h"
#include "dialect/magicube/MagicubeQuantization.h"

#include "magicube/Target/GpuTarget.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::magicube;

#include "dialect/magicube/MagicubeDialect.cpp.inc"
#include "dialect/magicube/MagicubeEnums.cpp.inc"
#include "dialect/magicube/MagicubeInterfaces.cpp.inc"

void MagicubeDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "dialect/magicube/MagicubeOps.cpp.inc"
      >();
}

LogicalResult MagicubeDialect::verifyOperationAttribute(Operation *op,
                                                        NamedAttribute attr) {
  if (attr.getName() != kChipAttrName)
    return op->emitOpError("has unknown magicube attribute '")
           << attr.getName().getValue() << "'";
  if (!isa<ModuleOp>(op))
    return op->emitOpError("expected '")
           << kChipAttrName << "' on a module, not here";
  auto chip = dyn_cast<StringAttr>(attr.getValue());
  if (!chip)
    return op->emitOpError("expected '") << kChipAttrName << "' to be a string";
  Result<const GpuTarget *> target = lookupGpuTarget(chip.getValue());
  if (!target)
    return emit([&] { return op->emitOpError(); }, target.error());
  return success();
}

SRBCRSAttr mlir::magicube::getSparseEncoding(Type type) {
  auto tensorType = dyn_cast<RankedTensorType>(type);
  return tensorType ? dyn_cast_or_null<SRBCRSAttr>(tensorType.getEncoding())
                    : SRBCRSAttr();
}

bool mlir::magicube::isPackedDense(Type type) {
  auto tensorType = dyn_cast<RankedTensorType>(type);
  return tensorType && !tensorType.getEncoding() && tensorType.getRank() > 0 &&
         tensorType.getElementType().isInteger(4);
}

RankedTensorType mlir::magicube::getPackedType(RankedTensorType type) {
  SmallVector<int64_t> shape(type.getShape());
  if (!ShapedType::isDynamic(shape.back()))
    shape.back() = llvm::divideCeil(shape.back(), 2);
  return RankedTensorType::get(shape, IntegerType::get(type.getContext(), 8));
}

RankedTensorType mlir::magicube::getDenseType(RankedTensorType type) {
  return RankedTensorType::get(type.getShape(), type.getElementType());
}

Result<StorageLayout>
mlir::magicube::getStorageLayout(RankedTensorType type,
                                 const SRBCRSEncoding &encoding) {
  Type stored = getStorageElementType(type.getElementType());
  if (!stored.isIntOrFloat())
    return Error{"expected elements that are stored as integers or floats"};
  unsigned bits = stored.getIntOrFloatBitWidth();
  // Floats lie where integers of their width would.
  Result<ElementType> element =
      bits == 1 ? Result(ElementType::pattern())
                : ElementType::get(static_cast<int>(bits), /*isSigned=*/true);
  if (!element)
    return element.error();
  return StorageLayout::get(encoding, type.getShape().vec(), *element);
}

SmallVector<RankedTensorType>
mlir::magicube::getComponentTypes(RankedTensorType sparseType) {
  SmallVector<RankedTensorType> types;
  // The type's verifier has built the same layout, so it exists.
  Result<StorageLayout> layout =
      getStorageLayout(sparseType, getSparseEncoding(sparseType).getFormat());
  if (!layout)
    return types;
  Type element = sparseType.getElementType();
  for (const StorageComponent &component : layout->components()) {
    bool isFloats =
        component.kind == ComponentKind::Values && isa<FloatType>(element);
    if (component.kind != ComponentKind::Dimension)
      types.push_back(RankedTensorType::get(
          component.shape, isFloats ? element
                                    : IntegerType::get(sparseType.getContext(),
                                                       component.bits)));
  }
  return types;
}

FailureOr<const GpuTarget *> mlir::magicube::getTarget(Operation *op,
                                                       StringRef chip) {
  Result<const GpuTarget *> target = lookupGpuTarget(chip);
  if (!target)
    return emit([&] { return op->emitError(); }, target.error());
  auto chosen = op->getAttrOfType<StringAttr>(MagicubeDialect::kChipAttrName);
  if (chosen && chosen.getValue() != chip)
    return (op->emitError("expected chip ")
            << chosen << ", which '" << MagicubeDialect::kChipAttrName
            << "' names, but got \"" << chip << '"')
               .attachNote()
           << "take chip=" << chosen.getValue()
           << ", or remove the attribute to compile for " << chip;
  return *target;
}

LogicalResult mlir::magicube::emit(function_ref<InFlightDiagnostic()> emitError,
                                   const Error &error) {
  InFlightDiagnostic diag = emitError() << error.message;
  if (!error.note.empty())
    diag.attachNote() << error.note;
  return diag;
}
