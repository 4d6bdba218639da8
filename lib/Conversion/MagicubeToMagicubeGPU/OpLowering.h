//===- OpLowering.h - Operations to kernels and launches
//-------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of operations that have kernels, and the kernels of a module.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_CONVERSION_MAGICUBETOMAGICUBEGPU_OPLOWERING_H
#define MAGICUBE_LIB_CONVERSION_MAGICUBETOMAGICUBEGPU_OPLOWERING_H

#include "dialect/magicube/ComputeOpTable.h"
#include "magicube/Runtime/LaunchPlan.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::magicube {

/// The kernels of a module, made on demand.
class KernelCache {
public:
  explicit KernelCache(ModuleOp module) : module(module) {}

  /// The kernel of a key that says all that its code depends on. `create` makes
  /// it at the end of the kernels' module; if its symbol is taken, it gets a
  /// number.
  gpu::GPUFuncOp getOrCreate(Attribute key,
                             function_ref<gpu::GPUFuncOp(OpBuilder &)> create);

  size_t size() const { return kernels.size(); }

  /// Writes down how the kernels of the next operation are launched.
  void addPlan(const LaunchPlan &plan);

private:
  gpu::GPUModuleOp getKernelModule();

  ModuleOp module;
  gpu::GPUModuleOp kernelModule;
  DenseMap<Attribute, gpu::GPUFuncOp> kernels;
  SmallVector<Attribute> plans;
};

/// How a SparseComputeOpInterface becomes kernels and launches.
struct OpLowering {
  StringLiteral operation;
  /// Reports what no kernel exists for.
  LogicalResult (*verify)(Operation *op);
  /// Replaces the operation by launches of kernels of the cache, which gets
  /// their plan.
  void (*lower)(RewriterBase &rewriter, Operation *op, KernelCache &kernels);
};

// Each operation's functions, in a file of its own.
LogicalResult verifySddmm(Operation *op);
void lowerSddmm(RewriterBase &rewriter, Operation *op, KernelCache &kernels);
LogicalResult verifySpmm(Operation *op);
void lowerSpmm(RewriterBase &rewriter, Operation *op, KernelCache &kernels);
LogicalResult verifySoftmax(Operation *op);
void lowerSoftmax(RewriterBase &rewriter, Operation *op, KernelCache &kernels);

} // namespace mlir::magicube

#endif // MAGICUBE_LIB_CONVERSION_MAGICUBETOMAGICUBEGPU_OPLOWERING_H
