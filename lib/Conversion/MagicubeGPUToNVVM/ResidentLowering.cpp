//===- ResidentLowering.cpp - Lowering for a resident dense operand -------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Work for the warps of a block, and what they fetch of the sparse operand on
// their own. The dense operand's slab is a copy: CopyLowering.cpp.
//
//===----------------------------------------------------------------------===//

#include "StepValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::magicube;
using namespace mlir::magicube_gpu;

//===----------------------------------------------------------------------===//
// Work
//===----------------------------------------------------------------------===//

namespace {

/// Emits deal_blocks and deal_warps. Work is counted in positions: vector-row
/// r, with its cost, is [start[r] + r * cost, start[r + 1] + (r + 1) * cost).
/// Threads look at the vector-rows side by side and write the starts that lie
/// in theirs: first those of this block and the next, then those of the warps
/// between them. All in 32 bits, unsigned: positions are below 2^31, and the
/// costs together at most 2^30. So a row may cost nothing where there are more
/// than 2^30, and then rows without steps are no work at all.
class WorkDealer {
public:
  template <typename DealOp>
  WorkDealer(Emitter &e, DealOp op, typename DealOp::Adaptor adaptor)
      : e(e), pointers(adaptor.getPointers()), rows(adaptor.getVectorRows()),
        tile(adaptor.getTile()), threads(getBlockThreads(op)),
        warps(threads / kWarpSize), stride(op.getEncoding().getStride()) {
    constexpr int64_t maxCosts = int64_t(1) << 30;
    cost = min(e.constant(op.getRowCostAttr().getInt()),
               divide(e.constant(maxCosts), rows));
  }

  /// Where block `part` of `parts` and the one behind it start.
  void emitBlockStarts(Value part, Value parts) {
    Value last = e.add(rows, -1);
    Value stored = loadRange(last).second;
    Value share = ceilDivide(e.add(stored, mul(cost, rows)), parts);
    Value next = e.add(part, 1);
    // All rows lie before the end of the last part: those without work too.
    Value isLastPart = arith::CmpIOp::create(
        e.b, e.loc, arith::CmpIPredicate::eq, next, parts);
    Value end = select(isLastPart, e.constant(-1), mul(next, share));
    forRows(e.constant(0), rows, [&](Value row) {
      emitBlockStart(row, last, mul(part, share), /*local=*/0);
      emitBlockStart(row, last, end, /*local=*/warps);
    });
  }

  /// Starts of the warps but the first, between those of the blocks.
  void emitWarpStarts() {
    Start begin = loadBlockStart(0), end = loadBlockStart(warps);
    Value share = ceilDivide(sub(end.work, begin.work), e.constant(warps));
    share = arith::MaxUIOp::create(e.b, e.loc, share, e.constant(1));
    // Warps that get nothing.
    Value thread = e.threadId();
    Value isInner = isBelow(e.add(thread, -1), e.constant(warps - 1));
    Value isUnused =
        arith::CmpIOp::create(e.b, e.loc, arith::CmpIPredicate::uge,
                              e.add(begin.work, mul(thread, share)), end.work);
    emitIf(e.both(isInner, isUnused),
           [&] { store(thread, end.row, e.constant(0), end.position); });
    forRows(begin.row, end.row,
            [&](Value row) { emitStartsIn(row, begin, share); });
  }

private:
  /// Where a warp or a block starts; `work` positions lie before it.
  struct Start {
    Value row, position, work;
  };

private:
  Value min(Value lhs, Value rhs) {
    return arith::MinUIOp::create(e.b, e.loc, lhs, rhs);
  }
  Value mul(Value lhs, Value rhs) {
    return arith::MulIOp::create(e.b, e.loc, lhs, rhs);
  }
  Value sub(Value lhs, Value rhs) {
    return arith::SubIOp::create(e.b, e.loc, lhs, rhs);
  }
  Value divide(Value lhs, Value rhs) {
    return arith::DivUIOp::create(e.b, e.loc, lhs, rhs);
  }
  Value ceilDivide(Value lhs, Value rhs) {
    return arith::CeilDivUIOp::create(e.b, e.loc, lhs, rhs);
  }
  Value select(Value condition, Value yes, Value no) {
    return arith::SelectOp::create(e.b, e.loc, condition, yes, no);
  }
  Value isEqual(Value lhs, int64_t rhs) {
    return arith::CmpIOp::create(e.b, e.loc, arith::CmpIPredicate::eq, lhs,
                                 e.constant(rhs));
  }
  Value isBelow(Value lhs, Value rhs) { return e.isBelow(lhs, rhs); }

  /// A vector-row's first position and its padded end.
  std::pair<Value, Value> loadRange(Value row) {
    auto pairType = VectorType::get(2, e.b.getI32Type());
    Value address =
        LLVM::GEPOp::create(e.b, e.loc, pointers.getType(), pairType, pointers,
                            ValueRange{e.extend(row)});
    Value range = LLVM::LoadOp::create(e.b, e.loc, pairType, address,
                                       2 * sizeof(int32_t));
    auto extract = [&](int64_t i) -> Value {
      return LLVM::ExtractElementOp::create(e.b, e.loc, range, e.constant(i));
    };
    Value end = e.bitAnd(e.add(extract(1), stride - 1), uint32_t(-stride));
    return {extract(0), end};
  }

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

  Value getWork(Value row, Value position) {
    return e.add(position, mul(cost, row));
  }

  /// Runs `body` for rows [first, limit), dealt to the threads. A thread's last
  /// step may lead past 2^31, so that rows are compared unsigned.
  void forRows(Value first, Value limit, function_ref<void(Value)> body) {
    scf::ForOp::create(
        e.b, e.loc, e.add(first, e.threadId()), limit, e.constant(threads),
        ValueRange(),
        [&](OpBuilder &, Location, Value row, ValueRange) {
          body(row);
          scf::YieldOp::create(e.b, e.loc);
        },
        /*unsignedCmp=*/true);
  }

  void emitIf(Value condition, function_ref<void()> body) {
    scf::IfOp::create(e.b, e.loc, condition, [&](OpBuilder &, Location) {
      body();
      scf::YieldOp::create(e.b, e.loc);
    });
  }

  /// Whether the middle of a vector-row's work lies before `work`: then the row
  /// belongs to the block that ends there.
  Value isBefore(Value row, std::pair<Value, Value> range, Value work) {
    Value begin = getWork(row, range.first);
    Value size = e.add(sub(range.second, range.first), cost);
    return isBelow(e.add(begin, e.shiftRight(size, 1)), work);
  }

  /// Writes start `local`, the first vector-row that is not before `work`, if
  /// it is `row`, or the end if `row` is the last.
  void emitBlockStart(Value row, Value last, Value work, int64_t local) {
    std::pair<Value, Value> range = loadRange(row);
    Value isRowBefore = isBefore(row, range, work);
    Value isFirst = isEqual(row, 0);
    Value previous = select(isFirst, row, e.add(row, -1));
    Value isPreviousBefore = arith::OrIOp::create(
        e.b, e.loc, isFirst, isBefore(previous, loadRange(previous), work));
    Value isHere =
        e.both(isPreviousBefore,
               arith::CmpIOp::create(
                   e.b, e.loc, arith::CmpIPredicate::eq, isRowBefore,
                   arith::ConstantIntOp::create(e.b, e.loc, 0, /*width=*/1)));
    Value isLast =
        arith::CmpIOp::create(e.b, e.loc, arith::CmpIPredicate::eq, row, last);
    Value isEnd = e.both(isRowBefore, isLast);
    emitIf(arith::OrIOp::create(e.b, e.loc, isHere, isEnd), [&] {
      store(e.constant(local), select(isHere, row, e.add(row, 1)),
            e.constant(0), select(isHere, range.first, range.second));
    });
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

  /// Starts of the warps that lie in `row`.
  void emitStartsIn(Value row, const Start &begin, Value share) {
    auto [start, end] = loadRange(row);
    Value workStart = sub(getWork(row, start), begin.work);
    Value workEnd = sub(getWork(e.add(row, 1), end), begin.work);
    Value first = arith::MaxUIOp::create(
        e.b, e.loc, ceilDivide(workStart, share), e.constant(1));
    Value limit = min(ceilDivide(workEnd, share), e.constant(warps));
    scf::ForOp::create(
        e.b, e.loc, first, limit, e.constant(1), ValueRange(),
        [&, start = start, end = end](OpBuilder &, Location, Value local,
                                      ValueRange) {
          Value offset = sub(mul(local, share), workStart);
          Value behindCost = sub(offset, min(offset, cost));
          Value steps = ceilDivide(behindCost, e.constant(kStepPositions));
          Value position = e.add(start, e.mul(steps, kStepPositions));
          Value isFirst = isEqual(steps, 0);
          // A warp that would start behind the last step starts with the next
          // vector-row instead.
          Value isHere =
              arith::OrIOp::create(e.b, e.loc, isFirst, isBelow(position, end));
          store(local, select(isHere, row, e.add(row, 1)),
                select(isHere, select(isFirst, e.constant(0), e.constant(1)),
                       e.constant(0)),
                select(isHere, position, end));
          scf::YieldOp::create(e.b, e.loc);
        });
  }

  Emitter &e;
  Value pointers, rows, tile;
  int64_t threads, warps, stride;
  Value cost;
};

struct DealBlocksLowering : OpConversionPattern<DealBlocksOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(DealBlocksOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emitter e(rewriter, op.getLoc());
    WorkDealer(e, op, adaptor)
        .emitBlockStarts(adaptor.getPart(), adaptor.getParts());
    rewriter.eraseOp(op);
    return success();
  }
};

struct DealWarpsLowering : OpConversionPattern<DealWarpsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(DealWarpsOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emitter e(rewriter, op.getLoc());
    WorkDealer(e, op, adaptor).emitWarpStarts();
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
        e.offset(adaptor.getTile(), e.mul(adaptor.getWarp(), kWarpStartBytes)),
        kWarpStartBytes);
    SmallVector<Value> fields;
    for (int64_t i = 0; i < op.getNumResults(); ++i)
      fields.push_back(LLVM::ExtractElementOp::create(rewriter, op.getLoc(),
                                                      start, e.constant(i)));
    rewriter.replaceOp(op, fields);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// The sparse operand
//===----------------------------------------------------------------------===//

struct FetchIndicesLowering : OpConversionPattern<FetchIndicesOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(FetchIndicesOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emitter e(rewriter, op.getLoc());
    Location loc = op.getLoc();
    SRBCRSAttr encoding = op.getEncoding();
    StepLayout step = getStep(op.getRecipe(), encoding.getVector());
    Value lanePosition =
        e.apply(step.gather, dim::lane, e.laneId(), dim::position);
    bool isU16 = encoding.getIndex() == IndexWidth::U16;
    Type type = isU16 ? rewriter.getI16Type() : rewriter.getI32Type();
    auto advance = [&](Value base, Value positions) -> Value {
      return LLVM::GEPOp::create(rewriter, loc, base.getType(), type, base,
                                 ValueRange{positions});
    };
    // The lane's part first: it is the same for all steps.
    Value address = advance(advance(adaptor.getIndices(), lanePosition),
                            e.extend(adaptor.getPosition()));
    SmallVector<Value> columns;
    for (Value index : load(e, step, type, address))
      columns.push_back(isU16 ? arith::ExtUIOp::create(
                                    rewriter, loc, rewriter.getI32Type(), index)
                              : index);
    rewriter.replaceOp(op, columns);
    return success();
  }

private:
  /// The indices of a lane's calls from `address` on; those that follow one
  /// another in one load.
  static SmallVector<Value> load(Emitter &e, const StepLayout &step, Type type,
                                 Value address) {
    int64_t bytes = type.getIntOrFloatBitWidth() / 8;
    auto position = [&](int32_t call) {
      return step.gather.apply({{dim::call, call}}, dim::position);
    };
    int32_t calls = step.calls();
    bool isRun = calls > 1;
    for (int32_t call = 0; call < calls; ++call)
      isRun &= position(call) == call;
    SmallVector<Value> indices;
    if (!isRun) {
      for (int32_t call = 0; call < calls; ++call)
        indices.push_back(LLVM::LoadOp::create(
            e.b, e.loc, type,
            e.offset(address, e.constant(position(call) * bytes)), bytes));
      return indices;
    }
    Value run = LLVM::LoadOp::create(e.b, e.loc, VectorType::get(calls, type),
                                     address, calls * bytes);
    for (int32_t call = 0; call < calls; ++call)
      indices.push_back(
          LLVM::ExtractElementOp::create(e.b, e.loc, run, e.constant(call)));
    return indices;
  }
};

struct FetchValuesLowering : OpConversionPattern<FetchValuesOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(FetchValuesOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emitter e(rewriter, op.getLoc());
    StepValues values(op.getEncoding(), op.getRecipe(), op.getBits());
    SmallVector<Value> words;
    for (int32_t i = 0; i < values.step.fragments(); ++i) {
      Value lane = values.getLaneOffset(e, i, op.getEncoding().getStride());
      // The lane's part first: it is the same for all steps.
      Value address = e.offset(e.offset(adaptor.getValues(), lane),
                               values.getStepOffset(e, adaptor.getPosition()));
      llvm::append_range(words, values.load(e, address));
    }
    rewriter.replaceOpWithMultiple(op, {words});
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Fragments in shared memory
//===----------------------------------------------------------------------===//

/// Address of a lane's first register of `count` in place `slot` of a tile:
/// registers one after another, each for all lanes.
static constexpr int64_t kRegisterBytes = kWarpSize * sizeof(int32_t);

static Value getSlotAddress(Emitter &e, Value tile, Value slot, int64_t count) {
  Value lane = e.mul(e.laneId(), sizeof(int32_t));
  return e.offset(e.offset(tile, lane), e.mul(slot, count * kRegisterBytes));
}

struct SaveFragmentsLowering : OpConversionPattern<SaveFragmentsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(SaveFragmentsOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emitter e(rewriter, op.getLoc());
    SmallVector<Value> registers;
    for (ValueRange fragment : adaptor.getFragments())
      llvm::append_range(registers, fragment);
    Value address = getSlotAddress(e, adaptor.getTile().front(),
                                   adaptor.getSlot().front(), registers.size());
    for (auto [i, value] : llvm::enumerate(registers))
      LLVM::StoreOp::create(rewriter, op.getLoc(), value,
                            e.offset(address, e.constant(i * kRegisterBytes)),
                            sizeof(int32_t));
    rewriter.eraseOp(op);
    return success();
  }
};

struct RestoreFragmentsLowering : OpConversionPattern<RestoreFragmentsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(RestoreFragmentsOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emitter e(rewriter, op.getLoc());
    int64_t count = 0;
    for (Type type : op.getFragments().getTypes())
      count += cast<FragmentType>(type).getNumRegisters();
    Value address =
        getSlotAddress(e, adaptor.getTile(), adaptor.getSlot(), count);
    SmallVector<SmallVector<Value>> fragments;
    int64_t next = 0;
    for (Type type : op.getFragments().getTypes()) {
      SmallVector<Value> &registers = fragments.emplace_back();
      for (int64_t i = 0; i < cast<FragmentType>(type).getNumRegisters(); ++i)
        registers.push_back(LLVM::LoadOp::create(
            rewriter, op.getLoc(), rewriter.getI32Type(),
            e.offset(address, e.constant(next++ * kRegisterBytes)),
            sizeof(int32_t)));
    }
    rewriter.replaceOpWithMultiple(op, std::move(fragments));
    return success();
  }
};

} // namespace

void mlir::magicube_gpu::populateResidentLowering(
    const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<DealBlocksLowering, DealWarpsLowering, FetchIndicesLowering,
               FetchValuesLowering, LoadStartLowering, RestoreFragmentsLowering,
               SaveFragmentsLowering>(converter, patterns.getContext());
}
