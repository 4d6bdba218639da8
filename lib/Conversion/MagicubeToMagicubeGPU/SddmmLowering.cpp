//===- SddmmLowering.cpp - A sampled product to kernels and launches ------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What there are kernels for; one per alignment that the types do not rule out.
//
//===----------------------------------------------------------------------===//

#include "BufferChecks.h"
#include "EmitLaunchPlan.h"
#include "OpLowering.h"
#include "SddmmKernel.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::magicube;

/// Row alignments that kernels are built for, best first: loads of 16 and of 4
/// bytes, and of bytes.
static constexpr int64_t kAlignments[] = {16, 4, 1};

static LogicalResult verifyBuffers(SddmmOp op) {
  SmallVector<Value> components = llvm::to_vector(op.getPattern());
  components.push_back(op.getInit());
  if (failed(verifyGlobalMemory(op)) || failed(verifyPacked(op, components)) ||
      failed(verifyEpilogue(op)))
    return failure();
  return verifyContiguousRows(op, {op.getLhs(), op.getRhs()});
}

LogicalResult mlir::magicube::verifySddmm(Operation *operation) {
  auto op = cast<SddmmOp>(operation);
  if (failed(verifyKernelForm(op)))
    return failure();
  auto refuse = [&](const Twine &what, const Twine &fix) -> LogicalResult {
    return (op.emitOpError("has no kernel yet for ") << what).attachNote()
           << fix;
  };
  RankedTensorType pattern = op.getPatternType();
  if (pattern.getRank() != 2)
    return refuse("a batched product",
                  "loop over the batch and multiply matrices");
  if (op.getEncoding().getSlab() != 0 && pattern.isDynamicDim(1))
    return (op.emitOpError("expected a static number of columns of a pattern "
                           "with slabs, but got ")
            << pattern)
               .attachNote()
           << "compile for a static N, or encode the pattern without 'slab'";
  return verifyBuffers(op);
}

/// Row alignments that the product's types do not rule out. The last is 1,
/// unless a better one is certain.
static SmallVector<int64_t> getPossibleAlignments(SddmmOp op) {
  auto isMultiple = [](int64_t extent, int64_t bytes, int64_t alignment) {
    return ShapedType::isDynamic(extent) || extent * bytes % alignment == 0;
  };
  SmallVector<int64_t> possible;
  for (int64_t alignment : kAlignments)
    if (llvm::all_of(
            ArrayRef<Value>{op.getLhs(), op.getRhs()}, [&](Value operand) {
              auto type = cast<MemRefType>(operand.getType());
              auto [strides, offset] = type.getStridesAndOffset();
              int64_t bytes = type.getElementTypeBitWidth() / 8;
              return isMultiple(type.getShape().back(), bytes, alignment) &&
                     isMultiple(strides.front(), bytes, alignment);
            }))
      possible.push_back(alignment);
  return possible;
}

static PlanSymbols getSymbols(OpBuilder &b, SddmmOp op) {
  PlanSymbols symbols;
  symbols.add("lhs", op.getLhs());
  symbols.add("rhs", op.getRhs());
  // The bytes of packed rows do not tell.
  if (Value inner = op.getInner()) {
    symbols.add("lhs.dim1", inner);
    symbols.add("rhs.dim1", inner);
  }
  Value indices = op.getPattern()[1];
  symbols.add("pattern.pointers", op.getPattern()[0]);
  symbols.add("pattern.indices", indices);
  symbols.add("pattern.stored",
              memref::DimOp::create(b, op.getLoc(), indices, 0));
  symbols.add("result.values", op.getInit());
  Epilogue<Value> epilogue = op.getEpilogue();
  for (auto [name, operand] :
       llvm::zip_equal(getOperandNames(epilogue), epilogue.operands))
    symbols.add(name, operand.ref);
  return symbols;
}

void mlir::magicube::lowerSddmm(RewriterBase &rewriter, Operation *operation,
                                KernelCache &cache) {
  auto op = cast<SddmmOp>(operation);
  SmallVector<int64_t> alignments = getPossibleAlignments(op);
  if (alignments.front() != kAlignments[0])
    op.emitRemark("loads the rows of its operands with an access size of ")
        << alignments.front() << " instead of " << kAlignments[0]
        << " bytes: length or distance of the rows of " << op.getLhs().getType()
        << " or " << op.getRhs().getType() << " is no multiple of that";
  SmallVector<SddmmKernel> kernels;
  SmallVector<gpu::GPUFuncOp> functions;
  for (int64_t alignment : alignments) {
    SddmmKernelSpec spec = SddmmKernelSpec::get(op, alignment);
    functions.push_back(cache.getOrCreate(spec.getKey(), [&](OpBuilder &b) {
      return createSddmmKernel(b, op.getLoc(), spec, spec.getName());
    }));
    kernels.push_back({spec, functions.back()});
  }
  LaunchPlan plan = getSddmmPlan(kernels);
  rewriter.setInsertionPoint(op);
  PlanSymbols symbols = getSymbols(rewriter, op);
  emitLaunchPlan(rewriter, op.getLoc(), plan, std::move(symbols), functions);
  rewriter.eraseOp(op);
  cache.addPlan(plan);
}
