//===- MagicubeGPUOps.cpp - Verifiers of the warp-level operations --------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an operation's step, encoding and types must agree on, so that
// lowering needs no check. What depends on the kernel around it is checked
// there.
//
//===----------------------------------------------------------------------===//

#include "MagicubeGPUVerify.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::magicube_gpu;
using magicube::DenseOperand;
using magicube::kStepPositions;
using magicube::SparseOperand;
using magicube::StepLayout;

#include "dialect/magicube_gpu/MagicubeGPUInterfaces.cpp.inc"
#define GET_OP_CLASSES
#include "dialect/magicube_gpu/MagicubeGPUOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Shared checks
//===----------------------------------------------------------------------===//

LogicalResult
mlir::magicube_gpu::verifyStepVectors(Operation *op, StepAttr step,
                                      magicube::SRBCRSAttr encoding) {
  if (encoding.getVector() == step.getVector())
    return success();
  return op->emitOpError("expected an encoding with vectors of the step's "
                         "length ")
         << step.getVector() << ", but got " << encoding;
}

namespace mlir::magicube_gpu {
/// Checks that an operation's encoding has the vectors of its step.
template <typename Op>
static LogicalResult verifyVectors(Op op) {
  return verifyStepVectors(op, op.getStep(), op.getEncoding());
}
} // namespace mlir::magicube_gpu

bool mlir::magicube_gpu::isRowAlignment(int64_t alignment) {
  return llvm::is_contained({16, 4, 1}, alignment);
}

/// Checks the alignment of the dense operand's rows.
static LogicalResult verifyAlignment(Operation *op, int64_t alignment) {
  if (isRowAlignment(alignment))
    return success();
  return op->emitOpError("expected alignment to be 16, 4 or 1, but got ")
         << alignment;
}

/// Checks the length of a gathered row: chunks are told apart by bits.
static LogicalResult verifyRowBytes(Operation *op, int64_t rowBytes) {
  if (rowBytes >= magicube::kLdmatrixRowBytes && llvm::isPowerOf2_64(rowBytes))
    return success();
  return op->emitOpError("expected row_bytes to be a power of two of at least ")
         << magicube::kLdmatrixRowBytes << ", but got " << rowBytes;
}

/// Checks that a tile holds the gathered rows of a step.
static LogicalResult verifyRowsTile(Operation *op, TileType tile) {
  if (tile.getRows() != kStepPositions)
    return op->emitOpError("expected a tile of ")
           << kStepPositions << " rows, but got " << tile;
  return verifyRowBytes(op, tile.getRowBytes());
}

/// Checks that a tile holds the values of a step in one row.
static LogicalResult verifyValuesTile(Operation *op, TileType tile,
                                      magicube::SRBCRSAttr encoding,
                                      int64_t bits) {
  if (!llvm::is_contained({4, 8, 16}, bits))
    return op->emitOpError("expected bits to be 4, 8 or 16, but got ") << bits;
  int64_t bytes = kStepPositions * encoding.getVector() * bits / 8;
  if (tile.getRows() == 1 && tile.getRowBytes() == bytes)
    return success();
  return op->emitOpError("expected a tile of 1 row of ")
         << bytes << " bytes for vectors of length " << encoding.getVector()
         << ", but got " << tile;
}

LogicalResult mlir::magicube_gpu::verifyFragment(Operation *op,
                                                 FragmentType fragment,
                                                 const StepLayout &step,
                                                 MmaOperand operand) {
  bool hasWidth = operand == MmaOperand::C ||
                  fragment.getElementType().isInteger(step.mma->operandBits);
  if (fragment.getMma() == step.mma->name && fragment.getOperand() == operand &&
      hasWidth)
    return success();
  return op->emitOpError("expected a fragment of operand ")
         << stringifyMmaOperand(operand) << " of " << step.mma->operandBits
         << "-bit " << step.mma->name << " for operand layout '"
         << magicube::spelling(step.layout) << "', but got " << fragment;
}

/// Checks the fragments that the values of a step become.
static LogicalResult verifyValueFragments(Operation *op, ValueRange fragments,
                                          const StepLayout &step) {
  SparseOperand operand = *magicube::getSparseOperand(step);
  size_t expected = step.calls() * operand.planes.size() * step.fragments();
  if (fragments.size() != expected)
    return op->emitOpError("expected ")
           << expected << " fragments for operand layout '"
           << magicube::spelling(step.layout) << "' and vectors of length "
           << step.vectorLength << ", but got " << fragments.size();
  for (Type type : fragments.getTypes())
    if (failed(
            verifyFragment(op, cast<FragmentType>(type), step, MmaOperand::B)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

LogicalResult LdgGatherIndicesOp::verify() {
  if (getColumns().empty())
    return emitOpError("expected at least one result");
  if (failed(verifyVectors(*this)))
    return failure();
  return verifyRowBytes(*this, getRowBytes());
}

/// Checks that `threads` can take the chunks of a step's rows, `perThread`
/// each.
static LogicalResult verifyThreads(Operation *op, int64_t threads,
                                   int64_t rowBytes, int64_t perThread) {
  int64_t chunks = rowBytes / magicube::kLdmatrixRowBytes;
  if (threads >= chunks && threads * perThread == chunks * kStepPositions)
    return success();
  return op->emitOpError("expected the block's threads to share ")
         << chunks << " x " << kStepPositions << " chunks evenly, but got "
         << threads << " threads with " << perThread << " each";
}

LogicalResult LdgGatherIndicesOp::verifyThreads(int64_t threads) {
  return ::verifyThreads(*this, threads, getRowBytes(), getNumResults());
}

LogicalResult CpAsyncGatheredRowsOp::verifyThreads(int64_t threads) {
  return ::verifyThreads(*this, threads, getTile().getType().getRowBytes(),
                         getColumns().size());
}

LogicalResult CpAsyncGatheredRowsOp::verify() {
  if (getColumns().empty())
    return emitOpError("expected at least one column index");
  if (failed(verifyAlignment(*this, getAlignment())))
    return failure();
  return verifyRowsTile(*this, getTile().getType());
}

LogicalResult CpAsyncValuesOp::verify() {
  return verifyValuesTile(*this, getTile().getType(), getEncoding(), getBits());
}

//===----------------------------------------------------------------------===//
// Tables in shared memory
//===----------------------------------------------------------------------===//

/// Checks an access to `bytes` bytes from `byte` on of a tile of one row.
static LogicalResult verifyTable(Operation *op, TileType tile, Value byte,
                                 int64_t bytes) {
  if (!llvm::is_contained({4, 8, 16}, bytes))
    return op->emitOpError("expected 4, 8 or 16 bytes, but got ") << bytes;
  if (tile.getRows() != 1 || tile.getStages() != 1 ||
      tile.getRowBytes() < bytes)
    return op->emitOpError("expected a tile of 1 row of at least ")
           << bytes << " bytes, but got " << tile;
  std::optional<int64_t> first = getConstantIntValue(byte);
  int64_t last = tile.getRowBytes() - bytes;
  if (first && (*first < 0 || *first > last || *first % bytes != 0))
    return op->emitOpError("expected byte to be a multiple of ")
           << bytes << " from 0 to " << last << ", but got " << *first;
  return success();
}

LogicalResult LdsWordsOp::verify() {
  return verifyTable(*this, getTile().getType(), getByte(),
                     getWords().size() * sizeof(int32_t));
}

LogicalResult StsWordsOp::verify() {
  return verifyTable(*this, getTile().getType(), getByte(),
                     getWords().size() * sizeof(int32_t));
}

LogicalResult CpAsyncWordsOp::verify() {
  return verifyTable(*this, getTile().getType(), getByte(),
                     getBytesAttr().getInt());
}

//===----------------------------------------------------------------------===//
// Stationary dense rows
//===----------------------------------------------------------------------===//

LogicalResult CpAsyncRowsOp::verify() {
  TileType tile = getTile().getType();
  if (failed(verifyAlignment(*this, getAlignment())))
    return failure();
  if (tile.getRowBytes() % magicube::kLdmatrixRowBytes != 0)
    return emitOpError("expected rows of a multiple of ")
           << magicube::kLdmatrixRowBytes << " bytes, but got " << tile;
  std::optional<int64_t> count = getConstantIntValue(getCount());
  if (count && (*count < 0 || *count > tile.getRows()))
    return emitOpError("expected count to be from 0 to the tile's ")
           << tile.getRows() << " rows, but got " << *count;
  return success();
}

/// Checks that steps of 32 positions are whole strides, or whole parts of one.
static LogicalResult verifyStride(Operation *op,
                                  magicube::SRBCRSAttr encoding) {
  if (encoding.getStride() % kStepPositions == 0)
    return success();
  return op->emitOpError("expected a stride that is a multiple of ")
         << kStepPositions << ", but got " << encoding.getStride();
}

LogicalResult AddFragmentsOp::verify() {
  for (Type type : getFragments().getTypes())
    if (!cast<FragmentType>(type).getElementType().isInteger(32))
      return emitOpError("expected fragments of i32, but got ") << type;
  return success();
}

LogicalResult LdgIndicesOp::verify() {
  if (failed(verifyVectors(*this)))
    return failure();
  StepLayout step = getStep().getStepLayout();
  if (getColumns().size() == static_cast<size_t>(step.calls()))
    return verifyStride(*this, getEncoding());
  return emitOpError("expected ")
         << step.calls() << " results for operand layout '"
         << magicube::spelling(step.layout) << "', but got "
         << getColumns().size();
}

/// Checks words of a step's values: `words` per fragment.
static LogicalResult verifyWords(Operation *op, RegistersType words,
                                 const StepLayout &step) {
  SparseOperand operand = *magicube::getSparseOperand(step);
  int64_t expected = int64_t(operand.words) * step.fragments();
  if (words.getCount() == expected)
    return success();
  return op->emitOpError("expected ")
         << expected << " registers for " << step.widths.sparse
         << "-bit values of vectors of length " << step.vectorLength
         << ", but got " << words;
}

LogicalResult LdgValuesOp::verify() {
  if (failed(verifyStride(*this, getEncoding())) ||
      failed(verifyVectors(*this)))
    return failure();
  return verifyWords(*this, getWords().getType(), getStep().getStepLayout());
}

LogicalResult SplitValuesOp::verify() {
  StepLayout step = getStep().getStepLayout();
  if (failed(verifyVectors(*this)) ||
      failed(verifyWords(*this, getWords().getType(), step)))
    return failure();
  return verifyValueFragments(*this, getFragments(), step);
}

//===----------------------------------------------------------------------===//
// Fragments
//===----------------------------------------------------------------------===//

LogicalResult LdsRowsOp::verify() {
  StepLayout step = getStep().getStepLayout();
  int64_t calls = step.calls();
  if (getCall() >= static_cast<uint64_t>(calls))
    return emitOpError("expected call to be below ")
           << calls << " for operand layout '"
           << magicube::spelling(step.layout) << "', but got "
           << getCallAttr().getInt();
  if (getRegisters().getType().getCount() != step.rawRegisters())
    return emitOpError("expected ")
           << step.rawRegisters() << " registers, but got "
           << getRegisters().getType();
  if (getRow()) // any row of any tile
    return success();
  return verifyRowsTile(*this, getTile().getType());
}

LogicalResult TransposeOp::verify() {
  StepLayout step = getStep().getStepLayout();
  DenseOperand operand = *magicube::getDenseOperand(step);
  constexpr int64_t halfBits = 4;
  if (operand.bits != halfBits && (getBiased() || getScaled()))
    return emitOpError("expected 'biased' and 'scaled' for 4 bits only, but "
                       "got ")
           << operand.bits << " bits";
  // Layouts with several calls take each alone.
  size_t sources = step.calls() > 1 ? 1 : operand.chunks;
  if (getRegisters().size() != sources ||
      getFragments().size() != operand.planes.size())
    return emitOpError("expected ")
           << sources << " operands and " << operand.planes.size()
           << " results for " << operand.bits << " bits, but got "
           << getRegisters().size() << " and " << getFragments().size();
  for (Value registers : getRegisters())
    if (cast<RegistersType>(registers.getType()).getCount() !=
        step.rawRegisters())
      return emitOpError("expected ")
             << step.rawRegisters() << " registers, but got "
             << registers.getType();
  for (Type type : getFragments().getTypes())
    if (failed(verifyFragment(*this, cast<FragmentType>(type), step,
                              MmaOperand::A)))
      return failure();
  return success();
}

LogicalResult LdsValuesOp::verify() {
  if (failed(verifyVectors(*this)) ||
      failed(verifyValueFragments(*this, getFragments(),
                                  getStep().getStepLayout())))
    return failure();
  int64_t bits = getStep().getSparseBits(),
          storageBits = bits == 12 ? 16 : bits;
  return verifyValuesTile(*this, getTile().getType(), getEncoding(),
                          storageBits);
}

LogicalResult CombineOp::verify() {
  size_t count = getAccumulators().size();
  if (count == 0 || getShifts().size() != count || getNegate().size() != count)
    return emitOpError("expected one of shifts and of negate per accumulator, "
                       "that is ")
           << count << ", but got " << getShifts().size() << " and "
           << getNegate().size();
  for (int64_t shift : getShifts())
    if (shift < -31 || shift > 31)
      return emitOpError("expected shifts from -31 to 31, but got ") << shift;
  return success();
}

LogicalResult CombineFloatOp::verify() {
  ArrayRef<int64_t> shifts = getShifts();
  if (getAccumulators().empty() || shifts.size() != getAccumulators().size())
    return emitOpError("expected one of shifts per accumulator, that is ")
           << getAccumulators().size() << ", but got " << shifts.size();
  for (size_t i = 0; i < shifts.size(); ++i)
    if (shifts[i] < 0 || shifts[i] > 31 ||
        (i > 0 && shifts[i] <= shifts[i - 1]))
      return emitOpError("expected ascending shifts from 0 to 31, but got ")
             << shifts[i] << " at #" << i;
  FragmentType result = getResult().getType();
  if (result.getOperand() != MmaOperand::C || !result.getElementType().isF32())
    return emitOpError("expected a result of f32 accumulators, but got ")
           << result;
  auto expected =
      FragmentType::get(getContext(), result.getMma(), MmaOperand::C,
                        IntegerType::get(getContext(), 32));
  for (Type type : getAccumulators().getTypes())
    if (type != expected)
      return emitOpError("expected accumulators of type ")
             << expected << ", but got " << type;
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
    if (type.getElementType().isF32())
      return emitOpError("expected fragments of integers, but got ") << type;
  }
  if (getA().getType().getInstruction() != getB().getType().getInstruction())
    return emitOpError("expected a and b of the same width, but got ")
           << getA().getType() << " and " << getB().getType();
  return success();
}
