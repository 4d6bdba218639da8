//===- SlabKernel.cpp - SpMM with slabs of a resident operand -------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For dense operands of more rows than shared memory holds. A block owns a few
// vector-rows and goes through the slabs of a tile of columns: it fills shared
// memory with a slab and multiplies what its vector-rows have there.
//
//===----------------------------------------------------------------------===//
//
// A warp's share is a run of the block's steps, cut as if there were no slabs.
// The cuts say which part of its first and of its last vector-row a warp has;
// of each slab's group of such a vector-row it does the same part. So all warps
// have work in every slab, as far as the vectors of a vector-row are spread
// over the slabs evenly, and nothing is dealt twice.
//
// Sums of groups are added up in shared memory, where every vector-row of the
// block has a place. Values and indices are fetched ahead across the ends of
// groups and of slabs: fetches do not wait for a slab.
//
//===----------------------------------------------------------------------===//

#include "ResidentSteps.h"
#include "WorkPartition/RowsPerCta.h"
#include "WorkPartition/SegmentRanges.h"

#include "magicube/Layout/WorkTables.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::magicube;
using namespace mlir::magicube_gpu;

namespace {

class SlabKernelBuilder : public ResidentSteps {
public:
  using ResidentSteps::ResidentSteps;

private:
  void createBody(Value column) override;
  /// The cursor: the position to fetch next, the end of what the warp does of
  /// its group, and the group's vector-row (counted from the block's first) and
  /// slab.
  Value moveCursor(MutableArrayRef<Value> cursor) override;
  enum CursorField { Position, End, Row, Slab, NumCursorFields };
  /// Moves the cursor to the next group with steps if its group is over.
  void enterGroup(MutableArrayRef<Value> cursor);
  Value isOver(ValueRange cursor) {
    return isEqual(cursor[Slab], constantSlabs());
  }

  void allocateTiles();
  Value allocateRow(int64_t bytes);
  /// Sets the block's vector-rows and deals them to its warps.
  void createDeal();
  /// Copies slab `index`, if there is one, to its place.
  void createFill(Value index);
  /// Copies the pointers of vector-rows to shared memory.
  void createGroups(Value firstRow, Value endRow);
  void createZeroTotals();
  Stream createStream();
  void createSlab(Value index, Stream &stream);
  void createStores();

  SegmentRanges getRanges() {
    return {getPointers(), kRowCost, spec.getBlockThreads(), groups, shares};
  }
  /// Start and end of what the warp does of a vector-row's group.
  std::pair<Value, Value> loadGroupShare(Value row, Value slabIndex);

  int64_t buffers() const { return spec.schedule.getBuffers(); }
  int64_t mostRows() const { return getMostBlockRows(spec.schedule.getRows()); }
  int64_t slabRows() const {
    return std::min<int64_t>(spec.encoding.getSlab(), spec.inner);
  }
  Value constantSlabs() { return constant(spec.slabs); }

  /// Tiles: pointers and sums of the block's vector-rows, shares of its warps.
  Value groups, totals, shares;
  Value tileColumn;
  /// The block's first vector-row and their number.
  Value blockRow, blockRows;
  /// The warp's first and last vector-row, counted from the block's first, and
  /// the one behind those of the warp.
  Value firstRow, endRow, limitRow;
};

} // namespace

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

Value SlabKernelBuilder::allocateRow(int64_t bytes) {
  MLIRContext *context = b.getContext();
  bytes = llvm::alignTo(bytes, kChunkBytes);
  return AllocTileOp::create(
      b, loc, TileType::get(context, /*rows=*/1, bytes, /*stages=*/1, {}),
      SharedFormAttr::get(context, SharedForm::Plain));
}

void SlabKernelBuilder::allocateTiles() {
  MLIRContext *context = b.getContext();
  slab = AllocTileOp::create(
      b, loc,
      TileType::get(context, slabRows(), spec.getTileBytes(), buffers(), {}),
      SharedFormAttr::get(context, spec.schedule.getShared()));
  totals = AllocTileOp::create(
      b, loc,
      TileType::get(context, mostRows(), getSumBytes(), /*stages=*/1, {}),
      SharedFormAttr::get(context, SharedForm::Plain));
  SegmentRanges ranges = getRanges();
  groups = allocateRow(ranges.getPairsBytes(mostRows()));
  shares = allocateRow(ranges.getStartsBytes(warps()));
}

void SlabKernelBuilder::createFill(Value index) {
  auto copy = [&](OpBuilder &, Location) {
    Value first = mul(index, slabRows());
    Value count = min(sub(constant(spec.inner), first), constant(slabRows()));
    auto extend = [&](Value value) {
      return arith::ExtUIOp::create(b, loc, b.getI64Type(), value);
    };
    Value stride = parameter(SpmmParameter::RhsStride);
    Value bytes = arith::MulIOp::create(b, loc, extend(first), extend(stride));
    Value rhs = parameter(SpmmParameter::Rhs);
    Value rows = LLVM::GEPOp::create(b, loc, rhs.getType(), b.getI8Type(), rhs,
                                     ValueRange{bytes});
    Value place = arith::RemUIOp::create(b, loc, index, constant(buffers()));
    FillRowsOp::create(b, loc, rows, count, stride, createBytes(tileColumn),
                       rowLimit, slab, place,
                       b.getI64IntegerAttr(spec.alignment));
    scf::YieldOp::create(b, loc);
  };
  scf::IfOp::create(b, loc, isBelow(index, constantSlabs()), copy);
  // Also without a copy: every slab has a group, so that they can be counted.
  NVVM::CpAsyncCommitGroupOp::create(b, loc);
}

void SlabKernelBuilder::createZeroTotals() {
  scf::ForOp::create(
      b, loc, warp, constant(mostRows()), constant(warps()), ValueRange(),
      [&](OpBuilder &, Location, Value place, ValueRange) {
        SaveFragmentsOp::create(b, loc, createZeroSums(), place, totals);
        scf::YieldOp::create(b, loc);
      });
}

//===----------------------------------------------------------------------===//
// Work
//===----------------------------------------------------------------------===//

void SlabKernelBuilder::createGroups(Value firstRow, Value endRow) {
  getRanges().copyPairs(arithmetic(), firstRow, endRow);
  NVVM::CpAsyncCommitGroupOp::create(b, loc);
}

/// Slabs are under way while the work is dealt. What that reads of the pointers
/// is asked for before them, since they fill the queues: also the pointers of
/// the vector-rows that the block most likely gets.
void SlabKernelBuilder::createDeal() {
  RowsPerCta partition = {getPointers(), parameter(SpmmParameter::VectorRows),
                          spec.schedule.getRows(), spec.getBlockThreads()};
  Value cta = id(gpu::Dimension::x, /*isBlock=*/true);
  RowsPerCta::Loaded loaded = partition.load(arithmetic());
  RowsPerCta::Rows likely = partition.getLikely(arithmetic(), cta);
  createGroups(likely.first, likely.end);
  for (int64_t i = 0; i < buffers(); ++i)
    createFill(constant(i));
  createZeroTotals();

  // The shares are not there yet: their place is free.
  RowsPerCta::Rows block =
      partition.partition(arithmetic(), loaded, cta, gridSize(), shares);
  blockRow = block.first;
  blockRows = sub(block.end, blockRow);
  Value isOther = arith::OrIOp::create(
      b, loc, compare(arith::CmpIPredicate::ne, blockRow, likely.first),
      compare(arith::CmpIPredicate::ne, block.end, likely.end));
  scf::IfOp::create(
      b, loc, isOther,
      [&](OpBuilder &, Location) {
        // The likely ones may arrive later than these.
        NVVM::CpAsyncWaitGroupOp::create(b, loc, /*n=*/0);
        gpu::BarrierOp::create(b, loc);
        createGroups(blockRow, block.end);
        NVVM::CpAsyncWaitGroupOp::create(b, loc, /*n=*/0);
        scf::YieldOp::create(b, loc);
      },
      [&](OpBuilder &, Location) {
        // The slabs may still be under way.
        NVVM::CpAsyncWaitGroupOp::create(b, loc, buffers());
        scf::YieldOp::create(b, loc);
      });
  gpu::BarrierOp::create(b, loc);
  SegmentRanges ranges = getRanges();
  ranges.partition(arithmetic(), blockRows);
  gpu::BarrierOp::create(b, loc);
  firstRow = ranges.loadFirstRow(arithmetic(), warp);
  endRow = ranges.loadFirstRow(arithmetic(), add(warp, 1));
  limitRow = min(add(endRow, 1), blockRows);
}

std::pair<Value, Value> SlabKernelBuilder::loadGroupShare(Value row,
                                                          Value slabIndex) {
  SegmentRanges ranges = getRanges();
  StoredRange segment = ranges.loadSegment(arithmetic(), row, slabIndex);
  auto loadCut = [&](Value warp) {
    return ranges.loadPosition(arithmetic(), warp, slabIndex);
  };
  Value start = select(isEqual(row, firstRow), loadCut(warp), segment.start);
  return {start, select(isEqual(row, endRow), loadCut(add(warp, 1)),
                        toPadded(segment.end))};
}

//===----------------------------------------------------------------------===//
// Fetches
//===----------------------------------------------------------------------===//

void SlabKernelBuilder::enterGroup(MutableArrayRef<Value> cursor) {
  auto loop = scf::WhileOp::create(
      b, loc, ValueRange(cursor).getTypes(), ValueRange(cursor),
      [&](OpBuilder &, Location, ValueRange carried) {
        Value isGroupOver = both(isEqual(carried[Position], carried[End]),
                                 isBelow(carried[Slab], constantSlabs()));
        scf::ConditionOp::create(b, loc, isGroupOver, carried);
      },
      [&](OpBuilder &, Location, ValueRange carried) {
        Value nextRow = add(carried[Row], 1);
        Value isSlabOver = isEqual(nextRow, limitRow);
        Value row = select(isSlabOver, firstRow, nextRow);
        Value slabIndex =
            select(isSlabOver, add(carried[Slab], 1), carried[Slab]);
        auto group = scf::IfOp::create(
            b, loc, isBelow(slabIndex, constantSlabs()),
            [&](OpBuilder &, Location) {
              auto [start, end] = loadGroupShare(row, slabIndex);
              scf::YieldOp::create(b, loc, ValueRange{start, end});
            },
            [&](OpBuilder &, Location) {
              // What was fetched last can be fetched again.
              Value last = add(carried[Position], -kStepPositions);
              scf::YieldOp::create(b, loc, ValueRange{last, last});
            });
        scf::YieldOp::create(
            b, loc,
            ValueRange{group.getResult(0), group.getResult(1), row, slabIndex});
      });
  llvm::copy(loop.getResults(), cursor.begin());
}

/// The position to fetch now; the cursor goes on to the next step, which may be
/// another group's. Behind the last one it stays where it is.
Value SlabKernelBuilder::moveCursor(MutableArrayRef<Value> cursor) {
  Value now = cursor[Position];
  cursor[Position] = select(isOver(cursor), now, add(now, kStepPositions));
  enterGroup(cursor);
  return now;
}

SlabKernelBuilder::Stream SlabKernelBuilder::createStream() {
  Stream stream;
  // As if a group before the first one were over.
  Value zero = constant(0);
  stream.cursor = {zero, zero, add(firstRow, -1), zero};
  Value isNone = isEqual(firstRow, limitRow);
  stream.cursor[Slab] = select(isNone, constantSlabs(), zero);
  enterGroup(stream.cursor);
  auto fetchFirst = [&](OpBuilder &, Location) {
    Stream first = stream;
    for (int64_t i = 0; i < ahead(); ++i)
      first.ready.push_back(fetch(moveCursor(first.cursor)));
    scf::YieldOp::create(b, loc, flatten(first, {}));
  };
  // No steps, perhaps an empty matrix: there is nothing to fetch.
  auto none = [&](OpBuilder &, Location) {
    Stream empty{SmallVector<StepOperands>(ahead(), createNoOperands()),
                 stream.cursor};
    scf::YieldOp::create(b, loc, flatten(empty, {}));
  };
  auto branch =
      scf::IfOp::create(b, loc, isOver(stream.cursor), none, fetchFirst);
  unflatten(branch.getResults(), stream);
  return stream;
}

//===----------------------------------------------------------------------===//
// Slabs
//===----------------------------------------------------------------------===//

/// Adds the products of slab `index` to the sums of all vector-rows.
void SlabKernelBuilder::createSlab(Value index, Stream &stream) {
  firstColumn = mul(index, slabRows());
  slot = arith::RemUIOp::create(b, loc, index, constant(buffers()));
  Value rows =
      min(sub(constant(spec.inner), firstColumn), constant(slabRows()));
  lastRow = add(rows, -1);
  auto loop = scf::ForOp::create(
      b, loc, firstRow, limitRow, constant(1), flatten(stream, {}),
      [&](OpBuilder &, Location, Value row, ValueRange carried) {
        Stream inner = stream;
        unflatten(carried, inner);
        auto [start, end] = loadGroupShare(row, index);
        Value steps = toSteps(sub(end, start));
        SmallVector<Value> accumulators = createZeros();
        createSteps(steps, inner, accumulators);
        SmallVector<Value> sums = createSums(accumulators);
        scf::IfOp::create(b, loc, isPositive(steps),
                          [&](OpBuilder &, Location) {
                            AddFragmentsOp::create(b, loc, sums, row, totals);
                            scf::YieldOp::create(b, loc);
                          });
        scf::YieldOp::create(b, loc, flatten(inner, {}));
      });
  unflatten(loop.getResults(), stream);
}

void SlabKernelBuilder::createStores() {
  SmallVector<Type> types(numSumFragments(), getAccumulatorType());
  scf::ForOp::create(b, loc, warp, blockRows, constant(warps()), ValueRange(),
                     [&](OpBuilder &, Location, Value row, ValueRange) {
                       auto sums = RestoreFragmentsOp::create(b, loc, types,
                                                              row, totals);
                       storeSums(llvm::to_vector_of<Value>(sums.getFragments()),
                                 add(blockRow, row), tileColumn);
                       scf::YieldOp::create(b, loc);
                     });
}

void SlabKernelBuilder::createBody(Value column) {
  tileColumn = column;
  warp = arith::DivUIOp::create(
      b, loc, id(gpu::Dimension::x, /*isBlock=*/false), constant(kWarpSize));
  allocateTiles();
  createDeal();
  Stream stream = createStream();
  scf::ForOp::create(
      b, loc, constant(0), constantSlabs(), constant(1), flatten(stream, {}),
      [&](OpBuilder &, Location, Value index, ValueRange carried) {
        Stream inner = stream;
        unflatten(carried, inner);
        // All but the slabs after this one are there.
        NVVM::CpAsyncWaitGroupOp::create(b, loc, buffers() - 1);
        gpu::BarrierOp::create(b, loc);
        createSlab(index, inner);
        gpu::BarrierOp::create(b, loc);
        createFill(add(index, buffers()));
        scf::YieldOp::create(b, loc, flatten(inner, {}));
      });
  createStores();
}

std::unique_ptr<SpmmKernelBuilder>
mlir::magicube::createSlabKernelBuilder(OpBuilder &builder, Location loc,
                                        const SpmmKernelSpec &spec) {
  return std::make_unique<SlabKernelBuilder>(builder, loc, spec);
}
