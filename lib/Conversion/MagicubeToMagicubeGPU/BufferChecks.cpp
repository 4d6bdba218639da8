//===- BufferChecks.cpp - What kernels ask of buffers ---------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BufferChecks.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::magicube;

/// Whether kernels can read and write the memory: that of the host program,
/// which may be the device's, or what the GPU calls global.
static bool isInGlobalMemory(MemRefType type) {
  Attribute space = type.getMemorySpace(); // null for the default, 0
  if (auto number = dyn_cast_or_null<IntegerAttr>(space))
    return number.getValue() ==
           static_cast<uint64_t>(NVVM::NVVMMemorySpace::Global);
  auto gpuSpace = dyn_cast_or_null<gpu::AddressSpaceAttr>(space);
  return !space ||
         (gpuSpace && gpuSpace.getValue() == gpu::AddressSpace::Global);
}

LogicalResult mlir::magicube::verifyGlobalMemory(Operation *op) {
  for (Type operand : op->getOperandTypes())
    if (auto type = dyn_cast<MemRefType>(operand);
        type && !isInGlobalMemory(type))
      return (op->emitOpError("expected operands in global memory, but got ")
              << type)
                 .attachNote()
             << "copy the operand to a buffer without a memory space first";
  return success();
}

/// Whether a component starts at its buffer's start, where it is aligned, and
/// has no gaps.
static bool isPacked(MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!type.isStrided() || failed(type.getStridesAndOffset(strides, offset)) ||
      offset != 0)
    return false;
  int64_t packed = 1;
  for (auto [extent, stride] :
       llvm::reverse(llvm::zip_equal(type.getShape(), strides))) {
    if (stride != packed)
      return false;
    packed = ShapedType::isDynamic(extent) ? extent : packed * extent;
  }
  return true;
}

LogicalResult mlir::magicube::verifyPacked(Operation *op,
                                           ValueRange components) {
  for (Value component : components)
    if (!isPacked(cast<MemRefType>(component.getType())))
      return (op->emitOpError("expected a storage component without offset and "
                              "gaps, but got ")
              << component.getType())
                 .attachNote()
             << "copy the component to a buffer of its own first";
  return success();
}

/// Whether the elements of each row are contiguous, and rows follow one
/// another.
static bool hasContiguousRows(MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!type.isStrided() || failed(type.getStridesAndOffset(strides, offset)) ||
      strides.back() != 1)
    return false;
  return llvm::all_of(strides, [](int64_t stride) {
    return ShapedType::isDynamic(stride) || stride >= 0;
  });
}

LogicalResult mlir::magicube::verifyContiguousRows(Operation *op,
                                                   ArrayRef<Value> matrices) {
  for (Value matrix : matrices)
    if (!hasContiguousRows(cast<MemRefType>(matrix.getType())))
      return (op->emitOpError("expected rows of contiguous elements, but got ")
              << matrix.getType())
                 .attachNote()
             << "copy the operand to row-major memory first";
  return success();
}

LogicalResult mlir::magicube::verifyEpilogue(SparseComputeOpInterface op) {
  for (const EpilogueOperand<Value> &operand : op.getEpilogue().operands)
    if (auto type = dyn_cast<MemRefType>(operand.ref.getType());
        type && !type.getLayout().isIdentity())
      return (op->emitOpError("expected scales and bias without gaps, but got ")
              << type)
                 .attachNote()
             << "copy the operand to a buffer of its own first";
  return success();
}

LogicalResult mlir::magicube::verifyKernelForm(SparseComputeOpInterface op) {
  if (!op.isStorageForm() || op->getNumResults() > 0)
    return op->emitOpError("expected storage form on memrefs here").attachNote()
           << "run convert-magicube-storage and one-shot-bufferize first";
  if (op->getParentOfType<gpu::GPUModuleOp>() ||
      op->getParentOfType<gpu::LaunchOp>())
    return op->emitOpError("expected to be in host code, which launches its "
                           "kernel");
  return success();
}
