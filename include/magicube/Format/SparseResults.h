//===- SparseResults.h - Sparse results of programs -----------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Comparing and writing matrices whose entries are those of a pattern, zeros
// too.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_FORMAT_SPARSERESULTS_H
#define MAGICUBE_FORMAT_SPARSERESULTS_H

#include "magicube/Format/SparseFloatMatrix.h"

namespace mlir::magicube {

/// The matrix that says where the entries of a value are.
const SRBCRSMatrix &getPattern(const SparseValue &value);

/// The values of a matrix as a device stores them.
std::vector<uint8_t> toBytes(const SparseFloatMatrix &matrix);

/// The inverse: values of `format` at the positions of `pattern`, which is of
/// type i1. `bytes` has as many as there are.
SparseFloatMatrix makeSparseFloats(SRBCRSMatrix pattern, FloatFormat format,
                                   const std::vector<uint8_t> &bytes);

/// Compares pointers and indices, every entry, and padding; the Error describes
/// the first mismatches. NaNs are equal.
Status compareResult(size_t index, const SparseValue &expected,
                     const SparseValue &actual);

/// Whether writeSparse() takes a file of that name.
Status checkSparseName(const std::string &path);

/// Writes every stored entry, zeros too, in the order of rows: `NAME.mtx` as
/// MatrixMarket coordinates (integer or real; floats with all their digits), or
/// for `NAME.npy` the components as NAME.pointers.npy (rows / V x 2),
/// NAME.indices.npy and NAME.values.npy, an element for each value.
Status writeSparse(const std::string &path, const SparseValue &value);

} // namespace mlir::magicube

#endif // MAGICUBE_FORMAT_SPARSERESULTS_H
