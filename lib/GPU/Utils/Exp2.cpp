//===- Exp2.cpp - Powers of two in kernels --------------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of operations is that of the reference; nothing is fused that it
// does not fuse.
//
//===----------------------------------------------------------------------===//

#include "magicube/GPU/Utils/Exp2.h"

#include <cmath>

using namespace mlir;
using namespace mlir::magicube;

static constexpr int kMantissaBits = 23;
static constexpr int kExponentBias = 127;

Value mlir::magicube::emitOctaves(FloatArithmetic f, Value scale) {
  return f.mul(scale, f.constant(kLog2E));
}

/// A positive number of 24 bits rounded to kDecayBits, even ones first.
static Value roundBits(FloatArithmetic f, Value x) {
  constexpr int dropped = kMantissaBits + 1 - kDecayBits;
  constexpr int32_t half = 1 << (dropped - 1), mask = -(1 << dropped);
  Value bits = f.bits(x);
  Value last = arith::AndIOp::create(
      f.b, f.loc, arith::ShRUIOp::create(f.b, f.loc, bits, f.word(dropped)),
      f.word(1));
  Value above = arith::AddIOp::create(f.b, f.loc, last, f.word(half - 1));
  Value sum = arith::AddIOp::create(f.b, f.loc, bits, above);
  return f.fromBits(arith::AndIOp::create(f.b, f.loc, sum, f.word(mask)));
}

Value mlir::magicube::emitDecay(FloatArithmetic f, const Exp2Chain &chain,
                                Value octaves) {
  Value decay = f.mul(f.constant(chain.slope), octaves);
  // Multiples of the finest grain: those of its sum with a number of which the
  // last bit weighs as much. They are coarser below the number whose kDecayBits
  // bits end there.
  Value rounder = f.constant(std::ldexp(1.5f, kDecayGrain + kMantissaBits));
  Value grains = f.sub(f.add(decay, rounder), rounder);
  Value isTiny =
      f.compare(arith::CmpFPredicate::OLT, decay,
                f.constant(std::ldexp(1.0f, kDecayGrain + kDecayBits)));
  return f.select(isTiny, grains, roundBits(f, decay));
}

uint32_t mlir::magicube::getChainBase(const Exp2Chain &chain) {
  return static_cast<uint32_t>(kExponentBias + kMantissaBits - chain.bits)
         << kMantissaBits;
}

Value mlir::magicube::emitExp2Chain(FloatArithmetic f, const Exp2Chain &chain,
                                    Value distance, Value decay) {
  Value u = f.saturatedFma(distance, decay, f.constant(chain.offset));
  for (int i = 0; i < chain.addendCount; ++i)
    u = f.fma(u, u, f.constant(chain.addends[i]));
  // The last bits of a number from this one on count units of 2^-bits.
  Value base = f.constant(std::ldexp(1.0f, kMantissaBits - chain.bits));
  return f.bits(f.fma(u, u, base));
}

Value mlir::magicube::emitExp2(FloatArithmetic f, Value y) {
  Value rounder = f.constant(kFloatRounder);
  Value rounded = f.add(y, rounder);
  Value fraction = f.sub(y, f.sub(rounded, rounder));
  Value power =
      f.mul(f.polynomial(kExp2Power, fraction), f.powerOfTwo(rounded));
  Value isInside =
      f.compare(arith::CmpFPredicate::OGE, y, f.constant(kExp2Least));
  return f.select(isInside, power, f.constant(0.0f));
}
