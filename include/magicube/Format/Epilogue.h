//===- Epilogue.h - What follows the sums of a product --------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plain reference of a product with an epilogue. Shares no code with the
// compiler: its formulas are written down a second time.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_FORMAT_EPILOGUE_H
#define MAGICUBE_FORMAT_EPILOGUE_H

#include "magicube/Format/ProgramArguments.h"

namespace mlir::magicube {

/// An element of a result: integers (i32 sums, or rounded and saturated ones of
/// 4 and 8 bits) or floats.
using ResultElement = std::variant<ElementType, FloatFormat>;

enum class ReferenceActivation { None, Relu, Gelu };

/// What a product does with its sums, in the order of the members. Matrices are
/// M x 1 or 1 x N, numbers 1 x 1.
struct ReferenceEpilogue {
  /// Digits of wide operands are recombined in f32, not modulo 2^32.
  bool hasFloatSums = false;
  /// Of i32, added modulo 2^32; or null.
  const DenseMatrix *sumBias = nullptr;
  std::vector<const FloatMatrix *> scales;
  /// Or null.
  const FloatMatrix *bias = nullptr;
  ReferenceActivation activation = ReferenceActivation::None;
  ResultElement element = ElementType{32, /*isSigned=*/true};
};

/// lhs * rhs + init (or null) and its epilogue, every step in f32 rounded.
Result<ProgramValue> evaluateProduct(const SRBCRSMatrix &lhs,
                                     const DenseMatrix &rhs,
                                     const DenseMatrix *init,
                                     const ReferenceEpilogue &epilogue);

/// x * Phi(x) in the operations that kernels take for it, see
/// docs/Precision.md.
float referenceGelu(float x);

} // namespace mlir::magicube

#endif // MAGICUBE_FORMAT_EPILOGUE_H
