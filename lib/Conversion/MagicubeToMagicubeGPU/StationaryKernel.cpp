//===- StationaryKernel.cpp - Kernels with all dense rows stationary ------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A CTA fills shared memory with all rows of a tile of columns and multiplies
// many vector-rows with it. Its warps work on their own, on equal ranges of
// k-steps, and meet only for the vector-rows that several of them have a part
// of.
//
//===----------------------------------------------------------------------===//
//
// A warp's range is a run of k-steps in storage order, as BalancedRanges cuts
// them. Of a vector-row it may have
//
//   all        its sums are stored at once;
//   the end    an earlier warp began it: the sums are for that warp (FixUp);
//   the start  the warp adds the sums of those that continue it, and stores.
//
// The k-steps of a range follow one another in memory, so that what later ones
// need is loaded without regard to the ends of vector-rows. Partial sums wait
// in registers until no warp needs the dense rows any more, whose place they
// take.
//
//===----------------------------------------------------------------------===//

#include "MainLoop/RegisterPrefetch.h"
#include "Placement/StationaryRows.h"
#include "Result/FixUp.h"
#include "SpmmKernelBody.h"
#include "WorkPartition/BalancedRanges.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::magicube;
using namespace mlir::magicube_gpu;

namespace {

/// The parts of a kernel.
struct StationaryKernel {
  const SpmmKernelBody &body;
  StationaryRows rows;
  SparseRegisters sparse;
  BalancedRanges ranges;
  FixUp fixUp;
};

} // namespace

/// Starts the fill and partitions the work while it is under way. Pointers are
/// asked for before the copies, which fill the queues to memory.
static void createFill(Arithmetic e, const StationaryKernel &kernel) {
  const BalancedRanges &ranges = kernel.ranges;
  BalancedRanges::Loaded loaded = ranges.load(e);
  kernel.rows.fill(e);
  Value cta = e.ctaId(gpu::Dimension::x);
  ranges.partitionAll(e, loaded, cta, e.numCtas(gpu::Dimension::x));
  gpu::BarrierOp::create(e.b, e.loc);
  ranges.partitionCta(e, loaded);
  gpu::BarrierOp::create(e.b, e.loc);
}

/// Loads ahead through the k-steps up to `lastStep`. The cursor is the stored
/// position of the next step to do.
static RegisterPrefetch
getPrefetch(Arithmetic e, const StationaryKernel &kernel, Value lastStep) {
  RegisterPrefetch prefetch;
  prefetch.stages = kernel.body.spec.schedule.getStages();
  prefetch.load = [=, &kernel](Value position) {
    return kernel.sparse.ldg(e, position);
  };
  prefetch.createNone = [=, &kernel] { return kernel.sparse.createZeros(e); };
  int64_t distance = prefetch.ahead() * kStepPositions;
  prefetch.move = [=](MutableArrayRef<Value> cursor) mutable {
    Arithmetic a = e;
    Value next = a.add(cursor.front(), distance);
    cursor.front() = a.add(cursor.front(), kStepPositions);
    return a.min(next, lastStep);
  };
  return prefetch;
}

static RegisterPrefetch::State begin(Arithmetic e,
                                     const RegisterPrefetch &prefetch,
                                     Value position, Value lastStep) {
  // An empty range, perhaps of an empty matrix: there is nothing to load.
  Value isEmpty = e.isEqual(position, e.add(lastStep, kStepPositions));
  return prefetch.begin(
      e, isEmpty, position, [&](RegisterPrefetch::State &state) {
        for (int64_t i = 0; i < prefetch.ahead(); ++i)
          state.ready.push_back(prefetch.load(
              e.min(e.add(position, i * kStepPositions), lastStep)));
      });
}

/// Does all vector-rows of the warp's range, and stores those that are not
/// split.
static PartialSums createRows(Arithmetic e, const StationaryKernel &kernel) {
  const SpmmKernelBody &body = kernel.body;
  const SpmmStep &step = body.step;
  const BalancedRanges &ranges = kernel.ranges;
  Value warp = kernel.fixUp.warp;
  BalancedRanges::Start start = ranges.loadStart(e, warp);
  BalancedRanges::Start next = ranges.loadStart(e, e.add(warp, 1));
  Value lastStep = e.add(next.position, -kStepPositions);
  // Vector-rows up to the one that the next range starts inside of.
  Value rows = e.add(next.row, next.inside);
  Value lastRow = e.add(body.get(SpmmParameter::VectorRows), -1);
  auto loadEnd = [&](Value row) {
    StoredRange range = ranges.pointers.loadRange(e, e.min(row, lastRow));
    return ranges.pointers.pad(e, range.end);
  };
  RegisterPrefetch prefetch = getPrefetch(e, kernel, lastStep);
  // Loaded while the dense rows are still under way.
  RegisterPrefetch::State state = begin(e, prefetch, start.position, lastStep);
  SmallVector<Value> initial = {loadEnd(start.row)};
  StationaryRows::await(e);
  // Carried: the stream of steps, the end of the vector-row (loaded one ahead),
  // the sums that an earlier warp waits for, and those of the last vector-row.
  size_t count = step.numSums();
  llvm::append_range(initial, step.createZeroSums(e));
  llvm::append_range(initial, step.createZeroSums(e));
  SmallVector<Type> sparseTypes = step.getSparseTypes(body.getContext());
  auto doStep = [&](ValueRange registers, ValueRange accumulators) {
    SmallVector<Value> denseRows;
    for (Value column : SparseRegisters::getColumns(registers))
      denseRows.push_back(kernel.rows.getRow(e, column));
    return step.createProducts(
        e, kernel.sparse.split(e, registers, sparseTypes), accumulators,
        [&](int64_t chunk, int64_t call) {
          return kernel.rows.ldsRows(e, denseRows[call], chunk, call);
        });
  };
  auto results = e.emitFor(
      start.row, rows, 1, state.flatten(initial),
      [&](Value row, ValueRange carried) {
        auto [inner, others] = state.unflatten(carried);
        // Loaded again here and for the split, so as not to be in registers
        // meanwhile.
        Value limit = ranges.loadStart(e, e.add(warp, 1)).position;
        Value end = e.min(others.front(), limit);
        ValueRange continued = others.slice(1, count);
        Value nextEnd = loadEnd(e.add(row, 1));
        SmallVector<Value> accumulators = step.createZeros(e);
        Value steps =
            StoredPointers::toSteps(e, e.sub(end, inner.cursor.front()));
        accumulators = prefetch.run(e, steps, inner, accumulators, doStep);
        SmallVector<Value> sums = step.createSums(e, accumulators);

        FixUp::Split split = kernel.fixUp.getSplit(e, row);
        auto newContinued = e.emitIf(
            split.isContinued, [&] { return sums; },
            [&] { return llvm::to_vector(continued); });
        scf::IfOp::create(
            e.b, e.loc, split.isPart,
            [&](OpBuilder &, Location) { scf::YieldOp::create(e.b, e.loc); },
            [&](OpBuilder &, Location) {
              body.store(sums, row, kernel.rows.reader.firstChunk);
              scf::YieldOp::create(e.b, e.loc);
            });
        SmallVector<Value> yielded = {nextEnd};
        llvm::append_range(yielded, newContinued);
        llvm::append_range(yielded, sums);
        return inner.flatten(yielded);
      });
  ValueRange sums = ValueRange(results).take_back(2 * count);
  return {llvm::to_vector(sums.take_front(count)),
          llvm::to_vector(sums.drop_front(count))};
}

void mlir::magicube::createStationaryBody(const SpmmKernelBody &body) {
  Arithmetic e = body.e;
  const SpmmKernelSpec &spec = body.spec;
  DenseTile dense = body.getDenseTile();
  SharedMemoryPlan memory = spec.getSharedMemory();
  Value tile = allocate(e, memory.get(SharedBufferRole::DenseRows));
  Value starts = allocate(e, memory.get(SharedBufferRole::RangeStarts));
  // A warp multiplies all columns of the tile.
  RowReader reader = body.getReader(/*firstChunk=*/e.constant(0));
  BalancedRanges ranges{body.getPointers(), body.get(SpmmParameter::VectorRows),
                        kRowCost, spec.getBlockThreads(), starts};
  StationaryKernel kernel{body,
                          {dense, reader, spec.inner, tile},
                          body.getSparseRegisters(),
                          ranges,
                          // Partial sums take the place of the dense rows.
                          {ranges, e.warpId(), {tile}}};
  createFill(e, kernel);
  PartialSums sums = createRows(e, kernel);
  kernel.fixUp.create(e, sums, [&](ArrayRef<Value> sums, Value row) {
    body.store(sums, row, reader.firstChunk);
  });
}
