//===- EmitLaunchPlan.h - Launch plans as host IR -----------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_CONVERSION_MAGICUBETOMAGICUBEGPU_EMITLAUNCHPLAN_H
#define MAGICUBE_LIB_CONVERSION_MAGICUBETOMAGICUBEGPU_EMITLAUNCHPLAN_H

#include "magicube/Runtime/LaunchPlan.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::magicube {

/// What the symbols of a plan are in host code.
class PlanSymbols {
public:
  /// A memref stands for the address of its elements, and as NAME of a dense
  /// operand for all of its symbols. Everything else, of type index or f32,
  /// stands for itself, also in place of what a memref says.
  void add(StringRef name, Value value) { values[name] = value; }

  /// The value of a symbol, of type index or f32.
  Value get(OpBuilder &b, Location loc, StringRef name);

private:
  Value getComponent(OpBuilder &b, Location loc, StringRef name);

  llvm::StringMap<Value> values;
};

/// Makes arith and scf operations of a plan's values and conditions, and
/// launches of `kernels`, its kernels in order. Scratch buffers and clusters
/// have no host code yet; checks are for those who know less than the IR's
/// types say.
void emitLaunchPlan(OpBuilder &b, Location loc, const LaunchPlan &plan,
                    PlanSymbols symbols, ArrayRef<gpu::GPUFuncOp> kernels);

} // namespace mlir::magicube

#endif // MAGICUBE_LIB_CONVERSION_MAGICUBETOMAGICUBEGPU_EMITLAUNCHPLAN_H
