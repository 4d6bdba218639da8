//===- StorageValues.h - What replaces tensors
//-----------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of the storage form, for the patterns of operations.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_CONVERSION_MAGICUBESTORAGE_STORAGEVALUES_H
#define MAGICUBE_LIB_CONVERSION_MAGICUBESTORAGE_STORAGEVALUES_H

#include "dialect/magicube/MagicubeDialect.h"

#include "mlir/Transforms/DialectConversion.h"

namespace mlir::magicube {

/// Components among the values that replace a sparse tensor.
ValueRange getComponents(RankedTensorType type, ValueRange values);

/// Extent of dimension `dim` of a sparse tensor, or a dense one of i4, replaced
/// by `values`.
OpFoldResult getExtent(OpBuilder &builder, Location loc, RankedTensorType type,
                       ValueRange values, int64_t dim);

/// `value` as `type`, with a cast where only extents differ.
Value castTo(OpBuilder &builder, Location loc, Value value, Type type);

/// Patterns of a SparseComputeOpInterface, each in the operation's own file.
using PopulateStorage = void (*)(const TypeConverter &converter,
                                 RewritePatternSet &patterns);
void populateSpmmStorage(const TypeConverter &converter,
                         RewritePatternSet &patterns);

} // namespace mlir::magicube

#endif // MAGICUBE_LIB_CONVERSION_MAGICUBESTORAGE_STORAGEVALUES_H
