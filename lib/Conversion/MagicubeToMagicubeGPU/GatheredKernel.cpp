//===- GatheredKernel.cpp - Kernels that gather dense rows ----------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A CTA multiplies one vector-row with a tile of columns: a loop over k-steps,
// each a gather of dense rows to shared memory and its products.
//
//===----------------------------------------------------------------------===//

#include "Placement/GatheredRows.h"
#include "Placement/SparseTile.h"
#include "SpmmKernelBody.h"

using namespace mlir;
using namespace mlir::magicube;
using namespace mlir::magicube_gpu;

void mlir::magicube::createGatheredBody(const SpmmKernelBody &body) {
  Arithmetic e = body.e;
  const SpmmKernelSpec &spec = body.spec;
  const SpmmStep &step = body.step;
  DenseTile dense = body.getDenseTile();
  // magicube-gpu-pipeline-loads makes rings of them.
  SharedMemoryPlan memory = spec.getSharedMemory();
  auto allocateTile = [&](SharedBufferRole role) {
    return allocate(e, memory.get(role), /*stages=*/1);
  };
  Value rowsTile = allocateTile(SharedBufferRole::DenseRows);
  Value valuesTile = allocateTile(SharedBufferRole::SparseValues);
  Value firstChunk = e.mul(e.warpId(), e.constant(step.chunks));
  RowReader reader = body.getReader(firstChunk);
  GatheredRows rows{
      dense,         reader,      body.get(SpmmParameter::Indices),
      spec.encoding, step.chunks, rowsTile};
  SparseTile values{body.get(SpmmParameter::Values), spec.encoding, reader.step,
                    spec.getValueBits(), valuesTile};
  SmallVector<Type> sparseTypes = step.getSparseTypes(body.getContext());

  Value row = e.ctaId(gpu::Dimension::x);
  auto [start, end] = body.getPointers().loadRange(e, row);
  Value steps = e.ceilDivide(e.sub(end, start), e.constant(kStepPositions));
  auto accumulators =
      e.emitFor(e.constant(0), steps, 1, step.createZeros(e),
                [&, start = start, end = end](Value i, ValueRange carried) {
                  Value position = e.add(start, e.mul(i, kStepPositions));
                  rows.cpAsync(e, position, end);
                  values.cpAsync(e, position, end);
                  AwaitCopiesOp::create(e.b, e.loc);
                  SmallVector<Value> sparse = values.ldsValues(e, sparseTypes);
                  return step.createProducts(
                      e, sparse, carried, [&](int64_t chunk, int64_t call) {
                        return rows.ldsRows(e, chunk, call);
                      });
                });
  body.store(step.createSums(e, accumulators), row, firstChunk);
}
