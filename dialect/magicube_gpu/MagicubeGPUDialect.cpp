//===- MagicubeGPUDialect.cpp - Registration of the warp-level dialect ----===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers operations, types and attributes; verifiers of the types.
//
//===----------------------------------------------------------------------===//

#include "dialect/magicube_gpu/MagicubeGPUDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::magicube_gpu;

#include "dialect/magicube_gpu/MagicubeGPUDialect.cpp.inc"
#include "dialect/magicube_gpu/MagicubeGPUEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialect/magicube_gpu/MagicubeGPUAttrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "dialect/magicube_gpu/MagicubeGPUTypes.cpp.inc"

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
// StepAttr
//===----------------------------------------------------------------------===//

/// Of parameters that fit: the attribute's verifier has seen to that.
static magicube::Result<magicube::StepLayout>
deriveStep(magicube::OperandLayoutAttr layout, int64_t sparseBits,
           int64_t denseBits, int64_t vector) {
  magicube::OperandWidths widths{static_cast<int32_t>(sparseBits),
                                 static_cast<int32_t>(denseBits)};
  return magicube::getStepLayout(layout.getLayout(), widths,
                                 static_cast<int32_t>(vector));
}

magicube::StepLayout StepAttr::getStepLayout() const {
  return *deriveStep(getLayout(), getSparseBits(), getDenseBits(), getVector());
}

LogicalResult StepAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               magicube::OperandLayoutAttr layout,
                               int64_t sparseBits, int64_t denseBits,
                               int64_t vector) {
  for (auto [name, value] :
       {std::pair<StringRef, int64_t>("sparse_bits", sparseBits),
        {"dense_bits", denseBits},
        {"vector", vector}})
    if (value < 1 || value > magicube::kStepPositions)
      return emitError() << "expected " << name << " to be from 1 to "
                         << magicube::kStepPositions << ", but got " << value;
  magicube::Result<magicube::StepLayout> step =
      deriveStep(layout, sparseBits, denseBits, vector);
  return step ? success() : magicube::emit(emitError, step.error());
}

//===----------------------------------------------------------------------===//
// ChunkAttr
//===----------------------------------------------------------------------===//

/// Any number that is no width stands for all of those.
static magicube::ChunkWidths getWidths(int64_t lhs, int64_t rhs,
                                       int64_t compute) {
  auto clamp = [](int64_t bits) {
    return static_cast<int32_t>(std::clamp<int64_t>(bits, -1, INT32_MAX));
  };
  return {clamp(lhs), clamp(rhs), clamp(compute)};
}

magicube::ChunkLayout ChunkAttr::getChunkLayout() const {
  return *magicube::getChunkLayout(
      getWidths(getLhsBits(), getRhsBits(), getComputeBits()));
}

LogicalResult ChunkAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                int64_t lhsBits, int64_t rhsBits,
                                int64_t computeBits) {
  magicube::Result<magicube::ChunkLayout> layout =
      magicube::getChunkLayout(getWidths(lhsBits, rhsBits, computeBits));
  return layout ? success() : magicube::emit(emitError, layout.error());
}

//===----------------------------------------------------------------------===//
// FragmentType
//===----------------------------------------------------------------------===//

/// The row of an instruction and element type. Accumulators are i32 (or f32,
/// made of them) whatever the operands, so any row of that name will do.
static const magicube::MmaInstruction *lookup(StringRef mma, MmaOperand operand,
                                              Type elementType) {
  if (operand != MmaOperand::C)
    return magicube::lookupMma(mma, elementType.getIntOrFloatBitWidth());
  const magicube::MmaInstruction *row = magicube::lookupMma(mma, 8);
  return row ? row : magicube::lookupMma(mma, 4);
}

const magicube::MmaInstruction *FragmentType::getInstruction() const {
  return lookup(getMma(), getOperand(), getElementType());
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

LogicalResult FragmentType::verify(function_ref<InFlightDiagnostic()> emitError,
                                   StringRef mma, MmaOperand operand,
                                   Type elementType) {
  auto integer = dyn_cast<IntegerType>(elementType);
  bool isAccumulator = operand == MmaOperand::C;
  bool isLegal = isAccumulator
                     ? elementType.isInteger(32) || elementType.isF32()
                     : integer && !integer.isSignless();
  if (!isLegal)
    return emitError() << "expected elements of operand "
                       << stringifyMmaOperand(operand) << " to be "
                       << (isAccumulator ? "i32 or f32"
                                         : "integers with a sign, such as si8")
                       << ", but got " << elementType;
  if (!lookup(mma, operand, elementType))
    return emitError() << "unknown MMA instruction '" << mma
                       << "' for elements of type " << elementType;
  return success();
}

//===----------------------------------------------------------------------===//
// RegistersType
//===----------------------------------------------------------------------===//

LogicalResult
RegistersType::verify(function_ref<InFlightDiagnostic()> emitError,
                      int64_t count) {
  // One register per matrix (PTX ISA "ldmatrix": .x1, .x2, .x4); two vectors of
  // 8 values of 16 bits; 32 values of 16 bits of a chunk of K.
  if (!llvm::is_contained({1, 2, 4, 8, 16}, count))
    return emitError() << "expected 1, 2, 4, 8 or 16 registers, but got "
                       << count;
  return success();
}

//===----------------------------------------------------------------------===//
// SharedLayoutAttr and TileType
//===----------------------------------------------------------------------===//

/// Addresses in shared memory are 32-bit numbers.
static constexpr int64_t kMaxSharedBytes = std::numeric_limits<int32_t>::max();

static bool isChunkMultiple(int64_t bytes) {
  return bytes >= 0 && bytes <= kMaxSharedBytes &&
         bytes % magicube::kLdmatrixRowBytes == 0;
}

LogicalResult
SharedLayoutAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                         int64_t offset, int64_t stageBytes, int64_t pitch,
                         int64_t swizzleMask, int64_t swizzleShift) {
  const std::pair<StringRef, int64_t> distances[] = {
      {"offset", offset}, {"stage_bytes", stageBytes}, {"pitch", pitch}};
  for (auto [name, bytes] : distances)
    if (!isChunkMultiple(bytes))
      return emitError() << "expected " << name << " to be a multiple of "
                         << magicube::kLdmatrixRowBytes << " from 0 to "
                         << kMaxSharedBytes << ", but got " << bytes;
  if (!llvm::is_contained({0, 1, 3, 7}, swizzleMask))
    return emitError() << "expected swizzle_mask to be 0, 1, 3 or 7, but got "
                       << swizzleMask;
  if (!llvm::is_contained({0, 1, 2}, swizzleShift))
    return emitError() << "expected swizzle_shift to be 0, 1 or 2, but got "
                       << swizzleShift;
  return success();
}

LogicalResult TileType::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t rows, int64_t rowBytes, int64_t stages,
                               SharedLayoutAttr layout) {
  if (rows < 1 || stages < 1)
    return emitError() << "expected at least one row and one stage, but got "
                       << rows << " and " << stages;
  if (rowBytes == 0 || !isChunkMultiple(rowBytes))
    return emitError() << "expected row_bytes to be a positive multiple of "
                       << magicube::kLdmatrixRowBytes << ", but got "
                       << rowBytes;
  int64_t pitch = layout ? layout.getPitch() : rowBytes;
  int64_t stageBytes, ringBytes;
  if (llvm::MulOverflow(rows, pitch, stageBytes) ||
      llvm::MulOverflow(
          std::max(stageBytes, layout ? layout.getStageBytes() : 0), stages,
          ringBytes) ||
      ringBytes > kMaxSharedBytes)
    return emitError() << "expected a ring of at most " << kMaxSharedBytes
                       << " bytes, but got " << stages << " stages of " << rows
                       << " rows of " << pitch << " bytes";
  if (!layout)
    return success();
  if (pitch < rowBytes || layout.getStageBytes() < stageBytes)
    return emitError() << "expected pitch and stage_bytes to hold a row of "
                       << rowBytes << " bytes and " << rows << " rows, but got "
                       << pitch << " and " << layout.getStageBytes();
  int64_t chunks = pitch / magicube::kLdmatrixRowBytes;
  if (chunks % (layout.getSwizzleMask() + 1) != 0)
    return emitError()
           << "expected swizzle_mask to keep chunks in their row of " << chunks
           << ", but got " << layout.getSwizzleMask();
  return success();
}
