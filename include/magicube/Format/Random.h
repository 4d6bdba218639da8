//===- Random.h - Reproducible values and patterns ------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A counter-based generator that any language repeats in a few lines: value i
// of a seed does not depend on the values before it.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_FORMAT_RANDOM_H
#define MAGICUBE_FORMAT_RANDOM_H

#include "magicube/Format/ElementType.h"
#include "magicube/Format/SparseMatrix.h"

#include <cstdint>

namespace mlir::magicube {

/// Output number `i` of the generator splitmix64 started at `seed` (Steele,
/// Lea, Flood: Fast Splittable Pseudorandom Number Generators, OOPSLA 2014).
inline uint64_t splitMix64(uint64_t seed, uint64_t i) {
  uint64_t z = seed + (i + 1) * 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

/// Uniform values over the full range of an element type: value `i` is
/// min + (splitMix64(seed, i) >> (64 - bits)). A pattern gives ones.
class SeededValues {
public:
  SeededValues(ElementType type, uint64_t seed) : type(type), seed(seed) {}
  int64_t operator()(uint64_t i) const {
    if (type.isPattern())
      return 1;
    return type.min() +
           static_cast<int64_t>(splitMix64(seed, i) >> (64 - type.bits));
  }

private:
  ElementType type;
  uint64_t seed;
};

/// round(density * cols), density clamped to [0, 1]: the columns of each row of
/// a random pattern.
int64_t randomRowLength(int64_t cols, double density);

/// A rows x cols pattern with exactly randomRowLength(cols, density) distinct,
/// uniformly chosen columns in each row, ascending. Extents as for readers.
CsrMatrix randomPattern(int64_t rows, int64_t cols, double density,
                        uint64_t seed);

} // namespace mlir::magicube

#endif // MAGICUBE_FORMAT_RANDOM_H
