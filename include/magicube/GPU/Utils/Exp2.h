//===- Exp2.h - Powers of two in kernels ------------------------*- C++ -*-===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of include/magicube/Format/EvaluateSoftmax.h, bit by bit, for
// whatever kernel takes exponentials of scores.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_GPU_UTILS_EXP2_H
#define MAGICUBE_GPU_UTILS_EXP2_H

#include "magicube/Format/Exp2Chain.h"
#include "magicube/GPU/Utils/FloatArithmetic.h"

namespace mlir::magicube {

/// Octaves of a unit of a score: scale * log2(e).
Value emitOctaves(FloatArithmetic f, Value scale);

/// getDecay, of positive octaves.
Value emitDecay(FloatArithmetic f, const Exp2Chain &chain, Value octaves);

/// evaluateChain of `distance` times `decay`, of which one may be negated
/// instead of the other, as a word that is getChainBase(chain) + q.
Value emitExp2Chain(FloatArithmetic f, const Exp2Chain &chain, Value distance,
                    Value decay);

/// The word of q = 0. Its low `chain.bits` bits are zero.
uint32_t getChainBase(const Exp2Chain &chain);

/// referenceExp2: 2^y for y in [-126, 0]; 0 for smaller ones and for NaN.
Value emitExp2(FloatArithmetic f, Value y);

} // namespace mlir::magicube

#endif // MAGICUBE_GPU_UTILS_EXP2_H
