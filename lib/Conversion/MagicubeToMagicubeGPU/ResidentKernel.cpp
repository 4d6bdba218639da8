//===- ResidentKernel.cpp - SpMM with a resident dense operand ------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block fills shared memory with all rows of a tile of columns and multiplies
// many vector-rows with it. Its warps work on their own, on equal shares of the
// stored vectors, and meet only to add up the vector-rows that several of them
// have a part of.
//
//===----------------------------------------------------------------------===//
//
// A warp's share is a run of steps in storage order, as BalancedRanges
// cuts them. It may start and end inside of a vector-row:
//
//   head   the end of a vector-row that an earlier warp began: its sums are
//          given to that warp through shared memory.
//   whole  a vector-row all of whose steps are in the share: stored at once.
//   tail   the beginning of a vector-row: its warp adds the heads of the warps
//          that continue it, and stores.
//
// The steps of a share follow one another in memory, so that what later steps
// need is fetched without regard to the ends of vector-rows. Heads wait in
// registers until no warp needs the slab any more, whose place they take.
//
//===----------------------------------------------------------------------===//

#include "ResidentSteps.h"
#include "WorkPartition/BalancedRanges.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::magicube;
using namespace mlir::magicube_gpu;

namespace {

class ResidentKernelBuilder : public ResidentSteps {
public:
  using ResidentSteps::ResidentSteps;

private:
  using WorkStart = BalancedRanges::Start;

  void createBody(Value column) override;
  /// The cursor: the stored position of the next step to do.
  Value moveCursor(MutableArrayRef<Value> cursor) override;

  void allocateTiles();
  void createFill(Value column);
  void createAwaitFill();
  BalancedRanges getRanges() {
    return {getPointers(), parameter(SpmmParameter::VectorRows), kRowCost,
            spec.getBlockThreads(), starts};
  }
  WorkStart loadStart(Value warp) {
    return getRanges().loadStart(arithmetic(), warp);
  }
  /// Padded end of a vector-row.
  Value loadEnd(Value row) {
    return toPadded(getPointers().loadRange(arithmetic(), row).end);
  }
  /// Fetches for the first steps of the share.
  Stream createStream(Value position);

  /// Does all vector-rows of the share. Returns the sums of head and tail.
  std::pair<SmallVector<Value>, SmallVector<Value>>
  createRows(const WorkStart &start, const WorkStart &next, Value column);
  /// Brings heads to their tails, which are then stored.
  void createExchange(ArrayRef<Value> head, ArrayRef<Value> tail, Value column);
  /// Adds the heads of the warps that continue vector-row `row`.
  SmallVector<Value> addHeads(ArrayRef<Value> sums, Value row);
  Value hasTail(const WorkStart &start, const WorkStart &next);

  /// Tile for where warps start.
  Value starts;
  /// The last step of the share, beyond which nothing is fetched.
  Value lastStep;
};

} // namespace

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

void ResidentKernelBuilder::allocateTiles() {
  MLIRContext *context = b.getContext();
  // After the products, the heads take the place of the slab.
  int64_t headBytes = warps() * getSumBytes();
  int64_t rows = std::max<int64_t>(
      spec.inner, llvm::divideCeil(headBytes, spec.getTileBytes()));
  slab = AllocTileOp::create(
      b, loc,
      TileType::get(context, rows, spec.getTileBytes(), /*stages=*/1, {}),
      SharedFormAttr::get(context, spec.schedule.getShared()));
  lastRow = constant(spec.inner - 1);
  starts = AllocTileOp::create(
      b, loc,
      TileType::get(context, /*rows=*/1, BalancedRanges::getTableBytes(warps()),
                    /*stages=*/1, {}),
      SharedFormAttr::get(context, SharedForm::Plain));
}

/// Issues the copies of the slab and deals the work while they are under way.
/// The pointers are asked for before the copies, which fill the queues.
void ResidentKernelBuilder::createFill(Value column) {
  BalancedRanges ranges = getRanges();
  BalancedRanges::Loaded loaded = ranges.load(arithmetic());
  FillRowsOp::create(b, loc, parameter(SpmmParameter::Rhs),
                     constant(spec.inner), parameter(SpmmParameter::RhsStride),
                     createBytes(column), rowLimit, slab, /*slot=*/Value(),
                     b.getI64IntegerAttr(spec.alignment));
  NVVM::CpAsyncCommitGroupOp::create(b, loc);
  Value cta = id(gpu::Dimension::x, /*isBlock=*/true);
  ranges.partitionAll(arithmetic(), loaded, cta, gridSize());
  gpu::BarrierOp::create(b, loc);
  ranges.partitionCta(arithmetic(), loaded);
  gpu::BarrierOp::create(b, loc);
}

void ResidentKernelBuilder::createAwaitFill() {
  NVVM::CpAsyncWaitGroupOp::create(b, loc, /*n=*/0);
  gpu::BarrierOp::create(b, loc);
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

Value ResidentKernelBuilder::moveCursor(MutableArrayRef<Value> cursor) {
  Value next = add(cursor.front(), ahead() * kStepPositions);
  cursor.front() = add(cursor.front(), kStepPositions);
  return min(next, lastStep);
}

ResidentKernelBuilder::Stream
ResidentKernelBuilder::createStream(Value position) {
  Stream stream;
  stream.cursor = {position};
  Value isEmpty = isEqual(position, add(lastStep, kStepPositions));
  auto fetchFirst = [&](OpBuilder &, Location) {
    for (int64_t i = 0; i < ahead(); ++i)
      stream.ready.push_back(
          fetch(min(add(position, i * kStepPositions), lastStep)));
    scf::YieldOp::create(b, loc, flatten(stream, {}));
  };
  // An empty share, perhaps of an empty matrix: there is nothing to fetch.
  auto none = [&](OpBuilder &, Location) {
    Stream empty{SmallVector<StepOperands>(ahead(), createNoOperands()),
                 stream.cursor};
    scf::YieldOp::create(b, loc, flatten(empty, {}));
  };
  auto branch = scf::IfOp::create(b, loc, isEmpty, none, fetchFirst);
  unflatten(branch.getResults(), stream);
  return stream;
}

//===----------------------------------------------------------------------===//
// Shares
//===----------------------------------------------------------------------===//

/// Whether the share ends inside of a vector-row that it begins.
Value ResidentKernelBuilder::hasTail(const WorkStart &start,
                                     const WorkStart &next) {
  Value isElsewhere = compare(arith::CmpIPredicate::ne, start.row, next.row);
  Value begins = compare(arith::CmpIPredicate::eq, start.inside, constant(0));
  return both(isPositive(next.inside),
              arith::OrIOp::create(b, loc, isElsewhere, begins));
}

std::pair<SmallVector<Value>, SmallVector<Value>>
ResidentKernelBuilder::createRows(const WorkStart &start, const WorkStart &next,
                                  Value column) {
  lastStep = add(next.position, -kStepPositions);
  // Vector-rows up to the one that the next share starts inside of.
  Value rows = add(next.row, next.inside);
  Value lastVectorRow = add(parameter(SpmmParameter::VectorRows), -1);
  auto loadEndInBounds = [&](Value row) {
    return loadEnd(min(row, lastVectorRow));
  };
  // Fetched while the slab is still under way.
  Stream stream = createStream(start.position);
  SmallVector<Value> initial = {loadEndInBounds(start.row)};
  createAwaitFill();
  // Carried: the stream, the end of the vector-row (loaded one ahead), head,
  // and the sums of the last vector-row.
  size_t count = numSumFragments();
  llvm::append_range(initial, createZeroSums());
  llvm::append_range(initial, createZeroSums());
  auto loop = scf::ForOp::create(
      b, loc, start.row, rows, constant(1), flatten(stream, initial),
      [&](OpBuilder &, Location, Value row, ValueRange carried) {
        Stream inner = stream;
        ValueRange others = unflatten(carried, inner);
        // Loaded again here and below, so as not to be in registers meanwhile.
        Value limit = loadStart(add(warp, constant(1))).position;
        Value end = arith::MinUIOp::create(b, loc, others.front(), limit);
        ValueRange head = others.slice(1, count);
        Value nextEnd = loadEndInBounds(add(row, constant(1)));
        SmallVector<Value> accumulators = createZeros();
        createSteps(
            toSteps(arith::SubIOp::create(b, loc, end, inner.cursor.front())),
            inner, accumulators);
        SmallVector<Value> sums = createSums(accumulators);

        WorkStart first = loadStart(warp);
        WorkStart behind = loadStart(add(warp, constant(1)));
        Value isHead = both(isEqual(row, first.row), isPositive(first.inside));
        auto newHead = scf::IfOp::create(
            b, loc, isHead,
            [&](OpBuilder &, Location) { scf::YieldOp::create(b, loc, sums); },
            [&](OpBuilder &, Location) { scf::YieldOp::create(b, loc, head); });
        Value isPart =
            arith::OrIOp::create(b, loc, isHead, isEqual(row, behind.row));
        scf::IfOp::create(
            b, loc, isPart,
            [&](OpBuilder &, Location) { scf::YieldOp::create(b, loc); },
            [&](OpBuilder &, Location) {
              storeSums(sums, row, column);
              scf::YieldOp::create(b, loc);
            });
        SmallVector<Value> yielded = {nextEnd};
        llvm::append_range(yielded, newHead.getResults());
        llvm::append_range(yielded, sums);
        scf::YieldOp::create(b, loc, flatten(inner, yielded));
      });
  ValueRange parts = ValueRange(loop.getResults()).take_back(2 * count);
  return {llvm::to_vector(parts.take_front(count)),
          llvm::to_vector(parts.drop_front(count))};
}

void ResidentKernelBuilder::createExchange(ArrayRef<Value> head,
                                           ArrayRef<Value> tail, Value column) {
  gpu::BarrierOp::create(b, loc);
  // Loaded again: they have not been in registers all the time.
  WorkStart start = loadStart(warp);
  WorkStart next = loadStart(add(warp, constant(1)));
  scf::IfOp::create(b, loc, isPositive(start.inside),
                    [&](OpBuilder &, Location) {
                      SaveFragmentsOp::create(b, loc, head, warp, slab);
                      scf::YieldOp::create(b, loc);
                    });
  gpu::BarrierOp::create(b, loc);
  scf::IfOp::create(b, loc, hasTail(start, next), [&](OpBuilder &, Location) {
    storeSums(addHeads(tail, next.row), next.row, column);
    scf::YieldOp::create(b, loc);
  });
}

SmallVector<Value> ResidentKernelBuilder::addHeads(ArrayRef<Value> sums,
                                                   Value row) {
  SmallVector<Value> initial = {add(warp, constant(1))};
  llvm::append_range(initial, sums);
  SmallVector<Type> types = llvm::to_vector(ValueRange(initial).getTypes());
  // The block's end is the start of a vector-row, where the loop ends at last.
  auto loop = scf::WhileOp::create(
      b, loc, types, initial,
      [&](OpBuilder &, Location, ValueRange carried) {
        WorkStart start = loadStart(carried.front());
        Value continues =
            both(isEqual(start.row, row), isPositive(start.inside));
        scf::ConditionOp::create(b, loc, continues, carried);
      },
      [&](OpBuilder &, Location, ValueRange carried) {
        auto heads = RestoreFragmentsOp::create(
            b, loc, ValueRange(sums).getTypes(), carried.front(), slab);
        SmallVector<Value> next = {add(carried.front(), constant(1))};
        for (auto [sum, head] :
             llvm::zip_equal(carried.drop_front(), heads.getFragments()))
          next.push_back(CombineOp::create(b, loc, ValueRange{sum, head},
                                           ArrayRef<int64_t>{0, 0},
                                           ArrayRef<bool>{false, false}));
        scf::YieldOp::create(b, loc, next);
      });
  return llvm::to_vector_of<Value>(loop.getResults().drop_front());
}

void ResidentKernelBuilder::createBody(Value column) {
  allocateTiles();
  warp = arith::DivUIOp::create(
      b, loc, id(gpu::Dimension::x, /*isBlock=*/false), constant(kWarpSize));
  createFill(column);
  WorkStart start = loadStart(warp);
  WorkStart next = loadStart(add(warp, constant(1)));
  auto [head, tail] = createRows(start, next, column);
  createExchange(head, tail, column);
}

std::unique_ptr<SpmmKernelBuilder>
mlir::magicube::createResidentKernelBuilder(OpBuilder &builder, Location loc,
                                            const SpmmKernelSpec &spec) {
  return std::make_unique<ResidentKernelBuilder>(builder, loc, spec);
}
