//===- SlabLowering.cpp - Lowering for slabs of a resident operand --------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which vector-rows a block gets whose sums wait in shared memory, and which
// part of their groups a warp.
//
//===----------------------------------------------------------------------===//

#include "WorkArithmetic.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::magicube;
using namespace mlir::magicube_gpu;

namespace {

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

struct LoadPartsLowering : OpConversionPattern<LoadPartsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(LoadPartsOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emitter e(rewriter, op.getLoc());
    GroupPointers pointers{e, adaptor.getPointers(), op.getEncoding(),
                           op.getSlabsAttr().getInt()};
    Value last = e.add(adaptor.getVectorRows(), -1);
    Value first = e.mul(e.threadId(), op.getRowsAttr().getInt());
    SmallVector<Value> registers = {
        pointers.loadEnd(last),
        pointers.loadStart(WorkArithmetic{e}.min(first, last))};
    rewriter.replaceOpWithMultiple(op, {registers});
    return success();
  }
};

/// Emits block_rows.
struct BlockRows : WorkArithmetic {
  BlockRows(Emitter &e, BlockRowsOp op,
            BlockRowsOp::GenericAdaptor<ArrayRef<ValueRange>> adaptor)
      : WorkArithmetic{e},
        pointers{e, adaptor.getPointers().front(), op.getEncoding(),
                 op.getSlabsAttr().getInt()},
        rows(adaptor.getVectorRows().front()), part(adaptor.getPart().front()),
        parts(adaptor.getParts().front()), stored(adaptor.getWork()[0]),
        start(adaptor.getWork()[1]), tile(adaptor.getTile().front()),
        partRows(op.getRowsAttr().getInt()), threads(getBlockThreads(op)) {}

  /// Whether a part of equal numbers of rows starts further from where it
  /// should than an eighth of a part. All blocks see the same.
  Value emitIsUneven() {
    Value share = ceilDivide(stored, parts);
    Value most = e.shiftRight(share, 3);
    Value isAnyFar =
        forThreads(parts, threads, constant(0), [&](Value i, Value isFarSoFar) {
          Value begin = emitPartStart(i);
          Value ideal = mul(i, share);
          Value distance = sub(max(ideal, begin), min(ideal, begin));
          return select(isBelow(most, distance), constant(1), isFarSoFar);
        });
    auto any = NVVM::BarrierOp::create(
        e.b, e.loc, TypeRange{e.b.getI32Type()}, /*barrierId=*/Value(),
        /*numberOfThreads=*/Value(),
        NVVM::BarrierReductionAttr::get(e.b.getContext(),
                                        NVVM::BarrierReduction::OR),
        isAnyFar);
    return compare(arith::CmpIPredicate::ne, any.getRes(), constant(0));
  }

  SmallVector<Value> emitByNumber() {
    Value first = min(e.mul(part, partRows), rows);
    return {first, min(e.add(first, partRows), rows)};
  }

  /// A vector-row costs at least what the mean one has. Parts of as much work
  /// then have at most 2 (1 + d) times the mean number of rows, d being what
  /// the limit takes off the cost at most: 1/15; and 2 more, which lie across
  /// their ends. In 32 bits: positions are below 2^31.
  SmallVector<Value> emitByWork() {
    constexpr int64_t maxCosts = (int64_t(1) << 31) - (int64_t(1) << 27);
    Value cost =
        min(ceilDivide(stored, rows), divide(constant(maxCosts), rows));
    Value share = ceilDivide(e.add(stored, mul(cost, rows)), parts);
    Value next = e.add(part, 1);
    Value targets[] = {mul(part, share), mul(next, share)};
    // Where no row is found.
    emitIf(isEqual(e.threadId(), 0), [&] {
      for (int64_t i : {0, 1})
        LLVM::StoreOp::create(e.b, e.loc, rows, getField(i));
    });
    gpu::BarrierOp::create(e.b, e.loc);
    forThreads(rows, threads, constant(0), [&](Value row, Value none) {
      for (int64_t i : {0, 1})
        emitIf(emitIsFirst(row, cost, targets[i]),
               [&] { LLVM::StoreOp::create(e.b, e.loc, row, getField(i)); });
      return none;
    });
    gpu::BarrierOp::create(e.b, e.loc);
    auto load = [&](int64_t i) -> Value {
      return LLVM::LoadOp::create(e.b, e.loc, e.b.getI32Type(), getField(i));
    };
    // All rows lie before the end of the last part: those without work too.
    return {load(0), select(isEqual(next, parts), rows, load(1))};
  }

private:
  Value emitPartStart(Value i) {
    auto load = [&](OpBuilder &b, Location loc) {
      scf::YieldOp::create(b, loc, pointers.loadStart(e.mul(i, partRows)));
    };
    auto loaded = [&](OpBuilder &b, Location loc) {
      scf::YieldOp::create(b, loc, start);
    };
    return scf::IfOp::create(e.b, e.loc, isEqual(i, e.threadId()), loaded, load)
        .getResult(0);
  }

  /// Whether `row` is the first whose work's middle is not before `target`.
  Value emitIsFirst(Value row, Value cost, Value target) {
    Value isFirst = isEqual(row, 0);
    Value previous = select(isFirst, row, e.add(row, -1));
    Value isPreviousBefore =
        either(isFirst, isBelow(emitMiddle(previous, cost), target));
    return e.both(isPreviousBefore, isNotBelow(emitMiddle(row, cost), target));
  }

  Value emitMiddle(Value row, Value cost) {
    Value begin = pointers.loadStart(row);
    Value size = e.add(sub(pointers.loadEnd(row), begin), cost);
    return e.add(e.add(begin, mul(cost, row)), e.shiftRight(size, 1));
  }

  Value getField(int64_t i) {
    return e.offset(tile, constant(i * sizeof(int32_t)));
  }

  GroupPointers pointers;
  Value rows, part, parts, stored, start, tile;
  int64_t partRows, threads;
};

struct BlockRowsLowering : OpConversionPattern<BlockRowsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(BlockRowsOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emitter e(rewriter, op.getLoc());
    BlockRows rows(e, op, adaptor);
    auto branch = scf::IfOp::create(
        rewriter, op.getLoc(), rows.emitIsUneven(),
        [&](OpBuilder &b, Location loc) {
          scf::YieldOp::create(b, loc, rows.emitByWork());
        },
        [&](OpBuilder &b, Location loc) {
          scf::YieldOp::create(b, loc, rows.emitByNumber());
        });
    rewriter.replaceOp(op, branch);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

struct CopyGroupsLowering : OpConversionPattern<CopyGroupsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(CopyGroupsOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emitter e(rewriter, op.getLoc());
    Value source =
        e.offset(adaptor.getPointers(),
                 e.wideProduct(adaptor.getFirst(), e.constant(kGroupBytes)));
    scf::ForOp::create(rewriter, op.getLoc(), e.threadId(), adaptor.getCount(),
                       e.constant(getBlockThreads(op)), ValueRange(),
                       [&](OpBuilder &b, Location loc, Value i, ValueRange) {
                         Value byte = e.mul(i, kGroupBytes);
                         NVVM::CpAsyncOp::create(
                             b, loc, e.offset(adaptor.getTile(), byte),
                             e.offset(source, byte), kGroupBytes,
                             NVVM::LoadCacheModifierKind::CA,
                             /*cpSize=*/Value());
                         scf::YieldOp::create(b, loc);
                       });
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

/// Start and end of a group in shared memory.
static std::pair<Value, Value> loadGroup(Emitter &e, Value groups,
                                         Value index) {
  auto type = VectorType::get(2, e.b.getI32Type());
  Value pair = LLVM::LoadOp::create(e.b, e.loc, type,
                                    e.offset(groups, e.mul(index, kGroupBytes)),
                                    kGroupBytes);
  auto extract = [&](int64_t i) -> Value {
    return LLVM::ExtractElementOp::create(e.b, e.loc, pair, e.constant(i));
  };
  return {extract(0), extract(1)};
}

namespace {

struct LoadGroupLowering : OpConversionPattern<LoadGroupOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(LoadGroupOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emitter e(rewriter, op.getLoc());
    auto [start, end] = loadGroup(e, adaptor.getTile(), adaptor.getIndex());
    rewriter.replaceOp(op, {start, end});
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Shares
//===----------------------------------------------------------------------===//

/// Emits cut_shares: thread w makes the share of warp w.
struct ShareCutter : WorkArithmetic {
  ShareCutter(Emitter &e, CutSharesOp op, CutSharesOp::Adaptor adaptor)
      : WorkArithmetic{e}, groups(adaptor.getGroups()),
        shares(adaptor.getShares()), count(adaptor.getCount()),
        encoding(op.getEncoding()), cost(op.getRowCostAttr().getInt()),
        slabs(op.getSlabsAttr().getInt()),
        warps(getBlockThreads(op) / kWarpSize) {}

  void emit() {
    Value warp = e.threadId();
    Value isWarp = isBelow(warp, constant(warps));
    Value isAny = compare(arith::CmpIPredicate::ne, count, constant(0));
    emitIf(e.both(isWarp, isAny), [&] { emitShare(warp); });
    // Behind the last warp, and where there is nothing to cut: at the end.
    Value isOver =
        e.both(isBelow(warp, constant(warps + 1)),
               either(isNotBelow(warp, constant(warps)), isEqual(count, 0)));
    emitIf(isOver, [&] { store(warp, /*field=*/0, count); });
  }

private:
  void emitShare(Value warp) {
    begin = loadRow(constant(0)).first;
    Value end = loadRow(e.add(count, -1)).second;
    Value work = e.add(sub(end, begin), e.mul(count, cost));
    Value share = e.shiftRight(e.add(work, warps - 1), llvm::Log2_64(warps));
    Value target = mul(warp, share);
    Value row = emitSearch(target);
    auto [rowStart, rowEnd] = loadRow(row);
    Value offset = sub(target, getWork(row, rowStart));
    Value behindCost = sub(offset, min(offset, constant(cost)));
    Value all = toSteps(sub(rowEnd, rowStart));
    Value done = min(ceilDivide(behindCost, constant(kStepPositions)), all);
    store(warp, /*field=*/0, row);
    for (int64_t slab = 0; slab < slabs; ++slab) {
      auto [start, unpadded] =
          loadGroup(e, groups, e.add(e.mul(row, slabs), slab));
      Value steps = toSteps(sub(pad(unpadded, encoding), start));
      // A vector-row without steps has none to divide.
      Value part = divide(mul(steps, done), max(all, constant(1)));
      store(warp, 1 + slab, e.add(start, e.mul(part, kStepPositions)));
    }
  }

  /// First position and padded end of a vector-row.
  std::pair<Value, Value> loadRow(Value row) {
    Value first = e.mul(row, slabs);
    Value end = loadGroup(e, groups, e.add(first, slabs - 1)).second;
    return {loadGroup(e, groups, first).first, pad(end, encoding)};
  }

  /// Work of the block before a vector-row.
  Value getWork(Value row, Value start) {
    return e.add(sub(start, begin), e.mul(row, cost));
  }

  /// The last vector-row whose work starts at or before `target`.
  Value emitSearch(Value target) {
    SmallVector<Value> initial = {constant(0), count};
    auto loop = scf::WhileOp::create(
        e.b, e.loc, ValueRange(initial).getTypes(), initial,
        [&](OpBuilder &b, Location loc, ValueRange range) {
          Value isOpen = isBelow(e.add(range[0], 1), range[1]);
          scf::ConditionOp::create(b, loc, isOpen, range);
        },
        [&](OpBuilder &b, Location loc, ValueRange range) {
          Value middle = e.shiftRight(e.add(range[0], range[1]), 1);
          Value start = loadGroup(e, groups, e.mul(middle, slabs)).first;
          Value isBehind = isBelow(target, getWork(middle, start));
          scf::YieldOp::create(b, loc,
                               ValueRange{select(isBehind, range[0], middle),
                                          select(isBehind, middle, range[1])});
        });
    return loop.getResult(0);
  }

  void store(Value warp, int64_t field, Value value) {
    Value byte = e.add(e.mul(warp, getShareBytes(slabs)),
                       field * int64_t(sizeof(int32_t)));
    LLVM::StoreOp::create(e.b, e.loc, value, e.offset(shares, byte),
                          sizeof(int32_t));
  }

  Value groups, shares, count;
  /// The block's first position.
  Value begin;
  SRBCRSAttr encoding;
  int64_t cost, slabs, warps;
};

struct CutSharesLowering : OpConversionPattern<CutSharesOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(CutSharesOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emitter e(rewriter, op.getLoc());
    ShareCutter(e, op, adaptor).emit();
    rewriter.eraseOp(op);
    return success();
  }
};

struct LoadShareLowering : OpConversionPattern<LoadShareOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(LoadShareOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emitter e(rewriter, op.getLoc());
    int64_t bytes = getShareBytes(op.getSlabsAttr().getInt());
    Value byte = e.add(e.mul(e.hidden(adaptor.getWarp()), bytes),
                       e.mul(adaptor.getField(), sizeof(int32_t)));
    rewriter.replaceOpWithNewOp<LLVM::LoadOp>(
        op, rewriter.getI32Type(), e.offset(adaptor.getShares(), byte),
        sizeof(int32_t));
    return success();
  }
};

} // namespace

void mlir::magicube_gpu::populateSlabLowering(const TypeConverter &converter,
                                              RewritePatternSet &patterns) {
  patterns.add<BlockRowsLowering, CopyGroupsLowering, CutSharesLowering,
               LoadGroupLowering, LoadPartsLowering, LoadShareLowering>(
      converter, patterns.getContext());
}
