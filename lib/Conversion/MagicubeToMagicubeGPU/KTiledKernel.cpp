//===- KTiledKernel.cpp - Kernels with dense rows in K-tiles --------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For dense operands of more rows than shared memory holds. A CTA owns a few
// vector-rows and goes through the K-tiles of a tile of columns: it fills
// shared memory with one and multiplies what its vector-rows have there.
//
//===----------------------------------------------------------------------===//
//
// A warp's range is a run of the CTA's k-steps, cut as if there were no K-tiles
// (SegmentRanges). So all warps have work in every K-tile, as far as the
// vectors of a vector-row are spread over them evenly, and nothing is
// partitioned twice.
//
// Sums of K segments are added up in shared memory, where every vector-row of
// the CTA has a place. Values and indices are loaded ahead across the ends of
// segments and of K-tiles: loads do not wait for a K-tile.
//
//===----------------------------------------------------------------------===//

#include "MainLoop/RegisterPrefetch.h"
#include "Placement/StationaryKTiles.h"
#include "Result/SharedSums.h"
#include "SpmmKernelBody.h"
#include "WorkPartition/RowsPerCta.h"
#include "WorkPartition/SegmentWalk.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::magicube;
using namespace mlir::magicube_gpu;

namespace {

/// The parts of a kernel.
struct KTiledKernel {
  const SpmmKernelBody &body;
  StationaryKTiles tiles;
  SparseRegisters sparse;
  RowsPerCta rows;
  SegmentRanges ranges;
  /// A place for each of the at most `mostRows` vector-rows of the CTA.
  SharedSums totals;
  int64_t mostRows;
  Value warp;
};

} // namespace

//===----------------------------------------------------------------------===//
// Work
//===----------------------------------------------------------------------===//

static void copyPairs(Arithmetic e, const KTiledKernel &kernel,
                      const RowsPerCta::Rows &rows) {
  kernel.ranges.copyPairs(e, rows.first, rows.end);
  NVVM::CpAsyncCommitGroupOp::create(e.b, e.loc);
}

/// No sums yet, in all places.
static void clearTotals(Arithmetic e, const KTiledKernel &kernel) {
  e.emitFor(kernel.warp, e.constant(kernel.mostRows), kernel.body.warps(),
            [&](Value place) {
              kernel.totals.save(e, place, kernel.body.step.createZeroSums(e));
            });
}

/// K-tiles are under way while the work is partitioned. What that reads of the
/// pointers is asked for before them, since they fill the queues: also the
/// pointers of the vector-rows that the CTA most likely gets. Returns the CTA's
/// vector-rows.
static RowsPerCta::Rows partition(Arithmetic e, const KTiledKernel &kernel) {
  int64_t stages = kernel.tiles.stages;
  Value cta = e.ctaId(gpu::Dimension::x);
  RowsPerCta::Loaded loaded = kernel.rows.load(e);
  RowsPerCta::Rows likely = kernel.rows.getLikely(e, cta);
  copyPairs(e, kernel, likely);
  for (int64_t i = 0; i < stages; ++i)
    kernel.tiles.fill(e, e.constant(i));
  clearTotals(e, kernel);

  // The warps' ranges are not there yet: their place is free.
  RowsPerCta::Rows rows = kernel.rows.partition(
      e, loaded, cta, e.numCtas(gpu::Dimension::x), kernel.ranges.starts);
  Value count = e.sub(rows.end, rows.first);
  Value isOther = e.either(e.isDifferent(rows.first, likely.first),
                           e.isDifferent(rows.end, likely.end));
  scf::IfOp::create(
      e.b, e.loc, isOther,
      [&](OpBuilder &, Location) {
        // The likely ones may arrive later than these.
        NVVM::CpAsyncWaitGroupOp::create(e.b, e.loc, /*n=*/0);
        gpu::BarrierOp::create(e.b, e.loc);
        copyPairs(e, kernel, rows);
        NVVM::CpAsyncWaitGroupOp::create(e.b, e.loc, /*n=*/0);
        scf::YieldOp::create(e.b, e.loc);
      },
      [&](OpBuilder &, Location) {
        // The K-tiles may still be under way.
        NVVM::CpAsyncWaitGroupOp::create(e.b, e.loc, stages);
        scf::YieldOp::create(e.b, e.loc);
      });
  gpu::BarrierOp::create(e.b, e.loc);
  kernel.ranges.partition(e, count);
  gpu::BarrierOp::create(e.b, e.loc);
  return rows;
}

//===----------------------------------------------------------------------===//
// Loads ahead
//===----------------------------------------------------------------------===//

static RegisterPrefetch getPrefetch(Arithmetic e, const KTiledKernel &kernel,
                                    const SegmentWalk &walk) {
  RegisterPrefetch prefetch;
  prefetch.stages = kernel.body.spec.schedule.getStages();
  prefetch.load = [=, &kernel](Value position) {
    return kernel.sparse.ldg(e, position);
  };
  prefetch.createNone = [=, &kernel] { return kernel.sparse.createZeros(e); };
  prefetch.move = [=](MutableArrayRef<Value> cursor) {
    return walk.move(e, cursor);
  };
  return prefetch;
}

static RegisterPrefetch::State begin(Arithmetic e, const SegmentWalk &walk,
                                     const RegisterPrefetch &prefetch) {
  SmallVector<Value> cursor = walk.begin(e);
  // No k-steps, perhaps an empty matrix: there is nothing to load.
  return prefetch.begin(
      e, walk.isOver(e, cursor), cursor, [&](RegisterPrefetch::State &state) {
        for (int64_t i = 0; i < prefetch.ahead(); ++i)
          state.ready.push_back(prefetch.load(prefetch.move(state.cursor)));
      });
}

//===----------------------------------------------------------------------===//
// K-tiles
//===----------------------------------------------------------------------===//

/// Adds the products of K-tile `index` to the sums of the warp's vector-rows.
static void createTile(Arithmetic e, const KTiledKernel &kernel,
                       const SegmentWalk &walk,
                       const RegisterPrefetch &prefetch, Value index,
                       RegisterPrefetch::State &state) {
  const SpmmStep &step = kernel.body.step;
  StationaryKTiles::KTile tile = kernel.tiles.getTile(e, index);
  SmallVector<Type> sparseTypes = step.getSparseTypes(kernel.body.getContext());
  auto doStep = [&](ValueRange registers, ValueRange accumulators) {
    SmallVector<Value> denseRows;
    for (Value column : SparseRegisters::getColumns(registers))
      denseRows.push_back(StationaryKTiles::getRow(e, tile, column));
    return step.createProducts(
        e, kernel.sparse.split(e, registers, sparseTypes), accumulators,
        [&](int64_t chunk, int64_t call) {
          return kernel.tiles.ldsRows(e, tile, denseRows[call], chunk, call);
        });
  };
  auto results = e.emitFor(
      walk.rows.first, walk.rows.limit, 1, state.flatten(),
      [&](Value row, ValueRange carried) {
        RegisterPrefetch::State inner = state.unflatten(carried).first;
        auto [start, end] = walk.loadOwn(e, row, index);
        Value steps = StoredPointers::toSteps(e, e.sub(end, start));
        SmallVector<Value> accumulators = step.createZeros(e);
        accumulators = prefetch.run(e, steps, inner, accumulators, doStep);
        SmallVector<Value> sums = step.createSums(e, accumulators);
        e.emitIf(e.isPositive(steps), [&] { kernel.totals.add(e, row, sums); });
        return inner.flatten();
      });
  state = state.unflatten(results).first;
}

static void createTiles(Arithmetic e, const KTiledKernel &kernel,
                        const SegmentWalk &walk) {
  const StationaryKTiles &tiles = kernel.tiles;
  RegisterPrefetch prefetch = getPrefetch(e, kernel, walk);
  RegisterPrefetch::State state = begin(e, walk, prefetch);
  e.emitFor(e.constant(0), e.constant(tiles.count), 1, state.flatten(),
            [&](Value index, ValueRange carried) {
              RegisterPrefetch::State inner = state.unflatten(carried).first;
              tiles.awaitOldest(e);
              createTile(e, kernel, walk, prefetch, index, inner);
              gpu::BarrierOp::create(e.b, e.loc);
              tiles.fill(e, e.add(index, tiles.stages));
              return inner.flatten();
            });
}

/// The vector-rows are dealt to the warps.
static void storeTotals(Arithmetic e, const KTiledKernel &kernel,
                        Value firstRow, Value count) {
  const SpmmStep &step = kernel.body.step;
  SmallVector<Type> types(step.numSums(),
                          step.getSumType(kernel.body.getContext()));
  e.emitFor(kernel.warp, count, kernel.body.warps(), [&](Value row) {
    SmallVector<Value> sums = kernel.totals.restore(e, row, types);
    kernel.body.store(sums, e.add(firstRow, row),
                      kernel.tiles.reader.firstChunk);
  });
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

void mlir::magicube::createKTiledBody(const SpmmKernelBody &body) {
  Arithmetic e = body.e;
  const SpmmKernelSpec &spec = body.spec;
  auto placement = cast<StationaryKTilesAttr>(spec.schedule.getPlacement());
  int64_t rowsPerCta = placement.getRowsPerCta();
  SharedMemoryPlan memory = spec.getSharedMemory();
  const SharedBuffer &ringBuffer = memory.get(SharedBufferRole::DenseRows);
  const SharedBuffer &sumsBuffer = memory.get(SharedBufferRole::RowSums);
  DenseTile dense = body.getDenseTile();
  Value warp = e.warpId();
  Value ring = allocate(e, ringBuffer);
  Value totals = allocate(e, sumsBuffer);
  Value pairs = allocate(e, memory.get(SharedBufferRole::SegmentPointers));
  Value starts = allocate(e, memory.get(SharedBufferRole::RangeStarts));
  // A warp multiplies all columns of the tile.
  RowReader reader = body.getReader(/*firstChunk=*/e.constant(0));
  StoredPointers pointers = body.getPointers();
  int64_t threads = spec.getBlockThreads();
  KTiledKernel kernel{
      body,
      {dense, reader, spec.inner, ringBuffer.rows, spec.segments,
       ringBuffer.stages, ring},
      body.getSparseRegisters(),
      {pointers, body.get(SpmmParameter::VectorRows), rowsPerCta, threads},
      {pointers, kRowCost, threads, pairs, starts},
      {totals},
      sumsBuffer.rows,
      warp};
  RowsPerCta::Rows rows = partition(e, kernel);
  Value count = e.sub(rows.end, rows.first);
  SegmentWalk walk{kernel.ranges, warp,
                   WarpRows::load(e, kernel.ranges, warp, count)};
  createTiles(e, kernel, walk);
  storeTotals(e, kernel, rows.first, count);
}
