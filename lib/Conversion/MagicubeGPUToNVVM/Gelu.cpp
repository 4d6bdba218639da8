//===- Gelu.cpp - The activation gelu -------------------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With t = |x| and Q(t) = 1 - Phi(t),
//
//     gelu(x) = max(x, 0) - t Q(t),
//     Q(t) = 2^(-t^2 log2(e) / 2 - 1 + t q(t)),
//
// where q is smooth: a polynomial in t - 3 does for 0 <= t <= 9.3, and beyond
// that t Q(t) < 7e-20 is taken as 0. The exponent is split into an integer,
// which goes to the exponent bits, and a rest of at most 1/2, whose power of
// two is a polynomial. t^2 log2(e) / 2 must be known to more than 24 bits: the
// rounding errors of t^2 and of the constant are carried along.
//
// The coefficients are minimax fits of the relative error of t Q(t), of q with
// a growing tolerance from where t Q(t) is below 5e-7 on.
//
//===----------------------------------------------------------------------===//

#include "Gelu.h"

#include "magicube/Format/Exp2Chain.h"
#include "magicube/GPU/Utils/FloatArithmetic.h"

using namespace mlir;
using namespace mlir::magicube;

/// q by ascending powers of t - kCenter.
static constexpr float kCenter = 3.0f;
static constexpr float kTail[] = {
    -0x1.5c4c2ep-1f,  0x1.732840p-4f,   -0x1.b1d13ap-7f,  0x1.efa360p-10f,
    -0x1.06f70ap-12f, 0x1.e866d0p-16f,  -0x1.637ac4p-19f, 0x1.e6d810p-24f,
    0x1.6a5758p-25f,  -0x1.3635bap-26f, 0x1.491268p-29f};
/// 2^f for |f| <= 1/2, by ascending powers of f.
static constexpr float kPower[] = {
    1.0f,           0x1.62e430p-1f,  0x1.ebfbdcp-3f, 0x1.c6aee8p-5f,
    0x1.3b2d4cp-7f, 0x1.5f3e58p-10f, 0x1.41fbcap-13f};
/// log2(e) / 2, and what is missing there.
static constexpr float kHalfLog = 0x1.715476p-1f;
static constexpr float kHalfLogRest = 0x1.4ae0c0p-27f;
/// From here on t Q(t) is 0.
static constexpr float kLargest = 0x1.29999ap+3f; // 9.3

Value mlir::magicube_gpu::emitGelu(OpBuilder &b, Location loc, Value x) {
  FloatArithmetic e{b, loc};
  Value t = e.absolute(x);
  Value square = e.mul(t, t);
  Value squareRest = e.fma(t, t, e.neg(square));
  Value q = e.polynomial(kTail, e.sub(t, e.constant(kCenter)));

  // The exponent and the integer next to it.
  Value halfLog = e.constant(kHalfLog), minusSquare = e.neg(square);
  Value exponent = e.fma(q, t, e.fma(minusSquare, halfLog, e.constant(-1.0f)));
  Value rounder = e.constant(kFloatRounder);
  Value rounded = e.add(exponent, rounder);
  Value integer = e.sub(rounded, rounder);
  // What is left of it, more exactly.
  Value rest = e.fma(minusSquare, halfLog, e.sub(e.constant(-1.0f), integer));
  Value correction =
      e.fma(square, e.constant(kHalfLogRest), e.mul(squareRest, halfLog));
  Value fraction = e.sub(e.fma(q, t, rest), correction);

  Value tail =
      e.mul(e.mul(t, e.polynomial(kPower, fraction)), e.powerOfTwo(rounded));
  Value zero = e.constant(0.0f);
  tail = e.ifAbove(t, e.constant(kLargest), zero, tail);
  return e.sub(e.ifAbove(x, zero, x, zero), tail);
}
