//===- DealLowering.cpp - Lowering of the dealing of work -----------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which vector-rows a block gets, and which steps of them a warp.
//
//===----------------------------------------------------------------------===//
//
// Work is counted in positions: vector-row r, with its cost, is [start[r] + r *
// cost, start[r + 1] + (r + 1) * cost). Threads look at the vector-rows side by
// side and write the starts that lie in theirs: first those of this block and
// the next, then those of the warps between them. Pointers are loaded once, in
// load_work: what comes after it need not wait for memory.
//
// All in 32 bits, unsigned: positions are below 2^31, and the costs together
// less. Rows cost nothing where there are too many for that; rows without steps
// are then no work at all.
//
//===----------------------------------------------------------------------===//

#include "WorkArithmetic.h"

using namespace mlir;
using namespace mlir::magicube;
using namespace mlir::magicube_gpu;

namespace {

/// Emits the dealing of work.
class WorkDealer : WorkArithmetic {
public:
  template <typename Op>
  WorkDealer(Emitter &e, Op op, Value pointers, Value rows)
      : WorkArithmetic{e}, pointers{e, pointers, op.getEncoding(), /*slabs=*/1},
        rows(rows), threads(getBlockThreads(op)), warps(threads / kWarpSize) {}

  /// For deal_blocks and deal_warps: with the tile to write to, the registers
  /// of load_work, and what a vector-row costs.
  template <typename DealOp>
  static WorkDealer
  get(Emitter &e, DealOp op,
      typename DealOp::template GenericAdaptor<ArrayRef<ValueRange>> adaptor) {
    WorkDealer dealer(e, op, adaptor.getPointers().front(),
                      adaptor.getVectorRows().front());
    dealer.setUp(adaptor.getTile().front(), adaptor.getWork(),
                 op.getRowCostAttr().getInt());
    return dealer;
  }

  /// What load_work returns: the end of all vector-rows, start and end of the
  /// thread's first one, and the start of the one before.
  SmallVector<Value> emitLoads() {
    Value last = e.add(rows, -1);
    Value end = pointers.loadEnd(last);
    Range range = load(min(e.threadId(), last));
    return {end, range.start, range.end, range.previous};
  }

  /// Where block `part` of `parts` and the one behind it start.
  void emitBlockStarts(Value part, Value parts) {
    Value share = ceilDivide(e.add(stored, mul(cost, rows)), parts);
    Value next = e.add(part, 1);
    // All rows lie before the end of the last part: those without work too.
    Value end = select(isEqual(next, parts), e.constant(-1), mul(next, share));
    Value last = e.add(rows, -1);
    forRows(e.constant(0), rows, [&](Value row, const Range &range) {
      emitBlockStart(row, range, last, mul(part, share), /*local=*/0);
      emitBlockStart(row, range, last, end, /*local=*/warps);
    });
  }

  /// Starts of the warps but the first, between those of the blocks.
  void emitWarpStarts() {
    Start begin = loadBlockStart(0), end = loadBlockStart(warps);
    Value share = e.shiftRight(e.add(sub(end.work, begin.work), warps - 1),
                               llvm::Log2_64(warps));
    share = max(share, e.constant(1));
    // Warps that get nothing.
    Value thread = e.threadId();
    Value isInner = isBelow(e.add(thread, -1), e.constant(warps - 1));
    Value isUnused =
        isNotBelow(e.add(begin.work, mul(thread, share)), end.work);
    emitIf(e.both(isInner, isUnused),
           [&] { store(thread, end.row, e.constant(0), end.position); });
    forRows(begin.row, end.row, [&](Value row, const Range &range) {
      emitStartsIn(row, range, begin, share);
    });
  }

private:
  /// Positions of a vector-row, and where the one before it starts.
  struct Range {
    Value start, end, previous;
  };

  /// Where a warp or a block starts; `work` positions lie before it.
  struct Start {
    Value row, position, work;
  };

  void setUp(Value tile, ValueRange work, int64_t rowCost) {
    this->tile = tile;
    stored = work[0];
    loaded = {work[1], work[2], work[3]};
    constexpr int64_t maxCosts = int64_t(1) << 30;
    cost = rowCost == 0 ? e.constant(0)
                        : select(isBelow(rows, e.constant(maxCosts / rowCost)),
                                 e.constant(rowCost), e.constant(0));
  }

  //===--------------------------------------------------------------------===//
  // Pointers
  //===--------------------------------------------------------------------===//

  Range load(Value row) {
    Value previous = select(isEqual(row, 0), row, e.add(row, -1));
    return {pointers.loadStart(row), pointers.loadEnd(row),
            pointers.loadStart(previous)};
  }

  /// Runs `body` for rows [first, limit), dealt to the threads. A thread's last
  /// step may lead past 2^31, so that rows are compared unsigned.
  void forRows(Value first, Value limit,
               function_ref<void(Value, const Range &)> body) {
    Value thread = e.threadId();
    Value rounds =
        e.shiftRight(e.add(sub(max(first, thread), thread), threads - 1),
                     llvm::Log2_64(threads));
    scf::ForOp::create(
        e.b, e.loc, e.add(thread, e.mul(rounds, threads)), limit,
        e.constant(threads), ValueRange(),
        [&](OpBuilder &, Location, Value row, ValueRange) {
          body(row, getRange(row));
          scf::YieldOp::create(e.b, e.loc);
        },
        /*unsignedCmp=*/true);
  }

  /// The range of one of the thread's rows: the first is loaded.
  Range getRange(Value row) {
    auto yield = [&](const Range &range) {
      scf::YieldOp::create(e.b, e.loc,
                           ValueRange{range.start, range.end, range.previous});
    };
    auto branch = scf::IfOp::create(
        e.b, e.loc, isBelow(row, e.constant(threads)),
        [&](OpBuilder &, Location) { yield(loaded); },
        [&](OpBuilder &, Location) { yield(load(row)); });
    return {branch.getResult(0), branch.getResult(1), branch.getResult(2)};
  }

  //===--------------------------------------------------------------------===//
  // Starts
  //===--------------------------------------------------------------------===//

  /// Where share `local` of the block starts.
  void store(Value local, Value row, Value inside, Value position) {
    auto type = VectorType::get(4, e.b.getI32Type());
    Value start = LLVM::PoisonOp::create(e.b, e.loc, type);
    for (auto [i, field] :
         llvm::enumerate(ArrayRef<Value>{row, inside, position, position}))
      start = LLVM::InsertElementOp::create(e.b, e.loc, start, field,
                                            e.constant(i));
    LLVM::StoreOp::create(e.b, e.loc, start,
                          e.offset(tile, e.mul(local, kWarpStartBytes)),
                          kWarpStartBytes);
  }

  Start loadBlockStart(int64_t local) {
    auto type = VectorType::get(4, e.b.getI32Type());
    Value start = LLVM::LoadOp::create(
        e.b, e.loc, type, e.offset(tile, e.constant(local * kWarpStartBytes)),
        kWarpStartBytes);
    auto extract = [&](int64_t i) -> Value {
      return LLVM::ExtractElementOp::create(e.b, e.loc, start, e.constant(i));
    };
    Value row = extract(0), position = extract(2);
    return {row, position, getWork(row, position)};
  }

  Value getWork(Value row, Value position) {
    return e.add(position, mul(cost, row));
  }

  /// Whether the middle of a vector-row's work lies before `work`: then the row
  /// belongs to the block that ends there.
  Value isBefore(Value row, Value start, Value end, Value work) {
    Value size = e.add(sub(end, start), cost);
    return isBelow(e.add(getWork(row, start), e.shiftRight(size, 1)), work);
  }

  /// Writes start `local`, the first vector-row that is not before `work`, if
  /// it is `row`, or the end if `row` is the last.
  void emitBlockStart(Value row, const Range &range, Value last, Value work,
                      int64_t local) {
    Value isRowBefore = isBefore(row, range.start, range.end, work);
    Value isPreviousBefore =
        either(isEqual(row, 0),
               isBefore(e.add(row, -1), range.previous, range.start, work));
    Value isHere =
        e.both(isPreviousBefore,
               isEqual(isRowBefore, arith::ConstantIntOp::create(e.b, e.loc, 0,
                                                                 /*width=*/1)));
    Value isEnd = e.both(isRowBefore, isEqual(row, last));
    emitIf(either(isHere, isEnd), [&] {
      store(e.constant(local), select(isHere, row, e.add(row, 1)),
            e.constant(0), select(isHere, range.start, range.end));
    });
  }

  /// Starts of the warps that lie in `row`.
  void emitStartsIn(Value row, const Range &range, const Start &begin,
                    Value share) {
    Value workStart = sub(getWork(row, range.start), begin.work);
    Value workEnd = sub(getWork(e.add(row, 1), range.end), begin.work);
    Value first = max(ceilDivide(workStart, share), e.constant(1));
    Value limit = min(ceilDivide(workEnd, share), e.constant(warps));
    scf::ForOp::create(
        e.b, e.loc, first, limit, e.constant(1), ValueRange(),
        [&](OpBuilder &, Location, Value local, ValueRange) {
          Value offset = sub(mul(local, share), workStart);
          Value behindCost = sub(offset, min(offset, cost));
          Value steps = ceilDivide(behindCost, e.constant(kStepPositions));
          Value position = e.add(range.start, e.mul(steps, kStepPositions));
          Value isFirst = isEqual(steps, 0);
          // A warp that would start behind the last step starts with the next
          // vector-row instead.
          Value isHere = either(isFirst, isBelow(position, range.end));
          store(local, select(isHere, row, e.add(row, 1)),
                select(isHere, select(isFirst, e.constant(0), e.constant(1)),
                       e.constant(0)),
                select(isHere, position, range.end));
          scf::YieldOp::create(e.b, e.loc);
        });
  }

  GroupPointers pointers;
  Value rows;
  int64_t threads, warps;
  Value tile, stored, cost;
  Range loaded;
};

struct LoadWorkLowering : OpConversionPattern<LoadWorkOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(LoadWorkOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emitter e(rewriter, op.getLoc());
    WorkDealer dealer(e, op, adaptor.getPointers(), adaptor.getVectorRows());
    rewriter.replaceOpWithMultiple(op, {dealer.emitLoads()});
    return success();
  }
};

struct DealBlocksLowering : OpConversionPattern<DealBlocksOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(DealBlocksOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emitter e(rewriter, op.getLoc());
    WorkDealer::get(e, op, adaptor)
        .emitBlockStarts(adaptor.getPart().front(), adaptor.getParts().front());
    rewriter.eraseOp(op);
    return success();
  }
};

struct DealWarpsLowering : OpConversionPattern<DealWarpsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(DealWarpsOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emitter e(rewriter, op.getLoc());
    WorkDealer::get(e, op, adaptor).emitWarpStarts();
    rewriter.eraseOp(op);
    return success();
  }
};

struct LoadStartLowering : OpConversionPattern<LoadStartOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(LoadStartOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emitter e(rewriter, op.getLoc());
    auto type = VectorType::get(4, rewriter.getI32Type());
    Value start = LLVM::LoadOp::create(
        rewriter, op.getLoc(), type,
        e.offset(adaptor.getTile(),
                 e.mul(e.hidden(adaptor.getWarp()), kWarpStartBytes)),
        kWarpStartBytes);
    SmallVector<Value> fields;
    for (int64_t i = 0; i < op.getNumResults(); ++i)
      fields.push_back(LLVM::ExtractElementOp::create(rewriter, op.getLoc(),
                                                      start, e.constant(i)));
    rewriter.replaceOp(op, fields);
    return success();
  }
};

} // namespace

void mlir::magicube_gpu::populateDealLowering(const TypeConverter &converter,
                                              RewritePatternSet &patterns) {
  patterns.add<DealBlocksLowering, DealWarpsLowering, LoadStartLowering,
               LoadWorkLowering>(converter, patterns.getContext());
}
