//===- Projection.h - A check of large products -----------------*- C++ -*-===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_FORMAT_PROJECTION_H
#define MAGICUBE_FORMAT_PROJECTION_H

#include "magicube/Format/DenseMatrix.h"
#include "magicube/Format/SRBCRSMatrix.h"

namespace mlir::magicube {

/// Compares C * x with A * (B * x) + init * x modulo 2^32 for two seeded
/// vectors x, of which the first has odd elements: as many operations as there
/// are elements, and every element of C counts. One wrong element in a row is
/// always found. Several, whose differences from the right values are multiples
/// of 2^t and not all of 2^(t+1), are missed with a probability of at most
/// 2^(2t - 63). `init` is null for zeros.
Status compareProjections(const SRBCRSMatrix &lhs, const DenseMatrix &rhs,
                          const DenseMatrix *init, const DenseMatrix &actual,
                          uint64_t seed);

} // namespace mlir::magicube

#endif // MAGICUBE_FORMAT_PROJECTION_H
