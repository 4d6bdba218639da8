//===- KernelCache.cpp - The kernels of a module
//---------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One module has all kernels, and each of them once.
//
//===----------------------------------------------------------------------===//

#include "OpLowering.h"

#include "dialect/magicube_gpu/MagicubeGPUDialect.h"
#include "magicube/GPU/Utils/JsonAttr.h"
#include "magicube/Runtime/PlanJson.h"

using namespace mlir;
using namespace mlir::magicube;

static constexpr StringLiteral kKernelModuleName = "magicube_kernels";

gpu::GPUFuncOp
KernelCache::getOrCreate(Attribute key,
                         function_ref<gpu::GPUFuncOp(OpBuilder &)> create) {
  gpu::GPUFuncOp &kernel = kernels[key];
  if (kernel)
    return kernel;
  OpBuilder builder(getKernelModule().getBody(),
                    getKernelModule().getBody()->end());
  kernel = create(builder);
  // Kernels that differ in what the name does not say get a number.
  builder.clearInsertionPoint();
  kernel->remove();
  SymbolTable(getKernelModule()).insert(kernel);
  return kernel;
}

gpu::GPUModuleOp KernelCache::getKernelModule() {
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

void KernelCache::addPlan(const LaunchPlan &plan) {
  plans.push_back(toAttribute(module.getContext(), planToJson(plan)));
  getKernelModule()->setAttr(
      magicube_gpu::MagicubeGPUDialect::kLaunchPlansAttrName,
      ArrayAttr::get(module.getContext(), plans));
}
