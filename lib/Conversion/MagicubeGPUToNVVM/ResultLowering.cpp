//===- ResultLowering.cpp - Lowering of the result's store -----------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accumulators to row-major memory: two columns of a component at once.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::magicube;
using namespace mlir::magicube_gpu;

namespace {

struct StoreResultLowering : OpConversionPattern<StoreResultOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(StoreResultOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emitter e(rewriter, op.getLoc());
    StepLayout step = getStep(op.getRecipe(), op.getEncoding().getVector());
    Value lane = e.laneId();
    Value vector = e.add(e.apply(step.output, dim::lane, lane, dim::vector),
                         op.getComponent());
    Value column = e.add(adaptor.getColumn().front(),
                         e.apply(step.output, dim::lane, lane, dim::column));

    // Registers by component; those of one component are columns side by side.
    std::map<int32_t, SmallVector<std::pair<int32_t, Value>>> byVector;
    SmallVector<Value> registers = llvm::to_vector(adaptor.getFragment());
    if (step.exchange)
      emitExchange(e, *step.exchange, lane, registers);
    for (auto [i, value] : llvm::enumerate(registers)) {
      LayoutPoint point = step.output.apply({{dim::reg, int32_t(i)}});
      byVector[point[dim::vector]].emplace_back(point[dim::column], value);
    }
    for (auto &[component, columns] : byVector) {
      llvm::sort(columns, llvm::less_first());
      SmallVector<Value> values =
          llvm::to_vector(llvm::make_second_range(columns));
      emitRow(e, op, adaptor, e.add(vector, component), column, values,
              step.output.outputSize(dim::vector) / step.fragments());
    }
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// Trades registers between lanes, see LaneExchange: a lane sends the register
  /// of each pair whose bit differs from its own and takes the other's instead.
  static void emitExchange(Emitter &e, LaneExchange exchange, Value lane,
                           MutableArrayRef<Value> registers) {
    int32_t laneMask = 1 << exchange.laneBit;
    size_t registerMask = size_t(1) << exchange.registerBit;
    Value isHigh = arith::CmpIOp::create(
        e.b, e.loc, arith::CmpIPredicate::ne, e.bitAnd(lane, laneMask),
        e.constant(0));
    auto select = [&](Value ifHigh, Value ifLow) -> Value {
      return arith::SelectOp::create(e.b, e.loc, isHigh, ifHigh, ifLow);
    };
    for (size_t low = 0; low < registers.size(); ++low) {
      if (low & registerMask)
        continue;
      Value &first = registers[low], &second = registers[low | registerMask];
      Value received = NVVM::ShflOp::create(
          e.b, e.loc, e.b.getI32Type(), e.constant(-1), select(first, second),
          e.constant(laneMask), e.constant(kWarpSize - 1),
          NVVM::ShflKind::bfly, /*return_value_and_is_valid=*/UnitAttr());
      Value newFirst = select(received, first);
      second = select(second, received);
      first = newFirst;
    }
  }

  /// Stores `values`, neighbours from `column` on, to the row of component
  /// `vector`. The fragment's lanes reach `reachedVectors` components.
  static void emitRow(Emitter &e, StoreResultOp op, OneToNOpAdaptor adaptor,
                      Value vector, Value column, ArrayRef<Value> values,
                      int64_t reachedVectors) {
    int64_t vectorLength = op.getEncoding().getVector();
    Value limit = adaptor.getLimit().front();
    Value exists;
    if (op.getComponent() + reachedVectors > uint64_t(vectorLength))
      exists = e.isBelow(vector, e.constant(vectorLength));
    Value row = e.add(adaptor.getRow().front(), vector);
    Value element = arith::AddIOp::create(
        e.b, e.loc, e.wideProduct(row, adaptor.getStride().front()),
        e.extend(column));
    Value address = LLVM::GEPOp::create(
        e.b, e.loc, adaptor.getBase().front().getType(), e.b.getI32Type(),
        adaptor.getBase().front(), ValueRange{element});

    if (op.getAlignment() > 1) { // then both columns are inside, or none
      emitStore(e, op, e.both(exists, e.isBelow(column, limit)), address,
                packVector(e, values));
      return;
    }
    for (auto [i, value] : llvm::enumerate(values)) {
      Value isInside = e.isBelow(e.add(column, i), limit);
      Value next = e.offset(address, e.constant(i * sizeof(int32_t)));
      emitStore(e, op, e.both(exists, isInside), next, value);
    }
  }

  static Value packVector(Emitter &e, ArrayRef<Value> values) {
    auto type = VectorType::get(values.size(), e.b.getI32Type());
    Value vector = LLVM::PoisonOp::create(e.b, e.loc, type);
    for (auto [i, value] : llvm::enumerate(values))
      vector = LLVM::InsertElementOp::create(e.b, e.loc, vector, value,
                                             e.constant(i));
    return vector;
  }

  static void emitStore(Emitter &e, StoreResultOp op, Value condition,
                        Value address, Value value) {
    auto shaped = dyn_cast<VectorType>(value.getType());
    unsigned bytes = (shaped ? shaped.getNumElements() : 1) * sizeof(int32_t);
    scf::IfOp::create(
        e.b, e.loc, condition, [&](OpBuilder &b, Location loc) {
          Value sum = value;
          if (op.getAccumulate())
            sum = arith::AddIOp::create(
                b, loc, sum,
                LLVM::LoadOp::create(b, loc, value.getType(), address, bytes));
          LLVM::StoreOp::create(b, loc, sum, address, bytes);
          scf::YieldOp::create(b, loc);
        });
  }
};

} // namespace

void mlir::magicube_gpu::populateResultLowering(const TypeConverter &converter,
                                                RewritePatternSet &patterns) {
  patterns.add<StoreResultLowering>(converter, patterns.getContext());
}
