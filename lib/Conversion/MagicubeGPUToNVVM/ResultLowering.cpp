//===- ResultLowering.cpp - Lowering of the result's store ----------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lanes trade registers; accumulators to memory, two columns of a component at
// once.
//
//===----------------------------------------------------------------------===//

#include "Epilogue.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <cmath>

using namespace mlir;
using namespace mlir::magicube;
using namespace mlir::magicube_gpu;

void mlir::magicube_gpu::emitExchange(Emitter &e, LaneExchange exchange,
                                      Value lane,
                                      MutableArrayRef<Value> values) {
  int32_t laneMask = 1 << exchange.laneBit;
  size_t valueMask = size_t(1) << exchange.registerBit;
  Value isHigh = arith::CmpIOp::create(e.b, e.loc, arith::CmpIPredicate::ne,
                                       e.bitAnd(lane, laneMask), e.constant(0));
  auto select = [&](Value ifHigh, Value ifLow) -> Value {
    return arith::SelectOp::create(e.b, e.loc, isHigh, ifHigh, ifLow);
  };
  for (size_t low = 0; low < values.size(); ++low) {
    if (low & valueMask)
      continue;
    Value &first = values[low], &second = values[low | valueMask];
    Value received = NVVM::ShflOp::create(
        e.b, e.loc, e.b.getI32Type(), e.constant(-1), select(first, second),
        e.constant(laneMask), e.constant(kWarpSize - 1), NVVM::ShflKind::bfly,
        /*return_value_and_is_valid=*/UnitAttr());
    Value newFirst = select(received, first);
    second = select(second, received);
    first = newFirst;
  }
}

/// The number of element (row, column) of a result, as i64.
static Value emitOffset(Emitter &e, ResultOrder order, Value row, Value column,
                        Value stride) {
  switch (order) {
  case ResultOrder::RowMajor:
    return arith::AddIOp::create(e.b, e.loc, e.wideProduct(row, stride),
                                 e.extend(column));
  }
}

namespace {

/// r = f32(last); r = fma(r, 2^d, f32(next)) down to the first.
struct CombineFloatLowering : OpConversionPattern<CombineFloatOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(CombineFloatOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type f32 = rewriter.getF32Type(), i32 = rewriter.getI32Type();
    SmallVector<Value> registers;
    for (int64_t i = 0; i < op.getResult().getType().getNumRegisters(); ++i) {
      Value sum;
      int64_t reached = 0;
      for (auto [accumulator, shift] : llvm::reverse(
               llvm::zip_equal(adaptor.getAccumulators(), op.getShifts()))) {
        Value term =
            arith::SIToFPOp::create(rewriter, loc, f32, accumulator[i]);
        if (sum) {
          APFloat weight(std::ldexp(1.0f, static_cast<int>(reached - shift)));
          sum = LLVM::FMAOp::create(
              rewriter, loc, sum,
              arith::ConstantFloatOp::create(rewriter, loc,
                                             rewriter.getF32Type(), weight),
              term);
        } else {
          sum = term;
        }
        reached = shift;
      }
      registers.push_back(scale(rewriter, loc, sum, reached));
    }
    for (Value &value : registers)
      value = arith::BitcastOp::create(rewriter, loc, i32, value);
    rewriter.replaceOpWithMultiple(op, {registers});
    return success();
  }

private:
  /// sum * 2^shift, exactly.
  static Value scale(OpBuilder &b, Location loc, Value sum, int64_t shift) {
    if (shift == 0)
      return sum;
    return arith::MulFOp::create(
        b, loc, sum,
        arith::ConstantFloatOp::create(
            b, loc, b.getF32Type(),
            APFloat(std::ldexp(1.0f, static_cast<int>(shift)))));
  }
};

/// Folds, then swaps.
struct ExchangeLanesLowering : OpConversionPattern<ExchangeLanesOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ExchangeLanesOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emitter e(rewriter, op.getLoc());
    SmallVector<Value> registers = foldDigits(
        e, static_cast<int32_t>(op.getFoldShift()), adaptor.getFragment());
    if (op.getLaneBit())
      emitExchange(e,
                   {static_cast<int32_t>(*op.getLaneBit()),
                    static_cast<int32_t>(*op.getRegisterBit())},
                   adaptor.getLane().front(), registers);
    rewriter.replaceOpWithMultiple(op, {registers});
    return success();
  }

private:
  /// Neighbouring registers as digits of one value, see StepLayout::foldShift.
  static SmallVector<Value> foldDigits(Emitter &e, int32_t shift,
                                       ValueRange registers) {
    if (shift == 0)
      return llvm::to_vector(registers);
    SmallVector<Value> folded;
    for (size_t i = 0; i < registers.size(); i += 2)
      folded.push_back(e.add(
          registers[i], emitShiftLeft(e.b, e.loc, registers[i + 1], shift)));
    return folded;
  }
};

struct StoreResultLowering : OpConversionPattern<StoreResultOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(StoreResultOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emitter e(rewriter, op.getLoc());
    DenseOperand operand = *getDenseOperand(op.getStep().getStepLayout());
    SmallVector<ValueRange> parts(adaptor.getFragments());
    if (op.getResultType().getIntOrFloatBitWidth() < 16)
      emitNarrowResults(e, op, adaptor, operand, parts);
    else
      emitResults(e, op, adaptor, operand, parts);
    rewriter.eraseOp(op);
    return success();
  }

private:
  static void emitResults(Emitter &e, StoreResultOp op, OneToNOpAdaptor adaptor,
                          const DenseOperand &operand,
                          ArrayRef<ValueRange> parts) {
    const LinearLayout &output = operand.output;
    Value lane = adaptor.getLane().front();
    Value vector =
        e.add(e.apply(output, dim::lane, lane, dim::vector), op.getComponent());
    Value column = e.add(adaptor.getColumn().front(),
                         e.apply(output, dim::lane, lane, dim::column));

    // Values by component and column, relative to the lane's.
    std::map<std::pair<int32_t, int32_t>, Value> values;
    for (auto [part, registers] : llvm::enumerate(parts))
      for (auto [i, value] : llvm::enumerate(registers)) {
        LayoutPoint point =
            output.apply({{dim::part, int32_t(part)}, {dim::reg, int32_t(i)}});
        values[{point[dim::vector], point[dim::column]}] = value;
      }
    // Neighbouring columns of one component are stored together.
    int64_t reached =
        output.outputSize(dim::vector) / output.inputSize(dim::fragment);
    for (auto begin = values.begin(); begin != values.end();) {
      auto [component, firstColumn] = begin->first;
      SmallVector<Value> run;
      auto next = begin;
      for (; next != values.end() &&
             next->first ==
                 std::pair(component, firstColumn + int32_t(run.size()));
           ++next)
        run.push_back(next->second);
      emitRow(e, op, adaptor, e.add(vector, component),
              e.add(column, firstColumn), run, reached);
      begin = next;
    }
  }

  /// Stores `values`, neighbours from `column` on, to the row of component
  /// `vector`. The fragment's lanes reach `reachedVectors` components.
  static void emitRow(Emitter &e, StoreResultOp op, OneToNOpAdaptor adaptor,
                      Value vector, Value column, ArrayRef<Value> values,
                      int64_t reachedVectors) {
    int64_t vectorLength = op.getEncoding().getVector();
    Value exists;
    if (op.getComponent() + reachedVectors > uint64_t(vectorLength))
      exists = e.isBelow(vector, e.constant(vectorLength));
    Value row = e.add(adaptor.getRow().front(), vector);
    // With aligned rows all of them are inside, or none.
    size_t together = op.getMap().getAlignment() > 1 ? values.size() : 1;
    for (size_t i = 0; i < values.size(); i += together) {
      Value first = e.add(column, i);
      Value isInside = e.isBelow(first, adaptor.getLimit().front());
      scf::IfOp::create(
          e.b, e.loc, e.both(exists, isInside), [&](OpBuilder &, Location) {
            emitStore(e, op, adaptor, row, first, values.slice(i, together));
            scf::YieldOp::create(e.b, e.loc);
          });
    }
  }

  /// Finishes and stores neighbouring sums.
  static void emitStore(Emitter &e, StoreResultOp op, OneToNOpAdaptor adaptor,
                        Value row, Value column, ArrayRef<Value> sums) {
    Type type = op.getResultType();
    Value element = emitOffset(e, op.getMap().getOrder(), row, column,
                               adaptor.getStride().front());
    Value base = adaptor.getBase().front();
    Value address = LLVM::GEPOp::create(e.b, e.loc, base.getType(), type, base,
                                        ValueRange{element});
    SmallVector<Value> values = llvm::to_vector(sums);
    for (auto [i, value] : llvm::enumerate(values))
      value = emitElement(e, op.getBody(), value, row, e.add(column, i));
    Value stored = packVector(e, values);
    unsigned bytes = values.size() * type.getIntOrFloatBitWidth() / 8;
    if (op.getAccumulate())
      stored = arith::AddIOp::create(
          e.b, e.loc, stored,
          LLVM::LoadOp::create(e.b, e.loc, stored.getType(), address, bytes));
    if (op.getMap().getStreaming() && bytes % sizeof(int32_t) == 0)
      emitStreamingStore(e, stored, address, bytes / sizeof(int32_t));
    else
      LLVM::StoreOp::create(e.b, e.loc, stored, address, bytes);
  }

  /// st.global.cs (PTX ISA "st") of 1, 2 or 4 words. LLVM drops the hint that a
  /// store of its own may have.
  static void emitStreamingStore(Emitter &e, Value stored, Value address,
                                 int64_t words) {
    Type word = e.b.getI32Type();
    Type type = words == 1 ? word : VectorType::get(words, word);
    if (stored.getType() != type)
      stored = LLVM::BitcastOp::create(e.b, e.loc, type, stored);
    SmallVector<Value> operands = {address};
    std::string names, constraints = "l";
    for (int64_t i = 0; i < words; ++i) {
      operands.push_back(words == 1 ? stored
                                    : LLVM::ExtractElementOp::create(
                                          e.b, e.loc, stored, e.constant(i)));
      names += (i ? ", $" : "$") + std::to_string(i + 1);
      constraints += ",r";
    }
    std::string text = words == 1 ? "st.global.cs.b32 [$0], $1;"
                                  : "st.global.cs.v" + std::to_string(words) +
                                        ".b32 [$0], {" + names + "};";
    e.assembly(text, constraints, operands);
  }

  static Value packVector(Emitter &e, ArrayRef<Value> values) {
    if (values.size() == 1)
      return values.front();
    auto type = VectorType::get(values.size(), values.front().getType());
    Value vector = LLVM::PoisonOp::create(e.b, e.loc, type);
    for (auto [i, value] : llvm::enumerate(values))
      vector = LLVM::InsertElementOp::create(e.b, e.loc, vector, value,
                                             e.constant(i));
    return vector;
  }
};

} // namespace

void mlir::magicube_gpu::populateResultLowering(const TypeConverter &converter,
                                                RewritePatternSet &patterns) {
  patterns
      .add<CombineFloatLowering, ExchangeLanesLowering, StoreResultLowering>(
          converter, patterns.getContext());
}
