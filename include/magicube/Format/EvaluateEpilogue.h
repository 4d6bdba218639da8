//===- EvaluateEpilogue.h - The reference of a product's epilogue ---------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plain reference of a product with an epilogue. Shares no code with the
// compiler: its formulas are written down a second time.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_FORMAT_EVALUATEEPILOGUE_H
#define MAGICUBE_FORMAT_EVALUATEEPILOGUE_H

#include "magicube/Format/Epilogue.h"
#include "magicube/Format/ProgramArguments.h"

namespace mlir::magicube {

/// Operands of the reference: of i32 or of floats, M x 1 or 1 x N, numbers
/// 1 x 1.
using ReferenceOperand = std::variant<const DenseMatrix *, const FloatMatrix *>;
using ReferenceEpilogue = Epilogue<ReferenceOperand>;

/// lhs * rhs + init (or null) and its epilogue, every step in f32 rounded.
Result<ProgramValue> evaluateProduct(const SRBCRSMatrix &lhs,
                                     const DenseMatrix &rhs,
                                     const DenseMatrix *init,
                                     const ReferenceEpilogue &epilogue);

/// x * Phi(x) in the operations that kernels take for it, see
/// docs/Precision.md.
float referenceGelu(float x);

/// x / (1 + e^-x) likewise.
float referenceSilu(float x);

} // namespace mlir::magicube

#endif // MAGICUBE_FORMAT_EVALUATEEPILOGUE_H
