//===- JsonAttr.h - JSON values as attributes ---------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_GPU_UTILS_JSONATTR_H
#define MAGICUBE_GPU_UTILS_JSONATTR_H

#include "magicube/Support/Json.h"

#include "mlir/IR/BuiltinAttributes.h"

namespace mlir::magicube {

/// A dictionary, array, string, i64, boolean or unit (null) attribute. Real
/// numbers do not occur in what IR holds; they become null.
Attribute toAttribute(MLIRContext *context, const Json &value);

/// The way back; members of objects are in alphabetical order.
Json toJsonValue(Attribute attribute);

} // namespace mlir::magicube

#endif // MAGICUBE_GPU_UTILS_JSONATTR_H
