//===- EntryProduct.h - The product that a bundle computes ----------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_SERIALIZE_ENTRYPRODUCT_H
#define MAGICUBE_LIB_SERIALIZE_ENTRYPRODUCT_H

#include "magicube/Runtime/Bundle.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::magicube {

/// Finds the function `entry` with a body (empty: the only one), or reports
/// that there is none.
FailureOr<func::FuncOp> findEntry(ModuleOp module, StringRef entry);

/// Finds the function `entry` (empty: the only one), removes all others, and
/// fills entry, arguments, results and product of the manifest. Reports a
/// function that is not exactly one product of its arguments.
LogicalResult isolateEntry(ModuleOp module, StringRef entry,
                           BundleManifest &manifest);

} // namespace mlir::magicube

#endif // MAGICUBE_LIB_SERIALIZE_ENTRYPRODUCT_H
