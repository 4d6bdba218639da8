//===- main.cpp - A program with a compiled layer in it -------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packs a sparse matrix, calls the layer of layer.mlir on plain host memory and
// checks every element. The device is the runtime's: MAGICUBE_DEVICE=sim (the
// default) or cuda, for which the object must have kernels of that device.
//
//===----------------------------------------------------------------------===//

#include "magicube/Format/Packer.h"
#include "magicube/Format/Random.h"
#include "magicube/Format/Reference.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace mlir::magicube;

namespace {

/// What compiled functions take and return for a tensor: MLIR's descriptor of a
/// buffer. Without gaps, the stride of a dimension is the size of what follows.
template <typename T, int Rank>
struct Buffer {
  T *allocated = nullptr;
  T *data = nullptr;
  int64_t offset = 0;
  int64_t sizes[Rank] = {};
  int64_t strides[Rank] = {};

  Buffer() = default;
  template <typename... Sizes>
  explicit Buffer(const void *memory, Sizes... extents)
      : allocated(static_cast<T *>(const_cast<void *>(memory))),
        data(allocated), sizes{static_cast<int64_t>(extents)...} {
    int64_t stride = 1;
    for (int dim = Rank; dim-- > 0; stride *= sizes[dim])
      strides[dim] = stride;
  }
};

} // namespace

/// @layer of layer.mlir. A sparse tensor is passed as the components of its
/// encoding (pointers, indices, values), then its dynamic extents.
extern "C" void _mlir_ciface_layer(Buffer<int32_t, 2> *result,
                                   Buffer<int32_t, 2> *pointers,
                                   Buffer<int32_t, 1> *indices,
                                   Buffer<int8_t, 1> *values, int64_t m,
                                   int64_t k, Buffer<int8_t, 2> *x);

/// The value of a result, or the end of the program.
template <typename T>
static T check(Result<T> result) {
  if (result)
    return std::move(*result);
  std::fprintf(stderr, "error: %s\n", result.error().message.c_str());
  std::exit(1);
}

int main() {
  constexpr int64_t m = 256, k = 512, n = 128;
  constexpr double density = 0.1;
  constexpr ElementType i8 = {8, /*isSigned=*/true};
  constexpr uint64_t weightSeed = 1, inputSeed = 2;

  // The weight: a pattern of 8 x 1 vectors with random values.
  SRBCRSEncoding encoding; // V = 8 is the default, as in layer.mlir
  CsrMatrix pattern =
      randomPattern(m / encoding.vector, k, density, weightSeed);
  SeededValues random(i8, weightSeed);
  SRBCRSMatrix w = check(packPattern(
      pattern, i8, encoding, [&](int64_t vector, int64_t component) {
        return random(vector * encoding.vector + component);
      }));
  DenseMatrix x = check(DenseMatrix::random(k, n, i8, inputSeed));

  Buffer<int32_t, 2> pointers(w.pointers.data(), w.vectorRows(), 2);
  Buffer<int32_t, 1> indices(w.indices.data(), w.stored());
  Buffer<int8_t, 1> values(w.values.data(), w.values.size());
  Buffer<int8_t, 2> input(x.data.data(), k, n);
  Buffer<int32_t, 2> result;
  _mlir_ciface_layer(&result, &pointers, &indices, &values, m, k, &input);

  std::vector<int32_t> expected =
      check(referenceSpmm(check(unpackToCoo(w)), x.view()));
  bool exact = std::memcmp(result.data, expected.data(),
                           expected.size() * sizeof(int32_t)) == 0;
  std::free(result.allocated);
  std::puts(exact ? "exact" : "wrong");
  return exact ? 0 : 1;
}
