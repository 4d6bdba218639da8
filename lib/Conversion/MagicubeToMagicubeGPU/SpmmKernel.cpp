//===- SpmmKernel.cpp - The SpMM kernel -----------------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block multiplies one vector-row with a tile of columns: a loop over steps
// of 32 stored positions, each a gather of dense rows and a few MMAs (design:
// swapped operands, streamed right-hand side).
//
//===----------------------------------------------------------------------===//

#include "SpmmKernel.h"

#include "SpmmOperands.h"

#include "dialect/magicube_gpu/MagicubeGPUDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::magicube;
using namespace mlir::magicube_gpu;

namespace {

/// Builds the body of one kernel.
class SpmmKernelBuilder {
public:
  SpmmKernelBuilder(OpBuilder &builder, Location loc,
                    const SpmmKernelSpec &spec)
      : b(builder), loc(loc), spec(spec), operands(KernelOperands::get(spec)),
        step(operands.step) {}

  gpu::GPUFuncOp create(StringRef name);

private:
  /// Operand A (dense) or B (sparse) for a plane.
  FragmentType getPlaneType(const OperandPlane &plane,
                            MmaOperand operand) const;
  FragmentType getAccumulatorType() const {
    return FragmentType::get(b.getContext(), step.mma->name, MmaOperand::C,
                             b.getI32Type());
  }
  Value constant(int64_t value) {
    return arith::ConstantIntOp::create(b, loc, value, /*width=*/32);
  }
  Value id(gpu::Dimension dimension, bool isBlock);
  Value parameter(SpmmParameter which) {
    return kernel.getArgument(static_cast<unsigned>(which));
  }
  void createFunction(StringRef name);
  /// First column of the block's tile.
  Value createColumn();
  /// Bytes that `columns` columns of the dense operand take.
  Value createBytes(Value columns);
  /// Chunk `offset` of the warp's part of the tile.
  Value createChunk(int64_t offset);
  /// First stored position and end of the block's vector-row.
  std::pair<Value, Value> loadRange(Value row);
  SmallVector<Value> createStepLoop(Value column, Value start, Value end);
  SmallVector<Value> createStep(Value position, Value end, Value column,
                                ValueRange accumulators);
  /// Copies of what a step reads.
  void createCopies(Value position, Value end, Value column);
  /// Adds the products of one call's planes of one group to `sums`.
  void createProducts(int64_t group, int64_t call, LoadValuesOp lhs,
                      MutableArrayRef<Value> sums);
  /// Adds 8 times the sparse values to the corrections, the last of `sums`.
  void createCorrections(LoadValuesOp lhs, MutableArrayRef<Value> sums);
  /// The sums of a column set, of all weights.
  Value createCombined(ValueRange accumulators, int64_t group,
                       int32_t columnSet, int32_t fragment);
  void storeResults(ValueRange accumulators, Value row, Value column);

  OpBuilder &b;
  Location loc;
  const SpmmKernelSpec &spec;
  KernelOperands operands;
  const StepLayout &step;
  gpu::GPUFuncOp kernel;
  Value rowsTile, valuesTile;
  /// Bytes of the dense operand's rows.
  Value rowLimit;
  /// First 16-byte chunk of the warp's part of the tile.
  Value warpChunk;

  int64_t getChunksPerWarp() const {
    return spec.getTileBytes() / spec.schedule.getWarps() / kChunkBytes;
  }
  /// Groups of chunks that the recipe handles together.
  int64_t getGroupsPerWarp() const {
    return getChunksPerWarp() / operands.dense.chunks;
  }
};

} // namespace

FragmentType SpmmKernelBuilder::getPlaneType(const OperandPlane &plane,
                                             MmaOperand operand) const {
  // Operands are swapped: A is the dense side, B the sparse one.
  bool isUnsigned = operands.isUnsigned(plane, operand == MmaOperand::A);
  Type element = IntegerType::get(b.getContext(), step.mma->operandBits,
                                  isUnsigned ? IntegerType::Unsigned
                                             : IntegerType::Signed);
  return FragmentType::get(b.getContext(), step.mma->name, operand, element);
}

Value SpmmKernelBuilder::id(gpu::Dimension dimension, bool isBlock) {
  Value index = isBlock
                    ? gpu::BlockIdOp::create(b, loc, dimension).getResult()
                    : gpu::ThreadIdOp::create(b, loc, dimension).getResult();
  return arith::IndexCastOp::create(b, loc, b.getI32Type(), index);
}

void SpmmKernelBuilder::createFunction(StringRef name) {
  auto pointer = LLVM::LLVMPointerType::get(b.getContext(), /*addressSpace=*/1);
  SmallVector<Type> types(kNumSpmmParameters, b.getI32Type());
  constexpr unsigned numPointers =
      static_cast<unsigned>(SpmmParameter::Result) + 1;
  std::fill_n(types.begin(), numPointers, pointer);
  llvm::append_range(types, spec.epilogue.getParameterTypes(b.getContext()));
  kernel = gpu::GPUFuncOp::create(b, loc, name, b.getFunctionType(types, {}));
  kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  kernel.setKnownBlockSizeAttr(b.getDenseI32ArrayAttr(
      {static_cast<int32_t>(spec.getBlockThreads()), 1, 1}));
  kernel->setAttr(MagicubeGPUDialect::kStagesAttrName,
                  b.getI64IntegerAttr(spec.schedule.getStages()));
  kernel->setAttr(MagicubeGPUDialect::kLaunchAttrName, spec.getLaunchAttr());
  for (unsigned i = 0; i < types.size(); ++i) {
    if (types[i] != pointer)
      continue;
    // No other pointer of the kernel reaches the memory, and only the result is
    // written: lets loads take the read-only path.
    kernel.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(),
                      b.getUnitAttr());
    if (i != static_cast<unsigned>(SpmmParameter::Result))
      kernel.setArgAttr(i, LLVM::LLVMDialect::getReadonlyAttrName(),
                        b.getUnitAttr());
  }
}

Value SpmmKernelBuilder::createColumn() {
  // blockIdx.y counts to 65535 (CUDA's limit), z takes the rest.
  Value y = id(gpu::Dimension::y, /*isBlock=*/true);
  Value z = id(gpu::Dimension::z, /*isBlock=*/true);
  Value sizeY = arith::IndexCastOp::create(
      b, loc, b.getI32Type(),
      gpu::GridDimOp::create(b, loc, gpu::Dimension::y).getResult());
  Value tile =
      arith::AddIOp::create(b, loc, arith::MulIOp::create(b, loc, z, sizeY), y);
  return arith::MulIOp::create(b, loc, tile,
                               constant(spec.schedule.getTileN()));
}

Value SpmmKernelBuilder::createBytes(Value columns) {
  constexpr int64_t byteBits = 8;
  if (spec.rhsBits == byteBits)
    return columns;
  if (spec.rhsBits > byteBits)
    return arith::MulIOp::create(b, loc, columns,
                                 constant(spec.rhsBits / byteBits));
  return arith::CeilDivUIOp::create(b, loc, columns,
                                    constant(byteBits / spec.rhsBits));
}

Value SpmmKernelBuilder::createChunk(int64_t offset) {
  return arith::AddIOp::create(b, loc, warpChunk, constant(offset));
}

std::pair<Value, Value> SpmmKernelBuilder::loadRange(Value row) {
  auto pairType = VectorType::get(2, b.getI32Type());
  Value offset = arith::ExtUIOp::create(b, loc, b.getI64Type(), row);
  Value address = LLVM::GEPOp::create(
      b, loc, parameter(SpmmParameter::Pointers).getType(), pairType,
      parameter(SpmmParameter::Pointers), ValueRange{offset});
  Value range = LLVM::LoadOp::create(b, loc, pairType, address,
                                     /*alignment=*/8);
  auto extract = [&](int64_t i) {
    return LLVM::ExtractElementOp::create(b, loc, range, constant(i));
  };
  return {extract(0), extract(1)};
}

void SpmmKernelBuilder::createCopies(Value position, Value end, Value column) {
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

void SpmmKernelBuilder::createProducts(int64_t group, int64_t call,
                                       LoadValuesOp lhs,
                                       MutableArrayRef<Value> sums) {
  auto rawType = RegistersType::get(b.getContext(), step.rawRegisters());
  StringAttr recipe = b.getStringAttr(step.recipe);
  SmallVector<Value> raw;
  for (int64_t chunk = 0; chunk < operands.chunksPerTranspose(); ++chunk)
    raw.push_back(LoadRowsOp::create(
        b, loc, rawType, rowsTile,
        createChunk(group * operands.dense.chunks + chunk), /*slot=*/Value(),
        recipe, b.getI64IntegerAttr(call)));
  SmallVector<Type> rhsTypes;
  for (const OperandPlane &plane : operands.dense.planes)
    rhsTypes.push_back(getPlaneType(plane, MmaOperand::A));
  auto rhs = TransposeOp::create(
      b, loc, rhsTypes, raw, recipe, b.getI64IntegerAttr(spec.rhsBits),
      operands.isBiased() ? b.getUnitAttr() : UnitAttr(),
      operands.hasHalves() && operands.shortRows ? b.getUnitAttr()
                                                 : UnitAttr());

  size_t planes = operands.sparse.planes.size();
  for (auto [dense, rhsFragment] :
       llvm::zip_equal(operands.dense.planes, rhs.getFragments()))
    for (auto [p, sparse] : llvm::enumerate(operands.sparse.planes)) {
      std::optional<int32_t> columnSet = operands.getColumnSet(dense, sparse);
      for (int32_t i = 0; columnSet && i < step.fragments(); ++i) {
        Value lhsFragment =
            lhs.getFragments()[(call * planes + p) * step.fragments() + i];
        Value &sum = sums[operands.sumIndex(group, *columnSet,
                                            dense.shift + sparse.shift, i)];
        sum = MmaOp::create(b, loc, rhsFragment, lhsFragment, sum);
      }
    }
}

void SpmmKernelBuilder::createCorrections(LoadValuesOp lhs,
                                          MutableArrayRef<Value> sums) {
  if (!operands.isBiased())
    return;
  // The first plane is biased in every form.
  Value bias = SplatOp::create(
      b, loc, getPlaneType(operands.dense.planes.front(), MmaOperand::A),
      b.getI32IntegerAttr(kNibbleBias));
  // By plane and fragment of every call.
  MutableArrayRef<Value> corrections =
      sums.take_back(operands.numCorrections());
  for (auto [i, fragment] : llvm::enumerate(lhs.getFragments())) {
    Value &sum = corrections[i % corrections.size()];
    sum = MmaOp::create(b, loc, bias, fragment, sum);
  }
}

SmallVector<Value> SpmmKernelBuilder::createStep(Value position, Value end,
                                                 Value column,
                                                 ValueRange accumulators) {
  createCopies(position, end, column);
  SmallVector<Type> lhsTypes;
  for (int64_t call = 0; call < step.calls(); ++call)
    for (const OperandPlane &plane : operands.sparse.planes)
      lhsTypes.append(step.fragments(), getPlaneType(plane, MmaOperand::B));
  auto lhs = LoadValuesOp::create(b, loc, lhsTypes, valuesTile,
                                  /*slot=*/Value(), spec.encoding,
                                  b.getStringAttr(step.recipe),
                                  b.getI64IntegerAttr(spec.lhsBits));
  SmallVector<Value> sums = llvm::to_vector(accumulators);
  for (int64_t group = 0; group < getGroupsPerWarp(); ++group)
    for (int64_t call = 0; call < step.calls(); ++call)
      createProducts(group, call, lhs, sums);
  createCorrections(lhs, sums);
  return sums;
}

SmallVector<Value> SpmmKernelBuilder::createStepLoop(Value column, Value start,
                                                     Value end) {
  Value length = arith::SubIOp::create(b, loc, end, start);
  Value steps =
      arith::CeilDivUIOp::create(b, loc, length, constant(kStepPositions));
  SmallVector<Value> zeros;
  int64_t count =
      operands.numSums(getGroupsPerWarp()) + operands.numCorrections();
  for (int64_t i = 0; i < count; ++i)
    zeros.push_back(ZeroOp::create(b, loc, getAccumulatorType()));
  auto loop = scf::ForOp::create(
      b, loc, constant(0), steps, constant(1), zeros,
      [&](OpBuilder &, Location, Value iteration, ValueRange sums) {
        Value offset =
            arith::MulIOp::create(b, loc, iteration, constant(kStepPositions));
        Value position = arith::AddIOp::create(b, loc, start, offset);
        scf::YieldOp::create(b, loc, createStep(position, end, column, sums));
      });
  return llvm::to_vector_of<Value>(loop.getResults());
}

Value SpmmKernelBuilder::createCombined(ValueRange accumulators, int64_t group,
                                        int32_t columnSet, int32_t fragment) {
  const OperandPlane &plane = operands.getDensePlane(columnSet);
  SmallVector<Value> terms;
  SmallVector<int64_t> shifts;
  for (int32_t shift : operands.shifts) {
    Value sum =
        accumulators[operands.sumIndex(group, columnSet, shift, fragment)];
    if (plane.includesLow) {
      Value low = accumulators[operands.sumIndex(group, /*columnSet=*/0, shift,
                                                 fragment)];
      sum = CombineOp::create(b, loc, ValueRange{sum, low},
                              ArrayRef<int64_t>{0, 0},
                              ArrayRef<bool>{false, true});
    }
    terms.push_back(sum);
    shifts.push_back(shift - plane.scale);
  }
  SmallVector<bool> negate(terms.size(), false);
  if (operands.isBiased(plane)) {
    ValueRange corrections = accumulators.take_back(operands.numCorrections());
    for (auto [p, plane] : llvm::enumerate(operands.sparse.planes)) {
      terms.push_back(corrections[p * step.fragments() + fragment]);
      shifts.push_back(plane.shift);
      negate.push_back(true);
    }
  }
  if (terms.size() == 1 && shifts.front() == 0)
    return terms.front();
  // A scaled sum of the lowest digit is divided: by its sign.
  bool isLogical =
      operands.unsignedRhs &&
      operands.isUnsigned(operands.sparse.planes.front(), /*isDense=*/false);
  bool isScaled = shifts.front() < 0;
  return CombineOp::create(b, loc, terms, shifts, negate,
                           isScaled && isLogical);
}

void SpmmKernelBuilder::storeResults(ValueRange accumulators, Value row,
                                     Value column) {
  const SpmmEpilogue &epilogue = spec.epilogue;
  Value firstRow =
      arith::MulIOp::create(b, loc, row, constant(spec.encoding.getVector()));
  ValueRange parameters = kernel.getArguments().drop_front(kNumSpmmParameters);
  ValueRange scales = parameters.take_front(epilogue.scaleAxes.size());
  Value bias = epilogue.biasAxis ? parameters.back() : Value();
  // A chunk's columns; a group has the same of every of its chunks.
  int64_t chunkColumns = operands.dense.columns() / operands.dense.chunks;
  for (int64_t i = 0; i < getGroupsPerWarp() * step.fragments(); ++i) {
    int64_t group = i / step.fragments(), fragment = i % step.fragments();
    SmallVector<Value> sums;
    for (int32_t set = 0; set < operands.dense.columnSets(); ++set)
      sums.push_back(createCombined(accumulators, group, set, fragment));
    Value first = arith::MulIOp::create(
        b, loc, createChunk(group * operands.dense.chunks),
        constant(chunkColumns));
    StoreResultOp::create(
        b, loc, sums, parameter(SpmmParameter::Result), firstRow,
        arith::AddIOp::create(b, loc, column, first),
        parameter(SpmmParameter::ResultStride),
        parameter(SpmmParameter::Columns), spec.encoding,
        b.getStringAttr(step.recipe),
        b.getI64IntegerAttr(fragment * step.mma->n),
        b.getI64IntegerAttr(spec.alignment),
        spec.accumulate ? b.getUnitAttr() : UnitAttr(), scales, bias,
        b.getDenseI64ArrayAttr(epilogue.scaleAxes),
        b.getI64IntegerAttr(epilogue.biasAxis.value_or(0)), epilogue.activation,
        TypeAttr::get(epilogue.resultType), b.getI64IntegerAttr(spec.rhsBits));
  }
}

gpu::GPUFuncOp SpmmKernelBuilder::create(StringRef name) {
  createFunction(name);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&kernel.getBody().front());
  Value column = createColumn();
  Value isInside =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, column,
                            parameter(SpmmParameter::Columns));
  scf::IfOp::create(b, loc, isInside, [&](OpBuilder &, Location) {
    rowsTile = AllocTileOp::create(b, loc,
                                   TileType::get(b.getContext(), kStepPositions,
                                                 spec.getTileBytes(),
                                                 /*stages=*/1, {}));
    valuesTile = AllocTileOp::create(b, loc,
                                     TileType::get(b.getContext(), /*rows=*/1,
                                                   spec.getStepValueBytes(),
                                                   /*stages=*/1, {}));
    rowLimit = createBytes(parameter(SpmmParameter::Columns));
    Value warp = arith::DivUIOp::create(
        b, loc, id(gpu::Dimension::x, /*isBlock=*/false), constant(kWarpSize));
    warpChunk =
        arith::MulIOp::create(b, loc, warp, constant(getChunksPerWarp()));
    Value row = id(gpu::Dimension::x, /*isBlock=*/true);
    auto [start, end] = loadRange(row);
    storeResults(createStepLoop(column, start, end), row, column);
    scf::YieldOp::create(b, loc);
  });
  gpu::ReturnOp::create(b, loc);
  return kernel;
}

gpu::GPUFuncOp mlir::magicube::createSpmmKernel(OpBuilder &builder,
                                                Location loc,
                                                const SpmmKernelSpec &spec,
                                                StringRef name) {
  return SpmmKernelBuilder(builder, loc, spec).create(name);
}
