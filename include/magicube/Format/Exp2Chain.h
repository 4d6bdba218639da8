//===- Exp2Chain.h - Numbers that powers of two are made of -----*- C++ -*-===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constants of the functions that softmax and attention are defined by. The
// reference and the kernels share the numbers, each has its own arithmetic.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_FORMAT_EXP2CHAIN_H
#define MAGICUBE_FORMAT_EXP2CHAIN_H

#include <array>

namespace mlir::magicube {

/// rn(log2(e)).
inline constexpr float kLog2E = 1.44269502f;

/// 1.5 * 2^23: a sum with it is rounded to an integer, in its low bits.
inline constexpr float kFloatRounder = 12582912.0f;

//===----------------------------------------------------------------------===//
// Integer results
//===----------------------------------------------------------------------===//

/// exp2 by shifted squarings: u = sat(fma(t, a, offset)); u = fma(u, u, d) for
/// each addend; q = low bits of fma(u, u, 2^(23 - bits)), which approximates
/// (2^bits - 1) * 2^(c t). It does not rise as t falls, and is 2^bits - 1 for
/// t = 0. `slope` * octaves is what u falls by.
struct Exp2Chain {
  int bits = 8;
  float slope = 0;
  float offset = 0;
  std::array<float, 4> addends = {};
  int addendCount = 0;
};

inline constexpr Exp2Chain kExp2Chains[] = {
    {4,
     0.09432526677846909f,
     7.0f / 8,
     {0.20122204720973969f, 0.03082459792494774f},
     2},
    {8,
     0.0586400181055069f,
     13.0f / 16,
     {0.2015877515077591f, 0.30661529302597046f, -0.10296880453824997f},
     3},
    {16,
     0.03399611636996269f,
     23.0f / 32,
     {0.22039693593978882f, 0.6583044528961182f, -0.4424469470977783f,
      -0.002182007534429431f},
     4},
};

/// The chain for q of 4, 8 or 16 bits, or null. Its value before the last bits
/// are cut differs from the exact one by at most 0.081, 0.080 and 0.22 units of
/// q, for c t in [-20, 0].
constexpr const Exp2Chain *findExp2Chain(int bits) {
  for (const Exp2Chain &chain : kExp2Chains)
    if (chain.bits == bits)
      return &chain;
  return nullptr;
}

/// The factor a = slope * c of a chain is rounded to so many bits, and to a
/// multiple of 2^kDecayGrain, whichever is coarser.
inline constexpr int kDecayBits = 22, kDecayGrain = -46;

//===----------------------------------------------------------------------===//
// Float results
//===----------------------------------------------------------------------===//

/// 2^f for f in [-1/2, 1/2] by ascending powers of f, least relative error.
inline constexpr float kExp2Power[] = {
    1.0f,           0.693147182f,   0.240226462f,   0.0555032864f,
    0.00961848907f, 0.00133999309f, 0.000153458124f};

/// Below this exponent the power counts as 0.
inline constexpr float kExp2Least = -126.0f;

/// Powers are summed as integers in units of 2^-kPowerSumBits.
inline constexpr int kPowerSumBits = 31;

} // namespace mlir::magicube

#endif // MAGICUBE_FORMAT_EXP2CHAIN_H
