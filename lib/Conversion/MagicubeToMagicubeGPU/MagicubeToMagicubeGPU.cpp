//===- MagicubeToMagicubeGPU.cpp - convert-magicube-to-magicube-gpu -------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shares kernels among products and replaces products by launches.
//
//===----------------------------------------------------------------------===//

#include "SpmmLaunch.h"

#include "dialect/magicube_gpu/MagicubeGPUDialect.h"
#include "magicube/Conversion/Passes.h"
#include "magicube/GPU/Utils/JsonAttr.h"
#include "magicube/Runtime/PlanJson.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::magicube {
#define GEN_PASS_DEF_CONVERTMAGICUBETOMAGICUBEGPUPASS
#include "magicube/Conversion/Passes.h.inc"
} // namespace mlir::magicube

using namespace mlir;
using namespace mlir::magicube;
using magicube_gpu::MagicubeGPUDialect;

static constexpr StringLiteral kKernelModuleName = "magicube_kernels";

namespace {

/// The kernels of a module, made on demand.
class KernelCache {
public:
  explicit KernelCache(ModuleOp module) : module(module) {}

  gpu::GPUFuncOp getOrCreate(Location loc, const SpmmKernelSpec &spec) {
    gpu::GPUFuncOp &kernel = kernels[spec.getKey()];
    if (kernel)
      return kernel;
    OpBuilder builder(getKernelModule().getBody(),
                      getKernelModule().getBody()->end());
    kernel = createSpmmKernel(builder, loc, spec, spec.getName());
    // Kernels that differ in what the name does not say get a number.
    builder.clearInsertionPoint();
    kernel->remove();
    SymbolTable(getKernelModule()).insert(kernel);
    return kernel;
  }

  size_t size() const { return kernels.size(); }

  /// Writes down how kernels are launched; equal plans once.
  void addPlan(const LaunchPlan &plan) {
    plans.insert(toAttribute(module.getContext(), planToJson(plan)));
    getKernelModule()->setAttr(
        MagicubeGPUDialect::kLaunchPlansAttrName,
        ArrayAttr::get(module.getContext(), plans.getArrayRef()));
  }

private:
  gpu::GPUModuleOp getKernelModule() {
    if (kernelModule)
      return kernelModule;
    OpBuilder builder(module.getBodyRegion());
    kernelModule =
        gpu::GPUModuleOp::create(builder, module.getLoc(), kKernelModuleName);
    kernelModule->remove();
    SymbolTable(module).insert(kernelModule, module.getBody()->begin());
    module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                    builder.getUnitAttr());
    return kernelModule;
  }

  ModuleOp module;
  gpu::GPUModuleOp kernelModule;
  DenseMap<Attribute, gpu::GPUFuncOp> kernels;
  SetVector<Attribute> plans;
};

struct ConvertMagicubeToMagicubeGPUPass
    : magicube::impl::ConvertMagicubeToMagicubeGPUPassBase<
          ConvertMagicubeToMagicubeGPUPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(verifyModule(module)))
      return signalPassFailure();
    SmallVector<SpmmOp> products;
    module.walk([&](SpmmOp op) { products.push_back(op); });
    KernelCache cache(module);
    IRRewriter rewriter(&getContext());
    for (SpmmOp op : products) {
      SmallVector<int64_t> alignments = getPossibleAlignments(op);
      // Of a single column there are no longer rows to ask for.
      bool isColumn = op.getOutputType().getShape().back() == 1;
      if (alignments.front() != kChunkBytes && !isColumn)
        op.emitRemark("gathers the dense operand with an access size of ")
            << alignments.front() << " instead of " << kChunkBytes
            << " bytes: length or distance of the rows of "
            << op.getRhs().getType() << " is no multiple of that";
      SmallVector<SpmmKernel> kernels;
      for (int64_t alignment : alignments) {
        SpmmKernelSpec spec = SpmmKernelSpec::get(op, alignment);
        kernels.push_back({spec, cache.getOrCreate(op.getLoc(), spec)});
      }
      cache.addPlan(lowerSpmmToLaunch(rewriter, op, kernels));
      ++numLaunches;
    }
    numKernels += cache.size();
  }

private:
  /// Everything of the dialect must have a lowering here.
  static LogicalResult verifyModule(ModuleOp module) {
    bool ok = true;
    module.walk([&](Operation *op) {
      if (auto spmm = dyn_cast<SpmmOp>(op))
        ok &= succeeded(verifySpmmLowering(spmm));
      else if (isa_and_nonnull<MagicubeDialect>(op->getDialect())) {
        op->emitOpError("has no lowering to a kernel");
        ok = false;
      }
    });
    return success(ok);
  }
};

} // namespace
