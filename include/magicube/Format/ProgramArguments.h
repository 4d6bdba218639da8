//===- ProgramArguments.h - Values for a program's operands ---------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the tools that run something share: reading or making each argument,
// packing sparse ones, the plain reference of a product, comparing results.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_FORMAT_PROGRAMARGUMENTS_H
#define MAGICUBE_FORMAT_PROGRAMARGUMENTS_H

#include "magicube/Format/DenseMatrix.h"
#include "magicube/Format/FloatMatrix.h"
#include "magicube/Format/MatrixType.h"
#include "magicube/Format/SparseFloatMatrix.h"

#include <variant>

namespace mlir::magicube {

/// A value of the program on the host: a sparse or a dense matrix, each of
/// integers or floats (a number is a dense one of 1 x 1).
using ProgramValue =
    std::variant<SRBCRSMatrix, DenseMatrix, FloatMatrix, SparseFloatMatrix>;

/// Its rows and columns.
std::pair<int64_t, int64_t> getExtents(const ProgramValue &value);

/// The same value, and back: nothing for a dense one.
ProgramValue toProgramValue(SparseValue value);
std::optional<SparseValue> toSparseValue(const ProgramValue &value);

/// The matrix that says where the entries of a sparse value are; null for a
/// dense one.
const SRBCRSMatrix *findPattern(const ProgramValue &value);

/// Makes the arguments of the program `name` from the command line's `texts`.
/// A sparse one: `.mtx` (packed with the encoding's V), `.smtx` (a pattern;
/// each entry is one vector of seeded random values), or `random:MxK@D` (a
/// pattern of M / V x K with round(D * K) vectors in each row). A pattern (i1)
/// takes the same, and only the places of an `.mtx` of any kind; sparse floats
/// take the numbers of an `.mtx`, and random values as dense ones. A dense one:
/// `.npy` or `random[:RxC]`; floats alike. A number of f32: its decimal text.
/// The same seed gives the same values in every tool. Errors name the argument.
Result<std::vector<ProgramValue>>
makeArguments(const std::string &name, const std::vector<MatrixType> &types,
              const std::vector<std::string> &texts, uint64_t seed);

/// A * B + init modulo 2^32 as a matrix of i32, by referenceSpmm on unpacked
/// operands; `init` is null for zeros, else a matrix of i32.
Result<DenseMatrix> evaluateSpmm(const SRBCRSMatrix &lhs,
                                 const DenseMatrix &rhs,
                                 const DenseMatrix *init);

/// A * B with wide operands' digits recombined in f32. Digits have 8 bits, the
/// low one is unsigned, the high one has the operand's sign. S_d, the sum of
/// all products of digits of weight 2^d, is a sum modulo 2^32, taken as signed.
/// With r the f32 of the S_d of most weight, the result is
/// r = fma(r, 2^8, f32(S_d)) for the others by falling d.
Result<FloatMatrix> evaluateFloatSums(const SRBCRSMatrix &lhs,
                                      const DenseMatrix &rhs);

/// Compares every element of result number `index`; the Error describes the
/// first mismatches.
Status compareResult(size_t index, const DenseMatrix &expected,
                     const DenseMatrix &actual);

/// The same for values, which must be of one kind, and for all results.
Status compareValues(size_t index, const ProgramValue &expected,
                     const ProgramValue &actual);
Status compareResults(const std::vector<ProgramValue> &expected,
                      const std::vector<ProgramValue> &actual);

} // namespace mlir::magicube

#endif // MAGICUBE_FORMAT_PROGRAMARGUMENTS_H
