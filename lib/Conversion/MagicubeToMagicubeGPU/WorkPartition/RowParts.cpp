//===- RowParts.cpp - Equal parts of vector-rows --------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowParts.h"

#include "magicube/Layout/StepLayout.h"

using namespace mlir;
using namespace mlir::magicube;

RowParts::Range RowParts::load(Arithmetic e, Value row, Value part,
                               Value parts) const {
  StoredRange range = pointers.loadRange(e, row);
  Value end = pointers.pad(e, range.end);
  Value steps = StoredPointers::toSteps(
      e, e.add(e.sub(end, range.start), kStepPositions - 1));
  // floor(n p / P) in 32 bits, of n = q P + r.
  Value quotient = e.divide(steps, parts);
  Value rest = e.sub(steps, e.mul(quotient, parts));
  auto start = [&](Value number) {
    Value step =
        e.add(e.mul(number, quotient), e.divide(e.mul(number, rest), parts));
    return e.add(range.start, e.mul(step, kStepPositions));
  };
  return {start(part), start(e.add(part, 1)), end};
}
