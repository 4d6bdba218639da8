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

/// The element type of what is packed in bytes, for packed_rhs and the like, or
/// null.
TypeAttr getPackedAttr(Type type);

/// An empty tensor of type `type` and those sizes.
Value createDestination(OpBuilder &builder, Location loc,
                        ArrayRef<OpFoldResult> sizes, RankedTensorType type);

/// Room for the values of a sparse tensor of type `type` at the positions that
/// the pattern's `components` have.
Value createValues(OpBuilder &builder, Location loc, RankedTensorType type,
                   ValueRange components);

/// What replaces a sparse result of type `type`: pointers and indices of a
/// sparse tensor of type `patternType`, replaced by `pattern`, and `values`.
SmallVector<Value> getSparseResult(OpBuilder &builder, Location loc,
                                   RankedTensorType type,
                                   RankedTensorType patternType,
                                   ValueRange pattern, Value values);

/// Patterns of a SparseComputeOpInterface, each in the operation's own file.
using PopulateStorage = void (*)(const TypeConverter &converter,
                                 RewritePatternSet &patterns);
void populateSddmmStorage(const TypeConverter &converter,
                          RewritePatternSet &patterns);
void populateSoftmaxStorage(const TypeConverter &converter,
                            RewritePatternSet &patterns);
void populateSpmmStorage(const TypeConverter &converter,
                         RewritePatternSet &patterns);

} // namespace mlir::magicube

#endif // MAGICUBE_LIB_CONVERSION_MAGICUBESTORAGE_STORAGEVALUES_H
