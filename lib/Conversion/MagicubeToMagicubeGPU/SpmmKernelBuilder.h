//===- SpmmKernelBuilder.h - Builder of SpMM kernels ----------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What kernels with a streamed and with a resident dense operand share.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_CONVERSION_MAGICUBETOMAGICUBEGPU_SPMMKERNELBUILDER_H
#define MAGICUBE_LIB_CONVERSION_MAGICUBETOMAGICUBEGPU_SPMMKERNELBUILDER_H

#include "SpmmOperands.h"
#include "WorkPartition/StoredPointers.h"

#include "dialect/magicube_gpu/MagicubeGPUDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::magicube {

/// Builds one kernel. The base knows what both strategies share: parameters,
/// fragments, MMAs and the result.
class SpmmKernelBuilder {
public:
  SpmmKernelBuilder(OpBuilder &builder, Location loc,
                    const SpmmKernelSpec &spec)
      : b(builder), loc(loc), spec(spec), operands(KernelOperands::get(spec)),
        step(operands.step) {}

  virtual ~SpmmKernelBuilder() = default;

  gpu::GPUFuncOp create(StringRef name);

protected:
  /// The body of a block whose tile starts at `column`, inside of the result.
  virtual void createBody(Value column) = 0;
  /// Raw registers of ldmatrix call `call` on the group of chunks from chunk
  /// `chunk` of the warp's part of the tile on.
  virtual Value createLoadRows(int64_t chunk, int64_t call) = 0;
  /// 16-byte chunks of a row that a warp multiplies.
  int64_t getChunksPerWarp() const {
    return spec.schedule.getWarpColumns() * spec.rhsBits / 8 / kChunkBytes;
  }
  /// Groups of chunks that the recipe handles together.
  int64_t getGroupsPerWarp() const {
    return getChunksPerWarp() / operands.dense.chunks;
  }

  /// Operand A (dense) or B (sparse) for a plane.
  magicube_gpu::FragmentType
  getPlaneType(const OperandPlane &plane,
               magicube_gpu::MmaOperand operand) const;
  magicube_gpu::FragmentType getAccumulatorType() const {
    return magicube_gpu::FragmentType::get(b.getContext(), step.mma->name,
                                           magicube_gpu::MmaOperand::C,
                                           b.getI32Type());
  }
  Value constant(int64_t value) {
    return arith::ConstantIntOp::create(b, loc, value, /*width=*/32);
  }
  Value id(gpu::Dimension dimension, bool isBlock);
  Value parameter(SpmmParameter which) {
    return kernel.getArgument(static_cast<unsigned>(which));
  }
  void createFunction(StringRef name);
  /// First column of the block's tile.
  Value createColumn();
  /// Bytes that `columns` columns of the dense operand take.
  Value createBytes(Value columns);
  /// Chunk `offset` of the warp's part of the tile.
  Value createChunk(int64_t offset);
  Arithmetic arithmetic() { return {b, loc}; }
  /// The sparse operand's pointers, in a kernel whose function exists.
  StoredPointers getPointers() {
    return {parameter(SpmmParameter::Pointers), spec.slabs,
            spec.encoding.getStride()};
  }
  /// Types of the fragments of the sparse operand in one step.
  SmallVector<Type> getValueTypes() const;
  /// Accumulators of a warp, all zero.
  SmallVector<Value> createZeros();
  /// Adds the products of one step, with fragments `lhs` of the sparse operand.
  SmallVector<Value> createStepProducts(ValueRange lhs,
                                        ValueRange accumulators);
  /// Adds the products of one call's planes of one group to `sums`.
  void createProducts(int64_t group, int64_t call, ValueRange lhs,
                      MutableArrayRef<Value> sums);
  /// Adds 8 times the sparse values to the corrections, the last of `sums`.
  void createCorrections(ValueRange lhs, MutableArrayRef<Value> sums);
  /// The sums of a column set, of all weights.
  Value createCombined(ValueRange accumulators, int64_t group,
                       int32_t columnSet, int32_t fragment);
  /// The sums of all weights: by group, fragment and column set (fastest).
  SmallVector<Value> createSums(ValueRange accumulators);
  /// Finishes and stores what createSums has returned.
  void storeSums(ArrayRef<Value> sums, Value row, Value column);

  OpBuilder &b;
  Location loc;
  const SpmmKernelSpec &spec;
  KernelOperands operands;
  const StepLayout &step;
  gpu::GPUFuncOp kernel;
  /// Bytes of the dense operand's rows.
  Value rowLimit;
  /// First 16-byte chunk of the warp's part of the tile; null: 0.
  Value warpChunk;
};

std::unique_ptr<SpmmKernelBuilder>
createStreamedKernelBuilder(OpBuilder &builder, Location loc,
                            const SpmmKernelSpec &spec);
std::unique_ptr<SpmmKernelBuilder>
createResidentKernelBuilder(OpBuilder &builder, Location loc,
                            const SpmmKernelSpec &spec);
std::unique_ptr<SpmmKernelBuilder>
createSlabKernelBuilder(OpBuilder &builder, Location loc,
                        const SpmmKernelSpec &spec);

} // namespace mlir::magicube

#endif // MAGICUBE_LIB_CONVERSION_MAGICUBETOMAGICUBEGPU_SPMMKERNELBUILDER_H
