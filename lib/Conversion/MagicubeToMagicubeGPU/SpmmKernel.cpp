//===- SpmmKernel.cpp - The SpMM kernel -----------------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Its function, and what all placements of the dense rows share.
//
//===----------------------------------------------------------------------===//

#include "SpmmKernel.h"

#include "Result/Store.h"
#include "SpmmKernelBody.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::magicube;
using namespace mlir::magicube_gpu;

/// The kernel's function, without a body.
static gpu::GPUFuncOp createFunction(OpBuilder &b, Location loc,
                                     const SpmmKernelSpec &spec,
                                     const KernelOperands &operands,
                                     StringRef name) {
  auto pointer = LLVM::LLVMPointerType::get(b.getContext(), /*addressSpace=*/1);
  SmallVector<Type> types(kNumSpmmParameters, b.getI32Type());
  constexpr unsigned numPointers =
      static_cast<unsigned>(SpmmParameter::Result) + 1;
  std::fill_n(types.begin(), numPointers, pointer);
  llvm::append_range(types, getParameterTypes(b.getContext(), spec.epilogue));
  auto kernel =
      gpu::GPUFuncOp::create(b, loc, name, b.getFunctionType(types, {}));
  kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  kernel.setKnownBlockSizeAttr(b.getDenseI32ArrayAttr(
      {static_cast<int32_t>(spec.getBlockThreads()), 1, 1}));
  kernel->setAttr(MagicubeGPUDialect::kStagesAttrName,
                  b.getI64IntegerAttr(spec.schedule.getStages()));
  // ptxas may rather spill than give up another block of a multiprocessor,
  // unless one is said to be enough. Shared memory allows no more of a
  // stationary kernel anyway; of the others, those that spilled are told so:
  // bytewise copies of 4 and 16-bit rows, and narrow results of the most
  // accumulators.
  constexpr unsigned byteBits = 8;
  bool isBytewise = spec.alignment == 1 && spec.rhsBits != byteBits;
  bool packsMany = operands.step.fragments() > 1 &&
                   operands.sparse.planes.size() > 1 &&
                   elementBits(spec.epilogue.element) <= byteBits;
  if (spec.schedule.isStationary() || isBytewise || packsMany)
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
  return kernel;
}

/// First column of the CTA's tile.
static Value createColumn(Arithmetic e, int64_t tileColumns) {
  // blockIdx.y counts to 65535 (CUDA's limit), z takes the rest.
  Value y = e.ctaId(gpu::Dimension::y);
  Value z = e.ctaId(gpu::Dimension::z);
  Value tile = e.add(e.mul(z, e.numCtas(gpu::Dimension::y)), y);
  return e.mul(tile, tileColumns);
}

//===----------------------------------------------------------------------===//
// What placements share
//===----------------------------------------------------------------------===//

DenseTile SpmmKernelBody::getDenseTile() const {
  return {get(SpmmParameter::Rhs),
          get(SpmmParameter::RhsStride),
          DenseTile::toBytes(e, get(SpmmParameter::Columns), spec.rhsBits),
          column,
          spec.rhsBits,
          spec.getTileBytes(),
          spec.alignment};
}

RowReader SpmmKernelBody::getReader(Value firstChunk) const {
  const StepLayout &layout = step.getLayout();
  return {StepAttr::get(getContext(), layout), layout.rawRegisters(),
          firstChunk};
}

SparseRegisters SpmmKernelBody::getSparseRegisters() const {
  const StepLayout &layout = step.getLayout();
  return {get(SpmmParameter::Indices),
          get(SpmmParameter::Values),
          spec.encoding,
          StepAttr::get(getContext(), layout),
          layout.calls(),
          step.operands.sparse.words * layout.fragments()};
}

void SpmmKernelBody::store(ArrayRef<Value> sums, Value row,
                           Value firstChunk) const {
  Arithmetic e = this->e;
  const DenseOperand &dense = step.operands.dense;
  ResultStore store{
      step.getLayout(),
      dense,
      spec.encoding,
      spec.epilogue,
      kernel->getRegion(0).getArguments().drop_front(kNumSpmmParameters),
      get(SpmmParameter::Result),
      get(SpmmParameter::ResultStride),
      get(SpmmParameter::Columns),
      spec.alignment,
      /*isStreaming=*/spec.schedule.isStationary(),
      spec.accumulate};
  Value firstRow = e.mul(row, spec.encoding.getVector());
  // A chunk's columns; a group has the same of every of its chunks.
  int64_t chunkColumns = dense.columns() / dense.chunks;
  int64_t fragments = step.getLayout().fragments(), sets = dense.columnSets();
  for (int64_t i = 0; i < step.numGroups() * fragments; ++i) {
    int64_t group = i / fragments, fragment = i % fragments;
    Value chunk = e.add(firstChunk, group * dense.chunks);
    store.create(e.b, e.loc, sums.slice(i * sets, sets), fragment, firstRow,
                 e.add(column, e.mul(chunk, chunkColumns)));
  }
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

static void createBody(const SpmmKernelBody &body) {
  TypeSwitch<Attribute>(body.spec.schedule.getPlacement())
      .Case([&](GatheredAttr) { createGatheredBody(body); })
      .Case([&](StationaryAttr) { createStationaryBody(body); })
      .Case([&](StationaryKTilesAttr) { createKTiledBody(body); });
}

gpu::GPUFuncOp mlir::magicube::createSpmmKernel(OpBuilder &builder,
                                                Location loc,
                                                const SpmmKernelSpec &spec,
                                                StringRef name) {
  SpmmStep step = SpmmStep::get(spec);
  gpu::GPUFuncOp kernel =
      createFunction(builder, loc, spec, step.operands, name);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&kernel.getBody().front());
  Arithmetic e(builder, loc);
  Value column = createColumn(e, spec.schedule.getTileN());
  SpmmKernelBody body{e, spec, kernel, std::move(step), column};
  e.emitIf(e.isBelow(column, body.get(SpmmParameter::Columns)),
           [&] { createBody(body); });
  gpu::ReturnOp::create(builder, loc);
  return kernel;
}
