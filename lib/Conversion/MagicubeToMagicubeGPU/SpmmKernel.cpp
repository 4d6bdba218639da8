//===- SpmmKernel.cpp - The SpMM kernel -----------------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What both strategies share: steps of 32 stored positions, each a few MMAs on
// swapped operands, and the result.
//
//===----------------------------------------------------------------------===//

#include "SpmmKernel.h"

#include "FloatSums.h"
#include "SpmmKernelBuilder.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::magicube;
using namespace mlir::magicube_gpu;

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
  llvm::append_range(types, getParameterTypes(b.getContext(), spec.epilogue));
  kernel = gpu::GPUFuncOp::create(b, loc, name, b.getFunctionType(types, {}));
  kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  kernel.setKnownBlockSizeAttr(b.getDenseI32ArrayAttr(
      {static_cast<int32_t>(spec.getBlockThreads()), 1, 1}));
  kernel->setAttr(MagicubeGPUDialect::kStagesAttrName,
                  b.getI64IntegerAttr(spec.schedule.getStages()));
  kernel->setAttr(MagicubeGPUDialect::kLaunchAttrName, spec.getLaunchAttr());
  // ptxas may rather spill than give up another block of a multiprocessor,
  // unless one is said to be enough. Shared memory allows no more of a resident
  // kernel anyway; of the others, those that spilled are told so: bytewise
  // copies of 4 and 16-bit rows, and narrow results of the most accumulators.
  constexpr unsigned byteBits = 8;
  bool isBytewise = spec.alignment == 1 && spec.rhsBits != byteBits;
  bool packsMany = step.fragments() > 1 && operands.sparse.planes.size() > 1 &&
                   elementBits(spec.epilogue.element) <= byteBits;
  if (spec.schedule.isResident() || isBytewise || packsMany)
    kernel->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                    b.getI32IntegerAttr(1));
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
  if (!warpChunk)
    return constant(offset);
  return arith::AddIOp::create(b, loc, warpChunk, constant(offset));
}

void SpmmKernelBuilder::createProducts(int64_t group, int64_t call,
                                       ValueRange lhs,
                                       MutableArrayRef<Value> sums) {
  StringAttr recipe = b.getStringAttr(step.recipe);
  SmallVector<Value> raw;
  for (int64_t chunk = 0; chunk < operands.chunksPerTranspose(); ++chunk)
    raw.push_back(createLoadRows(group * operands.dense.chunks + chunk, call));
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
        Value lhsFragment = lhs[(call * planes + p) * step.fragments() + i];
        Value &sum = sums[operands.sumIndex(group, *columnSet,
                                            dense.shift + sparse.shift, i)];
        sum = MmaOp::create(b, loc, rhsFragment, lhsFragment, sum);
      }
    }
}

void SpmmKernelBuilder::createCorrections(ValueRange lhs,
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
  for (auto [i, fragment] : llvm::enumerate(lhs)) {
    Value &sum = corrections[i % corrections.size()];
    sum = MmaOp::create(b, loc, bias, fragment, sum);
  }
}

SmallVector<Type> SpmmKernelBuilder::getValueTypes() const {
  SmallVector<Type> types;
  for (int64_t call = 0; call < step.calls(); ++call)
    for (const OperandPlane &plane : operands.sparse.planes)
      types.append(step.fragments(), getPlaneType(plane, MmaOperand::B));
  return types;
}

SmallVector<Value> SpmmKernelBuilder::createZeros() {
  SmallVector<Value> zeros;
  int64_t count =
      operands.numSums(getGroupsPerWarp()) + operands.numCorrections();
  for (int64_t i = 0; i < count; ++i)
    zeros.push_back(ZeroOp::create(b, loc, getAccumulatorType()));
  return zeros;
}

SmallVector<Value>
SpmmKernelBuilder::createStepProducts(ValueRange lhs, ValueRange accumulators) {
  SmallVector<Value> sums = llvm::to_vector(accumulators);
  for (int64_t group = 0; group < getGroupsPerWarp(); ++group)
    for (int64_t call = 0; call < step.calls(); ++call)
      createProducts(group, call, lhs, sums);
  createCorrections(lhs, sums);
  return sums;
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
  if (spec.epilogue.hasFloatSums)
    return combineInFloat(b, loc, terms, shifts, negate);
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

SmallVector<Value> SpmmKernelBuilder::createSums(ValueRange accumulators) {
  SmallVector<Value> sums;
  for (int64_t group = 0; group < getGroupsPerWarp(); ++group)
    for (int64_t fragment = 0; fragment < step.fragments(); ++fragment)
      for (int32_t set = 0; set < operands.dense.columnSets(); ++set)
        sums.push_back(createCombined(accumulators, group, set, fragment));
  return sums;
}

void SpmmKernelBuilder::storeSums(ArrayRef<Value> sums, Value row,
                                  Value column) {
  const Epilogue<BroadcastAxis> &epilogue = spec.epilogue;
  Value firstRow =
      arith::MulIOp::create(b, loc, row, constant(spec.encoding.getVector()));
  auto number = [](BroadcastAxis axis) { return int64_t(axis) - 1; };
  Value sumBias, bias;
  SmallVector<Value> scales;
  SmallVector<int64_t> scaleAxes;
  int64_t sumBiasAxis = 0, biasAxis = 0;
  for (auto [operand, parameter] :
       llvm::zip_equal(epilogue.operands,
                       kernel.getArguments().drop_front(kNumSpmmParameters))) {
    switch (operand.role) {
    case EpilogueRole::SumBias:
      sumBias = parameter;
      sumBiasAxis = number(operand.ref);
      break;
    case EpilogueRole::Scale:
      scales.push_back(parameter);
      scaleAxes.push_back(number(operand.ref));
      break;
    case EpilogueRole::Bias:
      bias = parameter;
      biasAxis = number(operand.ref);
      break;
    }
  }
  const auto *integer = std::get_if<ElementType>(&epilogue.element);
  bool isUnsigned = integer && !integer->isSigned;
  // A chunk's columns; a group has the same of every of its chunks.
  int64_t chunkColumns = operands.dense.columns() / operands.dense.chunks;
  for (int64_t i = 0; i < getGroupsPerWarp() * step.fragments(); ++i) {
    int64_t group = i / step.fragments(), fragment = i % step.fragments();
    int64_t sets = operands.dense.columnSets();
    Value first = arith::MulIOp::create(
        b, loc, createChunk(group * operands.dense.chunks),
        constant(chunkColumns));
    StoreResultOp::create(
        b, loc, sums.slice(i * sets, sets), parameter(SpmmParameter::Result),
        firstRow, arith::AddIOp::create(b, loc, column, first),
        parameter(SpmmParameter::ResultStride),
        parameter(SpmmParameter::Columns), spec.encoding,
        b.getStringAttr(step.recipe),
        b.getI64IntegerAttr(fragment * step.mma->n),
        b.getI64IntegerAttr(spec.alignment),
        spec.accumulate ? b.getUnitAttr() : UnitAttr(), sumBias, scales, bias,
        b.getI64IntegerAttr(sumBiasAxis), b.getDenseI64ArrayAttr(scaleAxes),
        b.getI64IntegerAttr(biasAxis),
        epilogue.activation
            ? ActivationAttr::get(b.getContext(), *epilogue.activation)
            : ActivationAttr(),
        TypeAttr::get(getElementType(b.getContext(), epilogue.element)),
        isUnsigned ? b.getUnitAttr() : UnitAttr(),
        spec.schedule.isResident() ? b.getUnitAttr() : UnitAttr(),
        b.getI64IntegerAttr(spec.rhsBits));
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
    rowLimit = createBytes(parameter(SpmmParameter::Columns));
    createBody(column);
    scf::YieldOp::create(b, loc);
  });
  gpu::ReturnOp::create(b, loc);
  return kernel;
}

gpu::GPUFuncOp mlir::magicube::createSpmmKernel(OpBuilder &builder,
                                                Location loc,
                                                const SpmmKernelSpec &spec,
                                                StringRef name) {
  auto create = spec.schedule.getRows() != 0 ? createSlabKernelBuilder
                : spec.schedule.isResident() ? createResidentKernelBuilder
                                             : createStreamedKernelBuilder;
  return create(builder, loc, spec)->create(name);
}
