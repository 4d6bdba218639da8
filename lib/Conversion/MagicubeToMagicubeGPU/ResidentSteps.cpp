//===- ResidentSteps.cpp - Steps on a resident dense operand --------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fetches, products and the loop over a stream of steps.
//
//===----------------------------------------------------------------------===//

#include "ResidentSteps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::magicube;
using namespace mlir::magicube_gpu;

ResidentSteps::StepOperands ResidentSteps::fetch(Value position) {
  StringAttr recipe = b.getStringAttr(step.recipe);
  SmallVector<Type> columnTypes(step.calls(), b.getI32Type());
  auto indices = FetchIndicesOp::create(b, loc, columnTypes,
                                        parameter(SpmmParameter::Indices),
                                        position, spec.encoding, recipe);
  int64_t words = operands.sparse.words * step.fragments();
  auto values = FetchValuesOp::create(
      b, loc, RegistersType::get(b.getContext(), words),
      parameter(SpmmParameter::Values), position, spec.encoding, recipe,
      b.getI64IntegerAttr(spec.lhsBits));
  return {llvm::to_vector_of<Value>(indices.getColumns()), values.getWords()};
}

ResidentSteps::StepOperands ResidentSteps::createNoOperands() {
  auto words = RegistersType::get(b.getContext(),
                                  operands.sparse.words * step.fragments());
  SmallVector<Value> columns(step.calls(), constant(0));
  return {columns, ZeroOp::create(b, loc, words)};
}

Value ResidentSteps::createLoadRows(int64_t chunk, int64_t call) {
  return LoadRowsOp::create(
      b, loc, RegistersType::get(b.getContext(), step.rawRegisters()), slab,
      createChunk(chunk), currentRows[call], slot, b.getStringAttr(step.recipe),
      b.getI64IntegerAttr(call));
}

SmallVector<Value> ResidentSteps::createStep(const StepOperands &stepOperands,
                                             ValueRange accumulators) {
  // Padding, which has no column and multiplies by zero, reads the last row.
  SmallVector<Value> rows;
  for (Value column : stepOperands.columns)
    rows.push_back(
        min(firstColumn ? sub(column, firstColumn) : column, lastRow));
  currentRows = rows;
  auto lhs = SplitValuesOp::create(b, loc, getValueTypes(), stepOperands.words,
                                   spec.encoding, b.getStringAttr(step.recipe),
                                   b.getI64IntegerAttr(spec.lhsBits));
  return createStepProducts(lhs.getFragments(), accumulators);
}

SmallVector<Value> ResidentSteps::flatten(const Stream &stream,
                                          ArrayRef<Value> others) {
  SmallVector<Value> values = stream.cursor;
  for (const StepOperands &set : stream.ready) {
    llvm::append_range(values, set.columns);
    values.push_back(set.words);
  }
  llvm::append_range(values, others);
  return values;
}

ValueRange ResidentSteps::unflatten(ValueRange values, Stream &stream) const {
  size_t calls = step.calls(), cursor = stream.cursor.size();
  stream.cursor = llvm::to_vector(values.take_front(cursor));
  stream.ready.clear();
  values = values.drop_front(cursor);
  for (int64_t i = 0; i < ahead(); ++i) {
    ValueRange set = values.take_front(calls + 1);
    stream.ready.push_back({llvm::to_vector(set.drop_back()), set.back()});
    values = values.drop_front(calls + 1);
  }
  return values;
}

void ResidentSteps::advance(Stream &stream, SmallVector<Value> &sums) {
  stream.ready.push_back(fetch(moveCursor(stream.cursor)));
  sums = createStep(stream.ready.front(), sums);
  stream.ready.erase(stream.ready.begin());
}

/// Operands pass through `stages` sets of registers. The loop does `stages`
/// steps an iteration, so that no set moves.
void ResidentSteps::createSteps(Value steps, Stream &stream,
                                SmallVector<Value> &sums) {
  Value rounds = arith::DivUIOp::create(b, loc, steps, constant(stages()));
  auto loop = scf::ForOp::create(
      b, loc, constant(0), rounds, constant(1), flatten(stream, sums),
      [&](OpBuilder &, Location, Value, ValueRange carried) {
        Stream inner = stream;
        SmallVector<Value> sums = llvm::to_vector(unflatten(carried, inner));
        for (int64_t i = 0; i < stages(); ++i)
          advance(inner, sums);
        scf::YieldOp::create(b, loc, flatten(inner, sums));
      });
  sums = llvm::to_vector(unflatten(loop.getResults(), stream));
  Value left = arith::RemUIOp::create(b, loc, steps, constant(stages()));
  createRest(left, stages(), stream, sums);
}

void ResidentSteps::createRest(Value left, int64_t most, Stream &stream,
                               SmallVector<Value> &sums) {
  if (most == 1)
    return;
  SmallVector<Value> before = flatten(stream, sums);
  auto branch = scf::IfOp::create(
      b, loc, isPositive(left),
      [&](OpBuilder &, Location) {
        advance(stream, sums);
        createRest(sub(left, constant(1)), most - 1, stream, sums);
        scf::YieldOp::create(b, loc, flatten(stream, sums));
      },
      [&](OpBuilder &, Location) { scf::YieldOp::create(b, loc, before); });
  sums = llvm::to_vector(unflatten(branch.getResults(), stream));
}

SmallVector<Value> ResidentSteps::createZeroSums() {
  SmallVector<Value> zeros;
  for (int64_t i = 0; i < numSumFragments(); ++i)
    zeros.push_back(ZeroOp::create(b, loc, getAccumulatorType()));
  return zeros;
}
