//===- ResidentSteps.h - Steps on a resident dense operand ----------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the kernels with a resident dense operand share: a stream of steps whose
// values and indices are fetched ahead into registers, and their products with
// the rows of a slab.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_CONVERSION_MAGICUBETOMAGICUBEGPU_RESIDENTSTEPS_H
#define MAGICUBE_LIB_CONVERSION_MAGICUBETOMAGICUBEGPU_RESIDENTSTEPS_H

#include "SpmmKernelBuilder.h"

namespace mlir::magicube {

/// What a vector-row costs a warp besides its steps (its range, the latency of
/// its first loads, its sums), in stored positions.
inline constexpr int64_t kRowCost = 2 * kStepPositions;

/// Builds the steps of a kernel that has rows of the dense operand in shared
/// memory. What derives from it says which steps a warp does, and where their
/// sums go.
class ResidentSteps : public SpmmKernelBuilder {
public:
  using SpmmKernelBuilder::SpmmKernelBuilder;

protected:
  /// What a step needs in registers.
  struct StepOperands {
    /// Column index by ldmatrix call.
    SmallVector<Value> columns;
    /// Stored words of the values.
    Value words;
  };

  /// The steps of a warp as far as they are done: what has been fetched for the
  /// next ones, and where in the work it is, as the kernel counts it.
  struct Stream {
    SmallVector<StepOperands> ready;
    SmallVector<Value> cursor;
  };

  /// Stored position of the next step to fetch for, after one was done.
  virtual Value moveCursor(MutableArrayRef<Value> cursor) = 0;
  Value createLoadRows(int64_t chunk, int64_t call) override;

  /// Blocks in x, among which the vector-rows are dealt.
  Value gridSize() {
    return arith::IndexCastOp::create(
        b, loc, b.getI32Type(),
        gpu::GridDimOp::create(b, loc, gpu::Dimension::x).getResult());
  }

  StepOperands fetch(Value position);
  /// What a fetch gives, all zero.
  StepOperands createNoOperands();
  /// Does a step and fetches for a later one.
  void advance(Stream &stream, SmallVector<Value> &sums);
  /// Does `steps` steps.
  void createSteps(Value steps, Stream &stream, SmallVector<Value> &sums);
  /// The values that control flow passes on, and back.
  static SmallVector<Value> flatten(const Stream &stream,
                                    ArrayRef<Value> others);
  /// `stream` tells how long the cursor is.
  ValueRange unflatten(ValueRange values, Stream &stream) const;
  SmallVector<Value> createZeroSums();

  Value compare(arith::CmpIPredicate predicate, Value lhs, Value rhs) {
    return arith::CmpIOp::create(b, loc, predicate, lhs, rhs);
  }
  Value both(Value lhs, Value rhs) {
    return arith::AndIOp::create(b, loc, lhs, rhs);
  }
  Value select(Value condition, Value yes, Value no) {
    return arith::SelectOp::create(b, loc, condition, yes, no);
  }
  Value add(Value lhs, Value rhs) {
    return arith::AddIOp::create(b, loc, lhs, rhs);
  }
  Value add(Value lhs, int64_t rhs) { return add(lhs, constant(rhs)); }
  Value sub(Value lhs, Value rhs) {
    return arith::SubIOp::create(b, loc, lhs, rhs);
  }
  Value mul(Value lhs, Value rhs) {
    return arith::MulIOp::create(b, loc, lhs, rhs);
  }
  Value mul(Value lhs, int64_t rhs) { return mul(lhs, constant(rhs)); }
  Value min(Value lhs, Value rhs) {
    return arith::MinUIOp::create(b, loc, lhs, rhs);
  }
  Value isPositive(Value value) {
    return compare(arith::CmpIPredicate::ugt, value, constant(0));
  }
  Value isEqual(Value lhs, Value rhs) {
    return compare(arith::CmpIPredicate::eq, lhs, rhs);
  }
  Value isBelow(Value lhs, Value rhs) {
    return compare(arith::CmpIPredicate::ult, lhs, rhs);
  }
  Value toSteps(Value positions) {
    return arith::DivUIOp::create(b, loc, positions, constant(kStepPositions));
  }
  /// The next multiple of the stride.
  Value toPadded(Value end) {
    int64_t stride = spec.encoding.getStride();
    return arith::AndIOp::create(b, loc, add(end, stride - 1),
                                 constant(-stride));
  }

  int64_t warps() const { return spec.schedule.getWarps(); }
  int64_t stages() const { return spec.schedule.getStages(); }
  /// Steps whose operands are in registers before they are needed.
  int64_t ahead() const { return stages() - 1; }
  int64_t numSumFragments() const {
    return getGroupsPerWarp() * step.fragments() * operands.dense.columnSets();
  }
  /// Bytes of shared memory that the sums of one warp take.
  int64_t getSumBytes() {
    return numSumFragments() * getAccumulatorType().getNumRegisters() *
           kWarpSize * sizeof(int32_t);
  }

  Value slab, warp;
  /// First column whose row the slab holds (null: 0), its place in the tile
  /// (null: the only one), and its last row.
  Value firstColumn, slot, lastRow;

private:
  SmallVector<Value> createStep(const StepOperands &operands,
                                ValueRange accumulators);
  /// Does `left` < `most` steps.
  void createRest(Value left, int64_t most, Stream &stream,
                  SmallVector<Value> &sums);

  /// Rows of the slab that load_rows takes now, by call.
  ArrayRef<Value> currentRows;
};

} // namespace mlir::magicube

#endif // MAGICUBE_LIB_CONVERSION_MAGICUBETOMAGICUBEGPU_RESIDENTSTEPS_H
