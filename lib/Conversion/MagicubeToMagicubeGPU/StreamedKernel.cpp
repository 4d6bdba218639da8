//===- StreamedKernel.cpp - SpMM with a streamed dense operand ------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block multiplies one vector-row with a tile of columns: a loop over steps
// of 32 stored positions, each a gather of dense rows to shared memory and the
// products of a step.
//
//===----------------------------------------------------------------------===//

#include "SpmmKernelBuilder.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::magicube;
using namespace mlir::magicube_gpu;

namespace {

class StreamedKernelBuilder : public SpmmKernelBuilder {
public:
  using SpmmKernelBuilder::SpmmKernelBuilder;

private:
  void createBody(Value column) override;
  Value createLoadRows(int64_t chunk, int64_t call) override;
  SmallVector<Value> createStepLoop(Value column, Value start, Value end);
  SmallVector<Value> createStep(Value position, Value end, Value column,
                                ValueRange accumulators);
  /// Copies of what a step reads.
  void createCopies(Value position, Value end, Value column);

  Value rowsTile, valuesTile;
};

} // namespace

Value StreamedKernelBuilder::createLoadRows(int64_t chunk, int64_t call) {
  return LoadRowsOp::create(
      b, loc, RegistersType::get(b.getContext(), step.rawRegisters()), rowsTile,
      createChunk(chunk), /*row=*/Value(), /*slot=*/Value(),
      b.getStringAttr(step.recipe), b.getI64IntegerAttr(call));
}

void StreamedKernelBuilder::createCopies(Value position, Value end,
                                         Value column) {
  SmallVector<Type> columnTypes(getChunksPerWarp(), b.getI32Type());
  auto columns = LoadIndicesOp::create(
      b, loc, columnTypes, parameter(SpmmParameter::Indices), position, end,
      /*predicate=*/Value(), spec.encoding, b.getStringAttr(step.recipe),
      b.getI64IntegerAttr(spec.getTileBytes()));
  GatherRowsOp::create(
      b, loc, parameter(SpmmParameter::Rhs), columns.getColumns(),
      parameter(SpmmParameter::RhsStride), createBytes(column), rowLimit,
      rowsTile, /*slot=*/Value(),
      /*predicate=*/Value(), b.getI64IntegerAttr(spec.alignment));
  CopyValuesOp::create(b, loc, parameter(SpmmParameter::Values), position, end,
                       valuesTile, /*slot=*/Value(), /*predicate=*/Value(),
                       spec.encoding, b.getI64IntegerAttr(spec.getValueBits()));
  AwaitCopiesOp::create(b, loc);
}

SmallVector<Value> StreamedKernelBuilder::createStep(Value position, Value end,
                                                     Value column,
                                                     ValueRange accumulators) {
  createCopies(position, end, column);
  auto lhs = LoadValuesOp::create(b, loc, getValueTypes(), valuesTile,
                                  /*slot=*/Value(), spec.encoding,
                                  b.getStringAttr(step.recipe),
                                  b.getI64IntegerAttr(spec.lhsBits));
  return createStepProducts(lhs.getFragments(), accumulators);
}

SmallVector<Value>
StreamedKernelBuilder::createStepLoop(Value column, Value start, Value end) {
  Value length = arith::SubIOp::create(b, loc, end, start);
  Value steps =
      arith::CeilDivUIOp::create(b, loc, length, constant(kStepPositions));
  auto loop = scf::ForOp::create(
      b, loc, constant(0), steps, constant(1), createZeros(),
      [&](OpBuilder &, Location, Value iteration, ValueRange sums) {
        Value offset =
            arith::MulIOp::create(b, loc, iteration, constant(kStepPositions));
        Value position = arith::AddIOp::create(b, loc, start, offset);
        scf::YieldOp::create(b, loc, createStep(position, end, column, sums));
      });
  return llvm::to_vector_of<Value>(loop.getResults());
}

void StreamedKernelBuilder::createBody(Value column) {
  auto form = SharedFormAttr::get(b.getContext(), spec.schedule.getShared());
  auto tile = [&](int64_t rows, int64_t bytes, SharedFormAttr form) {
    auto type =
        TileType::get(b.getContext(), rows, bytes, /*stages=*/1, /*layout=*/{});
    return AllocTileOp::create(b, loc, type, form);
  };
  rowsTile = tile(kStepPositions, spec.getTileBytes(), form);
  valuesTile = tile(/*rows=*/1, spec.getStepValueBytes(),
                    SharedFormAttr::get(b.getContext(), SharedForm::Plain));
  Value warp = arith::DivUIOp::create(
      b, loc, id(gpu::Dimension::x, /*isBlock=*/false), constant(kWarpSize));
  warpChunk = arith::MulIOp::create(b, loc, warp, constant(getChunksPerWarp()));
  Value row = id(gpu::Dimension::x, /*isBlock=*/true);
  auto [start, end] = getPointers().loadRange(arithmetic(), row);
  storeSums(createSums(createStepLoop(column, start, end)), row, column);
}

std::unique_ptr<SpmmKernelBuilder>
mlir::magicube::createStreamedKernelBuilder(OpBuilder &builder, Location loc,
                                            const SpmmKernelSpec &spec) {
  return std::make_unique<StreamedKernelBuilder>(builder, loc, spec);
}
