//===- PipelineLoads.cpp - magicube-gpu-pipeline-loads --------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Software-pipelines the loops of a kernel with upstream's scf pipeliner; tiles
// become rings.
//
//===----------------------------------------------------------------------===//

#include "dialect/magicube_gpu/MagicubeGPUDialect.h"
#include "magicube/GPU/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace mlir::magicube {
#define GEN_PASS_DEF_MAGICUBEGPUPIPELINELOADSPASS
#include "magicube/GPU/Transforms/Passes.h.inc"
} // namespace mlir::magicube

using namespace mlir;
using namespace mlir::magicube_gpu;

using Schedule = std::vector<std::pair<Operation *, unsigned>>;

namespace {

/// The operations of a loop body by what they do, each in program order.
struct LoopParts {
  /// Loads of column indices, and what else only they need.
  SmallVector<Operation *> indices;
  /// Copies into tiles, and what else only they need.
  SmallVector<Operation *> copies;
  AwaitCopiesOp await;
  SmallVector<Operation *> compute;
};

} // namespace

/// Whether an operation copies to a tile of a ring, ahead of the loop's end.
static bool isCopy(Operation *op) {
  return isa<AsyncCopyOpInterface>(op) && isa<PredicatedOpInterface>(op) &&
         isa<RingUserOpInterface>(op);
}

//===----------------------------------------------------------------------===//
// What can be pipelined
//===----------------------------------------------------------------------===//

/// Checks an operation of the body of `loop`, before or after its await_copies.
static LogicalResult verifyPlace(Operation *op, scf::ForOp loop,
                                 bool isBeforeAwait) {
  if (isCopy(op) && !isBeforeAwait)
    return op->emitOpError("expected to be before the loop's await_copies");
  // Tiles have their own check.
  if (isBeforeAwait && !isa<PredicatedOpInterface, AllocTileOp>(op) &&
      !isMemoryEffectFree(op))
    return op->emitOpError("expected to be after the loop's await_copies: what "
                           "is before it runs ahead");
  return success();
}

/// Checks that a tile operation inside of `loop` uses a tile that outlives it.
static LogicalResult verifyTile(Operation *op, scf::ForOp loop) {
  auto user = dyn_cast<RingUserOpInterface>(op);
  if (user && (!user.getTile().getDefiningOp<AllocTileOp>() ||
               !loop.isDefinedOutsideOfLoop(user.getTile())))
    return op->emitOpError("expected the tile of a magicube_gpu.alloc_tile "
                           "outside of the loop");
  return success();
}

/// Checks that the loop right around `await` is one that can be pipelined.
static LogicalResult verifyLoop(AwaitCopiesOp await) {
  auto loop = dyn_cast<scf::ForOp>(await->getParentOp());
  if (!loop)
    return await.emitOpError("expected an scf.for right around it");
  if (!isConstantIntValue(loop.getLowerBound(), 0) ||
      !isConstantIntValue(loop.getStep(), 1) ||
      !loop.getInductionVar().getType().isInteger(32))
    return loop.emitOpError("expected to count from 0 in steps of 1 in i32 "
                            "around magicube_gpu.await_copies");
  bool isBeforeAwait = true, hasCopies = false;
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (&op == await) {
      isBeforeAwait = false;
      continue;
    }
    if (isa<AwaitCopiesOp>(op))
      return op.emitOpError("expected to be the only one in its loop");
    if (failed(verifyPlace(&op, loop, isBeforeAwait)))
      return failure();
    hasCopies |= isCopy(&op);
  }
  if (!hasCopies)
    return await.emitOpError("expected copies before it in its loop");
  WalkResult result = loop.walk(
      [&](Operation *op) { return WalkResult(verifyTile(op, loop)); });
  return failure(result.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Transformation
//===----------------------------------------------------------------------===//

/// Sorts the body of `loop`. Operations before await_copies that are neither
/// index loads nor copies are address arithmetic: they go to their users.
static LoopParts splitBody(scf::ForOp loop) {
  LoopParts parts;
  bool isBeforeAwait = true;
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (auto await = dyn_cast<AwaitCopiesOp>(op)) {
      parts.await = await;
      isBeforeAwait = false;
    } else if (!isBeforeAwait) {
      parts.compute.push_back(&op);
    } else if (isCopy(&op)) {
      parts.copies.push_back(&op);
    } else {
      parts.indices.push_back(&op);
    }
  }
  return parts;
}

/// Sets the slot of the users of rings in `op`.
static void setSlot(Operation *op, Value slot) {
  op->walk(
      [&](RingUserOpInterface user) { user.getSlotMutable().assign(slot); });
}

/// Slot of the loop's iteration in a ring of `stages`: iteration mod stages,
/// computed from the induction variable (step 1 from 0). Inserted before `op`.
static Value createSlot(Operation *op, scf::ForOp loop, int64_t stages) {
  OpBuilder builder(loop);
  Value iteration = loop.getInductionVar();
  Value ringSize = arith::ConstantIntOp::create(builder, op->getLoc(),
                                                iteration.getType(), stages);
  builder.setInsertionPoint(op);
  return arith::RemUIOp::create(builder, op->getLoc(), iteration, ringSize);
}

/// Adds a predicate to the operations with effects; the others may run ahead of
/// the loop's end without harm.
static Operation *predicate(RewriterBase &rewriter, Operation *op,
                            Value condition) {
  auto load = dyn_cast<PredicatedOpInterface>(op);
  if (!load)
    return op;
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  if (Value own = load.getPredicate())
    condition = arith::AndIOp::create(rewriter, op->getLoc(), own, condition);
  rewriter.modifyOpInPlace(
      op, [&] { load.getPredicateMutable().assign(condition); });
  return op;
}

/// Without prefetch: copy, wait, compute, and wait before the tile is reused.
static void serialize(scf::ForOp loop, LoopParts &parts) {
  OpBuilder builder(parts.await);
  Location loc = parts.await.getLoc();
  NVVM::CpAsyncCommitGroupOp::create(builder, loc);
  NVVM::CpAsyncWaitGroupOp::create(builder, loc, /*n=*/0);
  gpu::BarrierOp::create(builder, loc);
  parts.await.erase();
  builder.setInsertionPoint(loop.getBody()->getTerminator());
  gpu::BarrierOp::create(builder, loc);
}

/// Pipelines `loop` over a ring of `stages` >= 2 tiles.
static LogicalResult pipeline(scf::ForOp loop, LoopParts &parts,
                              int64_t stages) {
  // Make the slot explicit, apart for each side: a copy and the compute of one
  // iteration are stages - 1 iterations of the new loop apart.
  Location loc = parts.await.getLoc();
  OpBuilder builder(parts.copies.front());
  Value copySlot = createSlot(parts.copies.front(), loop, stages);
  for (Operation *op : parts.copies)
    setSlot(op, copySlot);
  builder.setInsertionPoint(parts.await);
  auto commit = NVVM::CpAsyncCommitGroupOp::create(builder, loc);
  Value computeSlot = createSlot(parts.await, loop, stages);
  // stages - 1 groups are in flight besides those that have been consumed; the
  // oldest of them is the one needed now.
  auto wait = NVVM::CpAsyncWaitGroupOp::create(builder, loc, stages - 2);
  // Also keeps the next copy from overwriting what a slow warp still reads.
  auto barrier = gpu::BarrierOp::create(builder, loc);
  parts.await.erase();
  for (Operation *op : parts.compute)
    setSlot(op, computeSlot);

  Schedule schedule;
  auto append = [&](Operation *op, unsigned stage) {
    schedule.emplace_back(op, stage);
  };
  // With a deep ring, indices are asked for early enough that their latency
  // does not hold up the copies either.
  unsigned copyStage = std::max<int64_t>(1, stages / 2);
  unsigned computeStage = copyStage + stages - 1;
  append(wait, computeStage);
  append(barrier, computeStage);
  append(copySlot.getDefiningOp(), copyStage);
  for (Operation *op : parts.copies)
    append(op, copyStage);
  append(commit, copyStage);
  for (Operation *op : parts.indices)
    append(op, 0);
  append(computeSlot.getDefiningOp(), computeStage);
  for (Operation *op : parts.compute)
    append(op, computeStage);

  scf::PipeliningOption options;
  options.getScheduleFn = [&](scf::ForOp, Schedule &out) { out = schedule; };
  options.peelEpilogue = false;
  options.supportDynamicLoops = true;
  options.predicateFn = predicate;
  IRRewriter rewriter(loop.getContext());
  rewriter.setInsertionPoint(loop);
  FailureOr<scf::ForOp> pipelined =
      scf::pipelineForLoop(rewriter, loop, options);
  if (failed(pipelined))
    return loop.emitError("cannot be pipelined over ") << stages << " stages";
  // Indices that are carried over several iterations would move from register
  // to register, and a move waits for the load. Unrolled, they stay.
  if (copyStage > 1 && failed(loopUnrollByFactor(*pipelined, copyStage)))
    return pipelined->emitError("cannot be unrolled ") << copyStage << " times";
  return success();
}

/// Turns a tile into a ring.
static void setStages(Value tile, int64_t stages) {
  auto type = cast<TileType>(tile.getType());
  tile.setType(TileType::get(tile.getContext(), type.getRows(),
                             type.getRowBytes(), stages, type.getLayout()));
}

namespace {

struct MagicubeGPUPipelineLoadsPass
    : magicube::impl::MagicubeGPUPipelineLoadsPassBase<
          MagicubeGPUPipelineLoadsPass> {
  void runOnOperation() override {
    gpu::GPUFuncOp kernel = getOperation();
    auto stages =
        kernel->getAttrOfType<IntegerAttr>(MagicubeGPUDialect::kStagesAttrName);
    SmallVector<scf::ForOp> loops;
    WalkResult result = kernel.walk([&](AwaitCopiesOp op) {
      if (failed(verifyLoop(op)))
        return WalkResult::interrupt();
      loops.push_back(cast<scf::ForOp>(op->getParentOp()));
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    constexpr int64_t maxStages = magicube::ScheduleAttr::kMaxStages;
    if (!loops.empty() &&
        (!stages || stages.getInt() < 1 || stages.getInt() > maxStages)) {
      kernel.emitOpError("expected '")
          << MagicubeGPUDialect::kStagesAttrName << "' from 1 to " << maxStages
          << " around magicube_gpu.await_copies";
      return signalPassFailure();
    }
    for (scf::ForOp loop : loops) {
      LoopParts parts = splitBody(loop);
      for (Operation *op : parts.copies)
        setStages(cast<RingUserOpInterface>(op).getTile(), stages.getInt());
      if (stages.getInt() == 1)
        serialize(loop, parts);
      else if (failed(pipeline(loop, parts, stages.getInt())))
        return signalPassFailure();
    }
  }
};

} // namespace
