//===- Silu.cpp - The activation silu -------------------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With t = |x| and e = e^-t, which is at most 1,
//
//     silu(x) = x / (1 + e)        for x > 0,
//               x e / (1 + e)      else,
//
// so that small results are relatively exact too. e^-t = 2^n e^r with n the
// integer next to -t log2(e), ln 2 in two parts, and |r| at most ln 2 / 2, for
// which a polynomial does. From t = 87 on 2^n would be subnormal: e is taken as
// 0.
//
//===----------------------------------------------------------------------===//

#include "Silu.h"

#include "magicube/Format/Exp2Chain.h"
#include "magicube/GPU/Utils/FloatArithmetic.h"

using namespace mlir;
using namespace mlir::magicube;

/// e^r for |r| <= ln 2 / 2, by ascending powers of r: a minimax fit of the
/// relative error, 4e-9, with the first two given.
static constexpr float kPower[] = {
    1.0f,           1.0f,           0x1.fffffcp-2f, 0x1.555492p-3f,
    0x1.5558f2p-5f, 0x1.1239f2p-7f, 0x1.6a241ap-10f};
static constexpr float kLog2e = 0x1.715476p+0f;
/// ln 2, and what is missing there.
static constexpr float kLn2 = 0x1.62e400p-1f;
static constexpr float kLn2Rest = 0x1.7f7d1cp-20f;
/// From here on e is 0.
static constexpr float kLargest = 87.0f;

Value mlir::magicube_gpu::emitSilu(OpBuilder &b, Location loc, Value x) {
  FloatArithmetic e{b, loc};
  Value t = e.absolute(x), zero = e.constant(0.0f);
  Value rounder = e.constant(kFloatRounder);
  Value rounded = e.fma(t, e.constant(-kLog2e), rounder);
  Value integer = e.sub(rounded, rounder);
  Value rest = e.fma(integer, e.constant(-kLn2), e.neg(t));
  rest = e.fma(integer, e.constant(-kLn2Rest), rest);
  Value decay = e.mul(e.polynomial(kPower, rest), e.powerOfTwo(rounded));
  // 2^n is not what it should be there.
  decay = e.ifAbove(t, e.constant(kLargest), zero, decay);
  // Infinity times 0 is a NaN.
  Value below =
      e.ifAbove(t, e.constant(kLargest), e.constant(-0.0f), e.mul(x, decay));
  Value numerator = e.ifAbove(x, zero, x, below);
  return e.divide(numerator, e.add(e.constant(1.0f), decay));
}
