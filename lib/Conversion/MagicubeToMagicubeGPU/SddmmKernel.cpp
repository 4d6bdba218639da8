//===- SddmmKernel.cpp - The kernel of a sampled product ------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A warp goes through its part of a vector-row, 32 stored positions a step, and
// shares nothing with others.
//
//===----------------------------------------------------------------------===//

#include "SddmmKernel.h"

#include "MainLoop/SddmmChunks.h"
#include "Placement/SampledRows.h"
#include "Result/Store.h"
#include "SpmmKernelSpec.h"
#include "WorkPartition/RowParts.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::magicube;
using namespace mlir::magicube_gpu;

/// The kernel's function, without a body.
static gpu::GPUFuncOp createFunction(OpBuilder &b, Location loc,
                                     const SddmmKernelSpec &spec,
                                     StringRef name) {
  auto pointer = LLVM::LLVMPointerType::get(b.getContext(), /*addressSpace=*/1);
  SmallVector<Type> types(kNumSddmmParameters, b.getI32Type());
  constexpr unsigned result = static_cast<unsigned>(SddmmParameter::Result);
  std::fill_n(types.begin(), result + 1, pointer);
  llvm::append_range(types, getParameterTypes(b.getContext(), spec.epilogue));
  auto kernel =
      gpu::GPUFuncOp::create(b, loc, name, b.getFunctionType(types, {}));
  kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  kernel.setKnownBlockSizeAttr(b.getDenseI32ArrayAttr(
      {static_cast<int32_t>(spec.getBlockThreads()), 1, 1}));
  // ptxas may rather spill than give up another CTA of a multiprocessor, unless
  // so many are said to be enough; loads of less than 16 bytes take more
  // registers.
  constexpr int64_t ctasOfNarrow = 2;
  int64_t ctas = spec.tiling.ctasPerMultiprocessor;
  if (spec.alignment != kLaneChunkBytes)
    ctas = std::min(ctas, ctasOfNarrow);
  kernel->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                  b.getI32IntegerAttr(static_cast<int32_t>(ctas)));
  for (unsigned i = 0; i < types.size(); ++i) {
    if (types[i] != pointer)
      continue;
    // No other pointer of the kernel reaches the memory, and only the result is
    // written: lets loads take the read-only path.
    kernel.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(),
                      b.getUnitAttr());
    if (i != result)
      kernel.setArgAttr(i, LLVM::LLVMDialect::getReadonlyAttrName(),
                        b.getUnitAttr());
  }
  return kernel;
}

namespace {

/// Emits the kernel's body.
class BodyEmitter {
public:
  BodyEmitter(Arithmetic e, const SddmmKernelSpec &spec, gpu::GPUFuncOp kernel)
      : e(e), spec(spec), kernel(kernel),
        inner(ShapedType::isDynamic(spec.inner) ? get(SddmmParameter::Inner)
                                                : e.constant(spec.inner)),
        chunks(spec, inner) {}

  void emit();

private:
  Value get(SddmmParameter parameter) const {
    return kernel->getRegion(0).getArgument(static_cast<unsigned>(parameter));
  }
  void emitRow(Value row);
  void emitSteps(Value row, const RowParts::Range &range, ValueRange lhsRows,
                 const SddmmChunks::Resident &kept);
  void store(ArrayRef<Value> sums, ValueRange columns, Value row,
             Value position, Value end);

  Arithmetic e;
  const SddmmKernelSpec &spec;
  gpu::GPUFuncOp kernel;
  Value inner;
  SddmmChunks chunks;
};

} // namespace

void BodyEmitter::emit() {
  Value row =
      e.add(e.mul(e.ctaId(gpu::Dimension::x), spec.tiling.warps), e.warpId());
  e.emitIf(e.isBelow(row, get(SddmmParameter::VectorRows)),
           [&] { emitRow(row); });
}

void BodyEmitter::emitRow(Value row) {
  // The lhs, before what is needed to know whether there is work.
  SmallVector<Value> lhsRows = chunks.getLhsRows(
      e, get(SddmmParameter::Lhs), get(SddmmParameter::LhsStride), row);
  SddmmChunks::Resident kept = chunks.loadResident(e, lhsRows);
  RowParts parts{{get(SddmmParameter::Pointers), spec.segments,
                  spec.encoding.getStride()}};
  RowParts::Range range = parts.load(e, row, e.ctaId(gpu::Dimension::y),
                                     e.numCtas(gpu::Dimension::y));
  e.emitIf(e.isBelow(range.first, range.limit),
           [&] { emitSteps(row, range, lhsRows, kept); });
}

void BodyEmitter::emitSteps(Value row, const RowParts::Range &range,
                            ValueRange lhsRows,
                            const SddmmChunks::Resident &kept) {
  ChunkLayout layout = *getChunkLayout(spec.widths);
  SampledRows sampled{
      get(SddmmParameter::Indices), spec.encoding,
      e.offset(get(SddmmParameter::Rhs), chunks.getLaneBytes(e, layout.rhs)),
      get(SddmmParameter::RhsStride)};
  SmallVector<Value> first = sampled.loadColumns(e, range.first, range.end);
  e.emitFor(
      range.first, range.limit, kStepPositions, first,
      [&](Value position, ValueRange columns) {
        // Column indices of the next step.
        SmallVector<Value> next =
            sampled.loadColumns(e, e.add(position, kStepPositions), range.end);
        SmallVector<Value> sums =
            chunks.createSums(e, lhsRows, kept, sampled.getRows(e, columns));
        store(sums, columns, row, position, range.end);
        return next;
      },
      /*isUnsigned=*/true);
}

void BodyEmitter::store(ArrayRef<Value> sums, ValueRange columns, Value row,
                        Value position, Value end) {
  Value firstRow = e.mul(row, spec.encoding.getVector());
  ValueRange operands = kernel.getArguments().drop_front(kNumSddmmParameters);
  ChunkLayout layout = *getChunkLayout(spec.widths);
  for (int64_t fragment = 0; fragment < chunks.fragments(); ++fragment) {
    auto op = StoreVectorsOp::create(
        e.b, e.loc, sums.slice(fragment * kPositionTiles, kPositionTiles),
        columns, get(SddmmParameter::Result), firstRow, position, end,
        spec.encoding, e.b.getI64IntegerAttr(fragment * layout.mma->n),
        TypeAttr::get(getElementType(e.b.getContext(), spec.epilogue.element)));
    if (!isPlain(spec.epilogue))
      createStoreBody(e.b, e.loc, op.getBody(), spec.epilogue, operands);
  }
}

gpu::GPUFuncOp mlir::magicube::createSddmmKernel(OpBuilder &builder,
                                                 Location loc,
                                                 const SddmmKernelSpec &spec,
                                                 StringRef name) {
  gpu::GPUFuncOp kernel = createFunction(builder, loc, spec, name);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&kernel.getBody().front());
  BodyEmitter({builder, loc}, spec, kernel).emit();
  gpu::ReturnOp::create(builder, loc);
  return kernel;
}
