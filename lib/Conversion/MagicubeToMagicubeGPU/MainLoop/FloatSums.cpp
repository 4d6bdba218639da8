//===- FloatSums.cpp - Digits recombined in f32 ---------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FloatSums.h"

#include "dialect/magicube_gpu/MagicubeGPUDialect.h"

#include <map>

using namespace mlir;
using namespace mlir::magicube_gpu;

namespace {

/// Accumulators of one weight.
struct EqualTerms {
  SmallVector<Value> terms;
  SmallVector<bool> negate;
};

} // namespace

Value mlir::magicube::combineInFloat(OpBuilder &b, Location loc,
                                     ValueRange terms, ArrayRef<int64_t> shifts,
                                     ArrayRef<bool> negate) {
  std::map<int64_t, EqualTerms> byShift;
  for (auto [term, shift, isNegative] :
       llvm::zip_equal(terms, shifts, negate)) {
    byShift[shift].terms.push_back(term);
    byShift[shift].negate.push_back(isNegative);
  }
  SmallVector<Value> sums;
  SmallVector<int64_t> weights;
  for (auto &[shift, equal] : byShift) {
    weights.push_back(shift);
    SmallVector<int64_t> unshifted(equal.terms.size(), 0);
    bool isPlain = equal.terms.size() == 1 && !equal.negate.front();
    sums.push_back(isPlain ? equal.terms.front()
                           : CombineOp::create(b, loc, equal.terms, unshifted,
                                               equal.negate)
                                 .getResult());
  }
  auto type = cast<FragmentType>(sums.front().getType());
  auto floats = FragmentType::get(b.getContext(), type.getMma(), MmaOperand::C,
                                  b.getF32Type());
  return CombineFloatOp::create(b, loc, floats, sums, weights);
}
