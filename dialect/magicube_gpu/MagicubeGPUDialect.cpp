//===- MagicubeGPUDialect.cpp - Registration of the warp-level dialect -----===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers operations, types and attributes; verifiers.
//
//===----------------------------------------------------------------------===//

#include "dialect/magicube_gpu/MagicubeGPUDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::magicube_gpu;

#include "dialect/magicube_gpu/MagicubeGPUDialect.cpp.inc"
#include "dialect/magicube_gpu/MagicubeGPUEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialect/magicube_gpu/MagicubeGPUAttrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "dialect/magicube_gpu/MagicubeGPUTypes.cpp.inc"
#define GET_OP_CLASSES
#include "dialect/magicube_gpu/MagicubeGPUOps.cpp.inc"

void MagicubeGPUDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialect/magicube_gpu/MagicubeGPUAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialect/magicube_gpu/MagicubeGPUTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialect/magicube_gpu/MagicubeGPUOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// FragmentType
//===----------------------------------------------------------------------===//

/// The row of an instruction and element type. Accumulators are i32 whatever
/// the operands, so any row of that name will do.
static const magicube::MmaInstruction *lookup(StringRef mma, Type elementType) {
  unsigned bits = elementType.getIntOrFloatBitWidth();
  if (bits != 32)
    return magicube::lookupMma(mma, bits);
  const magicube::MmaInstruction *row = magicube::lookupMma(mma, 8);
  return row ? row : magicube::lookupMma(mma, 4);
}

const magicube::MmaInstruction *FragmentType::getInstruction() const {
  return lookup(getMma(), getElementType());
}

int64_t FragmentType::getNumRegisters() const {
  const magicube::MmaInstruction *row = getInstruction();
  switch (getOperand()) {
  case MmaOperand::A:
    return row->aRegisters();
  case MmaOperand::B:
    return row->bRegisters();
  case MmaOperand::C:
    return row->cRegisters();
  }
  return 0;
}

LogicalResult
FragmentType::verify(function_ref<InFlightDiagnostic()> emitError,
                     StringRef mma, MmaOperand operand, Type elementType) {
  auto integer = dyn_cast<IntegerType>(elementType);
  bool isAccumulator = operand == MmaOperand::C;
  if (!integer || integer.isSignless() != isAccumulator ||
      (isAccumulator && integer.getWidth() != 32))
    return emitError() << "expected elements of operand "
                       << stringifyMmaOperand(operand) << " to be "
                       << (isAccumulator ? "i32"
                                         : "integers with a sign, such as si8")
                       << ", but got " << elementType;
  if (!lookup(mma, elementType))
    return emitError() << "unknown MMA instruction '" << mma
                       << "' for elements of type " << elementType;
  return success();
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

LogicalResult GatherRowsOp::verify() {
  if (!llvm::is_contained({16, 4, 1}, getAlignment()))
    return emitOpError("expected alignment to be 16, 4 or 1, but got ")
           << getAlignment();
  return success();
}

LogicalResult MmaOp::verify() {
  FragmentType operands[] = {getA().getType(), getB().getType(),
                             getC().getType()};
  for (auto [index, type] : llvm::enumerate(operands)) {
    if (type.getOperand() != static_cast<MmaOperand>(index))
      return emitOpError("expected operand #")
             << index << " to be a fragment of operand "
             << stringifyMmaOperand(static_cast<MmaOperand>(index))
             << ", but got " << type;
    if (type.getMma() != operands[0].getMma())
      return emitOpError("expected fragments of one instruction, '")
             << operands[0].getMma() << "', but got " << type;
  }
  return success();
}
