//===- Scores.cpp - Scores of a softmax and their distances ---------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A NaN is above nothing, and every function of a distance makes 0 of it.
//
//===----------------------------------------------------------------------===//

#include "Scores.h"

#include <limits>

using namespace mlir;
using namespace mlir::magicube;

static constexpr float kInfinity = std::numeric_limits<float>::infinity();
static constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
static constexpr float kHighest = std::numeric_limits<float>::max();
static constexpr int64_t kLeastInteger = std::numeric_limits<int32_t>::min();

Value Scores::getLeast(Arithmetic e) const {
  return isInteger() ? e.constant(kLeastInteger)
                     : FloatArithmetic{e.b, e.loc}.constant(-kInfinity);
}

Value Scores::getMaximum(Arithmetic e, Value x, Value y) const {
  if (isInteger())
    return arith::MaxSIOp::create(e.b, e.loc, x, y);
  return FloatArithmetic{e.b, e.loc}.max(x, y);
}

static SmallVector<Value> loadAsF32(Arithmetic e, Value base, Type type,
                                    Value element) {
  SmallVector<Value> values = loadOctet(e, base, type, element);
  if (!type.isF32())
    for (Value &value : values)
      value = arith::ExtFOp::create(e.b, e.loc, e.b.getF32Type(), value);
  return values;
}

SmallVector<Value> Scores::loadFloats(Arithmetic e, Value group) const {
  FloatArithmetic f{e.b, e.loc};
  Value element = row.getElement(e, group);
  SmallVector<Value> values = loadAsF32(e, scores, row.spec.scores, element);
  if (mask)
    for (auto [value, added] :
         llvm::zip_equal(values, loadAsF32(e, mask, row.spec.mask, element)))
      value = f.add(value, added);
  Value highest = f.constant(kHighest);
  for (Value &value : values)
    value = f.ifAbove(value, highest, highest, value);
  return values;
}

SmallVector<Value> Scores::load(Arithmetic e, Value group) const {
  SmallVector<Value> values =
      isInteger()
          ? loadOctet(e, scores, e.b.getI32Type(), row.getElement(e, group))
          : loadFloats(e, group);
  Value nothing = isInteger() ? e.constant(kLeastInteger)
                              : FloatArithmetic{e.b, e.loc}.constant(kNaN);
  for (auto [value, isValid] : llvm::zip_equal(values, row.getValid(e, group)))
    value = e.select(isValid, value, nothing);
  return values;
}

SmallVector<Value> Scores::getDistances(Arithmetic e, ArrayRef<Value> loaded,
                                        Value group, Value maximum) const {
  FloatArithmetic f{e.b, e.loc};
  SmallVector<Value> distances;
  if (!isInteger()) {
    for (Value x : loaded)
      distances.push_back(f.sub(x, maximum));
    return distances;
  }
  // m - x has 32 bits, unsigned.
  Value nothing = f.constant(kNaN);
  for (auto [x, isValid] : llvm::zip_equal(loaded, row.getValid(e, group)))
    distances.push_back(
        e.select(isValid, f.neg(f.fromUnsigned(e.sub(maximum, x))), nothing));
  return distances;
}
