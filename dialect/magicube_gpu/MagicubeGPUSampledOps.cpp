//===- MagicubeGPUSampledOps.cpp - Products at the places of a pattern ----===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers of what loads, splits and stores.
//
//===----------------------------------------------------------------------===//

#include "MagicubeGPUVerify.h"

#include "mlir/IR/Builders.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::magicube_gpu;
using magicube::ChunkLayout;
using magicube::ChunkOperand;

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

LogicalResult LdgWordsOp::verify() {
  int64_t offset = getOffsetAttr().getInt();
  int64_t alignment = getAlignmentAttr().getInt();
  if (!isRowAlignment(alignment))
    return emitOpError("expected alignment to be 16, 4 or 1, but got ")
           << alignment;
  if (offset < 0 || offset > INT32_MAX || offset % alignment != 0)
    return emitOpError("expected offset to be a multiple of ")
           << alignment << " from 0 to " << INT32_MAX << ", but got " << offset;
  return success();
}

LogicalResult MaskWordsOp::verify() {
  int64_t bits = getBitsAttr().getInt();
  if (llvm::is_contained({4, 8, 16}, bits))
    return success();
  return emitOpError("expected bits to be 4, 8 or 16, but got ") << bits;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

LogicalResult SplitChunkOp::verify() {
  ChunkLayout chunk = getChunk().getChunkLayout();
  constexpr size_t rowsOfA = 2;
  if (getRows().size() != 1 && getRows().size() != rowsOfA)
    return emitOpError("expected words of 1 row of the lhs or of 2 of the rhs, "
                       "but got ")
           << getRows().size();
  bool isA = getRows().size() == rowsOfA;
  const ChunkOperand &operand = isA ? chunk.rhs : chunk.lhs;
  if (getBiased() && !(isA && operand.planes.front().isHalf()))
    return emitOpError("expected 'biased' for rows of the rhs of 4 bits in "
                       "8-bit MMAs only");
  for (Type type : getRows().getTypes())
    if (cast<RegistersType>(type).getCount() != operand.words)
      return emitOpError("expected ")
             << operand.words << " registers for " << operand.bits
             << " bits, but got " << type;
  size_t count = operand.planes.size() * chunk.slices();
  if (getFragments().size() != count)
    return emitOpError("expected ")
           << count << " fragments for " << operand.bits << " bits, but got "
           << getFragments().size();
  MmaOperand expected = isA ? MmaOperand::A : MmaOperand::B;
  for (Type type : getFragments().getTypes()) {
    auto fragment = cast<FragmentType>(type);
    if (fragment.getOperand() != expected ||
        fragment.getInstruction() != chunk.mma)
      return emitOpError("expected fragments of operand ")
             << stringifyMmaOperand(expected) << " of "
             << chunk.mma->operandBits << "-bit " << chunk.mma->name
             << ", but got " << type;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

Type StoreVectorsOp::getSumType() { return getStoreSumType(getBody()); }

LogicalResult StoreVectorsOp::verify() {
  if (getFragments().size() != magicube::kPositionTiles ||
      getColumns().size() != magicube::kLanePositionRun)
    return emitOpError("expected ")
           << magicube::kPositionTiles << " fragments and "
           << magicube::kLanePositionRun << " columns, but got "
           << getFragments().size() << " and " << getColumns().size();
  if (failed(verifyStoreBody(*this, getBody(), getResultType())))
    return failure();
  int64_t vectorLength = getEncoding().getVector();
  for (Type type : getFragments().getTypes()) {
    auto fragment = cast<FragmentType>(type);
    const magicube::MmaInstruction *mma = fragment.getInstruction();
    if (fragment.getOperand() != MmaOperand::C ||
        mma->m != 2 * magicube::kMmaGroups || mma->n != magicube::kMmaGroups ||
        fragment.getElementType() != getSumType())
      return emitOpError("expected fragments of operand c of 16 x 8 elements "
                         "of type ")
             << getSumType() << ", but got " << type;
    int64_t component = getComponentAttr().getInt();
    if (component < 0 || component >= vectorLength || component % mma->n != 0)
      return emitOpError("expected component to be a multiple of ")
             << mma->n << " below the vector length " << vectorLength
             << ", but got " << component;
  }
  return success();
}

LogicalResult StoreVectorsOp::verifyRegions() {
  return verifyStoreRegion(*this, getBody(), getResultType());
}
