//===- SpmmLaunch.cpp - Launching the SpMM kernel -------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What products there are kernels for, and their operands by name.
//
//===----------------------------------------------------------------------===//

#include "SpmmLaunch.h"

#include "BufferChecks.h"
#include "EmitLaunchPlan.h"
#include "SpmmPlan.h"

#include "magicube/Layout/WorkTables.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::magicube;

/// Row alignments that kernels are built for, best first: cp.async copies 16 or
/// 4 bytes (PTX ISA "cp.async"; 8 would add little), the rest goes bytewise.
static constexpr int64_t kAlignments[] = {16, 4, 1};

//===----------------------------------------------------------------------===//
// What there is a kernel for
//===----------------------------------------------------------------------===//

/// What the kernels ask of the memrefs.
static LogicalResult verifyBuffers(SpmmOp op) {
  if (failed(verifyGlobalMemory(op)) ||
      failed(verifyPacked(op, op.getLhs())) || failed(verifyEpilogue(op)) ||
      failed(verifyContiguousRows(op, {op.getRhs(), op.getInit()})))
    return failure();
  int64_t columns = op.getNumColumns();
  if (!ShapedType::isDynamic(columns) && columns > kMaxExtent)
    return op.emitOpError("expected at most ")
           << kMaxExtent << " columns, but got " << columns;
  return success();
}

/// Shared memory of a block of the module's chip, or of the chip with most.
static std::pair<int64_t, std::string> getSharedMemoryLimit(Operation *op) {
  auto chip = op->getParentOfType<ModuleOp>()->getAttrOfType<StringAttr>(
      MagicubeDialect::kChipAttrName);
  int64_t most = 0;
  for (const GpuTarget &target : gpuTargets()) {
    if (chip && chip.getValue() == StringRef(target.name))
      return {target.maxSharedMemoryPerBlock, "on " + chip.str()};
    most = std::max<int64_t>(most, target.maxSharedMemoryPerBlock);
  }
  return {most, "on any chip"};
}

/// What a stationary dense operand takes besides.
static LogicalResult verifyStationary(SpmmOp op) {
  int64_t stride = op.getEncoding().getStride();
  if (stride % kStepPositions != 0)
    return (op.emitOpError("expected a stride that is a multiple of ")
            << kStepPositions << " for a stationary dense operand, but got "
            << stride)
               .attachNote()
           << "encode the operand with stride = " << kStepPositions
           << ", or take a gathered schedule";
  auto rhs = cast<ShapedType>(op.getRhs().getType());
  int64_t inner = rhs.getDimSize(0);
  if (ShapedType::isDynamic(inner))
    return (op.emitOpError("expected a static number of rows of the dense "
                           "operand for a stationary dense operand, but got ")
            << rhs)
               .attachNote()
           << "compile for a static K, or take a gathered schedule";
  // Sums of parts of a vector-row are added as integers.
  if (op.getAccumulate())
    return op.emitOpError("expected integer sums for a stationary dense "
                          "operand, but got "
                          "'accumulate = f32'")
               .attachNote()
           << "leave 'accumulate' out, or take a gathered schedule";
  SharedMemoryPlan memory =
      SpmmKernelSpec::get(op, /*alignment=*/1).getSharedMemory();
  auto [limit, chip] = getSharedMemoryLimit(op);
  if (memory.bytes() <= limit)
    return success();
  bool hasKTiles = isa<StationaryKTilesAttr>(op.getSchedule()->getPlacement());
  return (op.emitOpError("expected a block of a stationary schedule to take at "
                         "most ")
          << limit << " bytes of shared memory " << chip << ", but it takes "
          << memory.bytes() << " (" << memory.describe() << ")")
             .attachNote()
         << (hasKTiles
                 ? "take a smaller tile_n, slab or rows_per_cta, or fewer "
                   "smem_stages or warps, or a gathered schedule"
                 : "take a smaller tile_n or fewer warps, or encode the "
                   "sparse operand with a slab, or take a gathered "
                   "schedule");
}

/// What slabs take.
static LogicalResult verifySlabs(SpmmOp op) {
  int64_t slab = op.getEncoding().getSlab();
  if (slab == 0)
    return success();
  auto rhs = cast<ShapedType>(op.getRhs().getType());
  if (rhs.isDynamicDim(0))
    return (op.emitOpError("expected a static number of rows of the dense "
                           "operand for storage with slabs, but got ")
            << rhs)
               .attachNote()
           << "compile for a static K, or encode the operand without 'slab'";
  int64_t inner = rhs.getDimSize(0);
  if (op.getSchedule()->isStationary() && !fitsSegmentCuts(inner, slab))
    return (op.emitOpError("expected slab x K to be below 2^42 for a "
                           "stationary dense operand, but got ")
            << slab << " x " << inner)
               .attachNote()
           << "take a smaller slab, or a gathered schedule";
  return success();
}

LogicalResult mlir::magicube::verifySpmmLowering(SpmmOp op) {
  if (failed(verifyKernelForm(op)))
    return failure();
  if (!op.getSchedule())
    return op.emitOpError("has no schedule").attachNote()
           << "run magicube-select-schedule first";
  auto refuse = [&](const Twine &what, const Twine &fix) -> LogicalResult {
    return (op.emitOpError("has no kernel yet for ") << what).attachNote()
           << fix;
  };
  if (failed(verifySlabs(op)) ||
      (op.getSchedule()->isStationary() && failed(verifyStationary(op))))
    return failure();
  if (op.getOutputType().getRank() != 2)
    return refuse("a batched product",
                  "loop over the batch and multiply matrices");
  return verifyBuffers(op);
}

//===----------------------------------------------------------------------===//
// Alignment
//===----------------------------------------------------------------------===//

SmallVector<int64_t> mlir::magicube::getPossibleAlignments(SpmmOp op) {
  auto type = cast<MemRefType>(op.getRhs().getType());
  auto [strides, offset] = type.getStridesAndOffset();
  int64_t bytes = type.getElementTypeBitWidth() / 8;
  int64_t rhsBits = op.getRhsElementType().getIntOrFloatBitWidth();
  int64_t columns = op.getNumColumns();
  auto isMultiple = [](int64_t extent, int64_t scale, int64_t factor) {
    return ShapedType::isDynamic(extent) || extent * scale % factor == 0;
  };
  SmallVector<int64_t> possible;
  for (int64_t alignment : kAlignments)
    if (isMultiple(type.getShape().back(), bytes, alignment) &&
        isMultiple(strides.front(), bytes, alignment) &&
        isMultiple(columns, 1, SpmmAlignment::getColumns(alignment, rhsBits)))
      possible.push_back(alignment);
  return possible;
}

//===----------------------------------------------------------------------===//
// Launch
//===----------------------------------------------------------------------===//

LaunchPlan mlir::magicube::lowerSpmmToLaunch(RewriterBase &rewriter, SpmmOp op,
                                             ArrayRef<SpmmKernel> kernels) {
  LaunchPlan plan = getSpmmPlan(kernels);
  PlanSymbols symbols;
  constexpr StringLiteral components[] = {"lhs.pointers", "lhs.indices",
                                          "lhs.values"};
  for (auto [name, component] : llvm::zip_equal(components, op.getLhs()))
    symbols.add(name, component);
  symbols.add("rhs", op.getRhs());
  symbols.add("result", op.getInit());
  // The bytes of a packed result do not tell.
  if (Value columns = op.getColumns())
    symbols.add("result.dim1", columns);
  Epilogue<Value> epilogue = op.getEpilogue();
  for (auto [name, operand] :
       llvm::zip_equal(getOperandNames(epilogue), epilogue.operands))
    symbols.add(name, operand.ref);
  SmallVector<gpu::GPUFuncOp> functions;
  for (const SpmmKernel &kernel : kernels)
    functions.push_back(kernel.function);
  rewriter.setInsertionPoint(op);
  emitLaunchPlan(rewriter, op.getLoc(), plan, std::move(symbols), functions);
  rewriter.eraseOp(op);
  return plan;
}
