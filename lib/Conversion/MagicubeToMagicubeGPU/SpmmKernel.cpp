//===- SpmmKernel.cpp - The SpMM kernel ------------------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block multiplies one vector-row with a tile of columns: a loop over steps of 32
// stored positions, each a gather of dense rows and a few MMAs (design: swapped
// operands, streamed right-hand side).
//
//===----------------------------------------------------------------------===//

#include "SpmmKernel.h"

#include "dialect/magicube_gpu/MagicubeGPUDialect.h"
#include "magicube/Layout/StepLayout.h"

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
                    const SpmmKernelSpec &spec, const StepLayout &step)
      : b(builder), loc(loc), spec(spec), step(step) {}

  gpu::GPUFuncOp create(StringRef name);

private:
  FragmentType getFragmentType(MmaOperand operand) const;
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
  /// First stored position and end of the block's vector-row.
  std::pair<Value, Value> loadRange(Value row);
  SmallVector<Value> createStepLoop(Value column, Value start, Value end);
  SmallVector<Value> createStep(Value position, Value end, Value column,
                                ValueRange accumulators);
  void storeResults(ValueRange accumulators, Value row, Value column);

  OpBuilder &b;
  Location loc;
  const SpmmKernelSpec &spec;
  const StepLayout &step;
  gpu::GPUFuncOp kernel;
  Value rowsTile, valuesTile;
  /// First 16-byte chunk of the warp's part of the tile.
  Value warpChunk;

  int64_t getChunksPerWarp() const {
    return spec.schedule.getWarpColumns() / kChunkBytes;
  }
  /// Groups of chunks that the recipe handles together.
  int64_t getGroupsPerWarp() const {
    return getChunksPerWarp() / step.chunks();
  }
};

} // namespace

FragmentType SpmmKernelBuilder::getFragmentType(MmaOperand operand) const {
  // Operands are swapped: A is the dense side, B the sparse one.
  auto sign = [](bool isUnsigned) {
    return isUnsigned ? IntegerType::Unsigned : IntegerType::Signed;
  };
  Type element = b.getI32Type();
  if (operand == MmaOperand::A)
    element = IntegerType::get(b.getContext(), 8, sign(spec.unsignedRhs));
  if (operand == MmaOperand::B)
    element = IntegerType::get(b.getContext(), 8, sign(spec.unsignedLhs));
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
  kernel->setAttr(MagicubeGPUDialect::kLaunchAttrName,
                  spec.getLaunchAttr());
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
  Value tile = arith::AddIOp::create(
      b, loc, arith::MulIOp::create(b, loc, z, sizeY), y);
  return arith::MulIOp::create(b, loc, tile,
                               constant(spec.schedule.getTileN()));
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

SmallVector<Value> SpmmKernelBuilder::createStep(Value position, Value end,
                                                 Value column,
                                                 ValueRange accumulators) {
  StringAttr recipe = b.getStringAttr(step.recipe);
  int64_t rowBytes = spec.schedule.getTileN();
  SmallVector<Type> columnTypes(getChunksPerWarp(), b.getI32Type());
  auto columns = LoadIndicesOp::create(
      b, loc, columnTypes, parameter(SpmmParameter::Indices), position, end,
      /*predicate=*/Value(), spec.encoding, recipe,
      b.getI64IntegerAttr(rowBytes));
  GatherRowsOp::create(b, loc, parameter(SpmmParameter::Rhs),
                       columns.getColumns(),
                       parameter(SpmmParameter::RhsStride), column,
                       parameter(SpmmParameter::Columns), rowsTile,
                       /*slot=*/Value(), /*predicate=*/Value(),
                       b.getI64IntegerAttr(spec.alignment));
  CopyValuesOp::create(b, loc, parameter(SpmmParameter::Values), position, end,
                       valuesTile, /*slot=*/Value(), /*predicate=*/Value(),
                       spec.encoding);
  AwaitCopiesOp::create(b, loc);

  SmallVector<Type> lhsTypes(step.calls() * step.fragments(),
                             getFragmentType(MmaOperand::B));
  auto lhs = LoadValuesOp::create(b, loc, lhsTypes, valuesTile,
                                  /*slot=*/Value(), spec.encoding, recipe);
  auto rawType = RegistersType::get(b.getContext(), step.mma->aRegisters());
  SmallVector<Value> sums = llvm::to_vector(accumulators);
  for (int64_t group = 0; group < getGroupsPerWarp(); ++group) {
    Value chunk = arith::AddIOp::create(b, loc, warpChunk,
                                        constant(group * step.chunks()));
    auto groupSums = MutableArrayRef(sums).slice(group * step.fragments(),
                                                 step.fragments());
    for (int64_t call = 0; call < step.calls(); ++call) {
      Value raw = LoadRowsOp::create(b, loc, rawType, rowsTile, chunk,
                                     /*slot=*/Value(), recipe,
                                     b.getI64IntegerAttr(call));
      Value rhs = TransposeOp::create(b, loc, getFragmentType(MmaOperand::A),
                                      raw, recipe);
      ValueRange fragments = lhs.getFragments().slice(
          call * step.fragments(), step.fragments());
      for (auto [sum, fragment] : llvm::zip_equal(groupSums, fragments))
        sum = MmaOp::create(b, loc, rhs, fragment, sum);
    }
  }
  return sums;
}

SmallVector<Value> SpmmKernelBuilder::createStepLoop(Value column, Value start,
                                                     Value end) {
  Value length = arith::SubIOp::create(b, loc, end, start);
  Value steps = arith::CeilDivUIOp::create(b, loc, length,
                                           constant(kStepPositions));
  SmallVector<Value> zeros;
  for (int64_t i = 0; i < getGroupsPerWarp() * step.fragments(); ++i)
    zeros.push_back(
        ZeroOp::create(b, loc, getFragmentType(MmaOperand::C)));
  auto loop = scf::ForOp::create(
      b, loc, constant(0), steps, constant(1), zeros,
      [&](OpBuilder &, Location, Value iteration, ValueRange sums) {
        Value offset = arith::MulIOp::create(b, loc, iteration,
                                             constant(kStepPositions));
        Value position = arith::AddIOp::create(b, loc, start, offset);
        scf::YieldOp::create(b, loc, createStep(position, end, column, sums));
      });
  return llvm::to_vector_of<Value>(loop.getResults());
}

void SpmmKernelBuilder::storeResults(ValueRange accumulators, Value row,
                                     Value column) {
  const SpmmEpilogue &epilogue = spec.epilogue;
  Value firstRow =
      arith::MulIOp::create(b, loc, row, constant(spec.encoding.getVector()));
  ValueRange parameters =
      kernel.getArguments().drop_front(kNumSpmmParameters);
  ValueRange scales = parameters.take_front(epilogue.scaleAxes.size());
  Value bias = epilogue.biasAxis ? parameters.back() : Value();
  for (auto [i, sum] : llvm::enumerate(accumulators)) {
    int64_t group = i / step.fragments(), fragment = i % step.fragments();
    Value chunk = arith::AddIOp::create(b, loc, warpChunk,
                                        constant(group * step.chunks()));
    // Elements are bytes.
    Value first =
        arith::MulIOp::create(b, loc, chunk, constant(kChunkBytes));
    StoreResultOp::create(
        b, loc, sum, parameter(SpmmParameter::Result), firstRow,
        arith::AddIOp::create(b, loc, column, first),
        parameter(SpmmParameter::ResultStride),
        parameter(SpmmParameter::Columns), spec.encoding,
        b.getStringAttr(step.recipe),
        b.getI64IntegerAttr(fragment * step.mma->n),
        b.getI64IntegerAttr(spec.alignment),
        spec.accumulate ? b.getUnitAttr() : UnitAttr(), scales, bias,
        b.getDenseI64ArrayAttr(epilogue.scaleAxes),
        b.getI64IntegerAttr(epilogue.biasAxis.value_or(0)),
        epilogue.activation, TypeAttr::get(epilogue.resultType));
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
    rowsTile = AllocTileOp::create(
        b, loc,
        TileType::get(b.getContext(), kStepPositions,
                      spec.schedule.getTileN(), /*stages=*/1, {}));
    valuesTile = AllocTileOp::create(
        b, loc,
        TileType::get(b.getContext(), /*rows=*/1,
                      kStepPositions * spec.encoding.getVector(),
                      /*stages=*/1, {}));
    Value warp = arith::DivUIOp::create(
        b, loc, id(gpu::Dimension::x, /*isBlock=*/false),
        constant(kWarpSize));
    warpChunk = arith::MulIOp::create(b, loc, warp,
                                      constant(getChunksPerWarp()));
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
  // The product's verifier has checked the recipe and the vector length.
  Result<StepLayout> step = getStepLayout(spec.schedule.getRecipe(),
                                          spec.encoding.getVector());
  return SpmmKernelBuilder(builder, loc, spec, *step).create(name);
}
