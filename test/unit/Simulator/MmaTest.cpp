//===- MmaTest.cpp - Simulated mma against whole matrices -----------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fragment formulas are copied element by element from the PTX ISA
// ("Matrix Fragments for mma.m8n8k16" and following), the products are plain
// 64-bit sums.
//
//===----------------------------------------------------------------------===//

#include "KernelHarness.h"

#include <algorithm>
#include <functional>

using namespace mlir::magicube::test;

namespace {

/// One shape with the row and column of element i of a lane's fragment; g is
/// the lane's groupID, t its threadID_in_group.
struct Shape {
  std::string name;
  unsigned m, n, k, bits;
  unsigned elementsA, elementsB, elementsC;
  std::function<unsigned(unsigned g, unsigned i)> rowA;
  std::function<unsigned(unsigned t, unsigned i)> colA;
  std::function<unsigned(unsigned t, unsigned i)> rowB;
  std::function<unsigned(unsigned g, unsigned i)> rowC;
};

/// Column of B is groupID and column of C is t * 2 + (i & 1) in every shape.
const std::vector<Shape> shapes = {
    {"m8n8k16", 8, 8, 16, 8, 4, 4, 2, [](unsigned g, unsigned) { return g; },
     [](unsigned t, unsigned i) { return t * 4 + i; },
     [](unsigned t, unsigned i) { return t * 4 + i; },
     [](unsigned g, unsigned) { return g; }},
    {"m16n8k16", 16, 8, 16, 8, 8, 4, 4,
     [](unsigned g, unsigned i) { return i < 4 ? g : g + 8; },
     [](unsigned t, unsigned i) { return t * 4 + (i & 3); },
     [](unsigned t, unsigned i) { return t * 4 + i; },
     [](unsigned g, unsigned i) { return i < 2 ? g : g + 8; }},
    {"m16n8k32", 16, 8, 32, 8, 16, 8, 4,
     [](unsigned g, unsigned i) {
       return i < 4 || (8 <= i && i < 12) ? g : g + 8;
     },
     [](unsigned t, unsigned i) {
       return i < 8 ? t * 4 + (i & 3) : t * 4 + (i & 3) + 16;
     },
     [](unsigned t, unsigned i) {
       return i < 4 ? t * 4 + (i & 3) : t * 4 + (i & 3) + 16;
     },
     [](unsigned g, unsigned i) { return i < 2 ? g : g + 8; }},
    {"m8n8k32", 8, 8, 32, 4, 8, 8, 2, [](unsigned g, unsigned) { return g; },
     [](unsigned t, unsigned i) { return t * 8 + i; },
     [](unsigned t, unsigned i) { return t * 8 + i; },
     [](unsigned g, unsigned) { return g; }},
    {"m16n8k32", 16, 8, 32, 4, 16, 8, 4,
     [](unsigned g, unsigned i) { return i < 8 ? g : g + 8; },
     [](unsigned t, unsigned i) { return t * 8 + (i & 7); },
     [](unsigned t, unsigned i) { return t * 8 + (i & 7); },
     [](unsigned g, unsigned i) { return i < 2 ? g : g + 8; }},
    {"m16n8k64", 16, 8, 64, 4, 32, 16, 4,
     [](unsigned g, unsigned i) {
       return i < 8 || (16 <= i && i < 24) ? g : g + 8;
     },
     [](unsigned t, unsigned i) {
       return i < 16 ? t * 8 + (i & 7) : t * 8 + (i & 7) + 32;
     },
     [](unsigned t, unsigned i) {
       return i < 8 ? t * 8 + (i & 7) : t * 8 + (i & 7) + 32;
     },
     [](unsigned g, unsigned i) { return i < 2 ? g : g + 8; }},
};

using Matrix = std::vector<std::vector<int64_t>>;

Matrix randomMatrix(unsigned rows, unsigned columns, int64_t low, int64_t high,
                    std::mt19937 &generator) {
  std::uniform_int_distribution<int64_t> value(low, high);
  Matrix matrix(rows, std::vector<int64_t>(columns));
  for (auto &row : matrix)
    for (int64_t &entry : row) {
      unsigned kind = generator() % 4;
      entry = kind == 0 ? low : kind == 1 ? high : value(generator);
    }
  return matrix;
}

/// Packs fragments to words, element 0 in the lowest bits.
class WordPacker {
public:
  WordPacker(std::vector<uint32_t> &words, unsigned bits)
      : words(words), bits(bits) {}
  void add(int64_t value) {
    if (used == 0)
      words.push_back(0);
    words.back() |= (static_cast<uint32_t>(value) &
                     static_cast<uint32_t>((uint64_t(1) << bits) - 1))
                    << used;
    used = (used + bits) % 32;
  }

private:
  std::vector<uint32_t> &words;
  unsigned bits, used = 0;
};

struct Variant {
  Shape shape;
  bool signedA, signedB, saturate;
};

std::string intrinsicName(const Variant &variant) {
  std::string bits = std::to_string(variant.shape.bits);
  std::string a = (variant.signedA ? "s" : "u") + bits;
  std::string b = (variant.signedB ? "s" : "u") + bits;
  return "llvm.nvvm.mma." + variant.shape.name + ".row.col." +
         (variant.saturate ? "satfinite." : "") + (a == b ? a : a + "." + b);
}

/// Runs one product of whole matrices through the lanes' fragments.
void checkVariant(const Variant &variant, std::mt19937 &generator) {
  const Shape &shape = variant.shape;
  int64_t range = int64_t(1) << shape.bits;
  auto matrix = [&](unsigned rows, unsigned columns, bool isSigned) {
    int64_t low = isSigned ? -range / 2 : 0;
    return randomMatrix(rows, columns, low, low + range - 1, generator);
  };
  Matrix a = matrix(shape.m, shape.k, variant.signedA);
  Matrix b = matrix(shape.k, shape.n, variant.signedB);
  // Accumulators near both ends, so that sums overflow.
  Matrix c = randomMatrix(shape.m, shape.n, INT32_MIN, INT32_MAX, generator);

  std::vector<uint32_t> words;
  for (unsigned lane = 0; lane < 32; ++lane) {
    unsigned g = lane >> 2, t = lane % 4;
    WordPacker packA(words, shape.bits);
    for (unsigned i = 0; i < shape.elementsA; ++i)
      packA.add(a[shape.rowA(g, i)][shape.colA(t, i)]);
    WordPacker packB(words, shape.bits);
    for (unsigned i = 0; i < shape.elementsB; ++i)
      packB.add(b[shape.rowB(t, i)][g]);
    for (unsigned i = 0; i < shape.elementsC; ++i)
      words.push_back(
          static_cast<uint32_t>(c[shape.rowC(g, i)][t * 2 + (i & 1)]));
  }
  CallKernel kernel{intrinsicName(variant),
                    std::vector<std::string>(words.size() / 32, "i32"),
                    std::vector<std::string>(shape.elementsC, "i32")};
  std::vector<uint32_t> d = runCall(kernel, words);

  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned i = 0; i < shape.elementsC; ++i) {
      unsigned row = shape.rowC(lane >> 2, i);
      unsigned column = lane % 4 * 2 + (i & 1);
      int64_t sum = c[row][column];
      for (unsigned k = 0; k < shape.k; ++k)
        sum += a[row][k] * b[k][column];
      if (variant.saturate)
        sum = std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX);
      ASSERT_EQ(d[lane * shape.elementsC + i], static_cast<uint32_t>(sum))
          << kernel.callee << " row " << row << " column " << column;
    }
}

TEST(Mma, EveryShapeAndSignMatchesWholeMatrices) {
  std::mt19937 generator(1);
  for (const Shape &shape : shapes)
    for (bool signedA : {true, false})
      for (bool signedB : {true, false})
        for (bool saturate : {false, true}) {
          checkVariant({shape, signedA, signedB, saturate}, generator);
          if (HasFatalFailure())
            return;
        }
}

TEST(Mma, WrapsAtTheLargestProducts) {
  // 32 * 255 * 255 on top of the largest accumulator.
  CallKernel kernel{"llvm.nvvm.mma.m16n8k32.row.col.u8",
                    std::vector<std::string>(10, "i32"),
                    std::vector<std::string>(4, "i32")};
  std::vector<uint32_t> words;
  for (unsigned lane = 0; lane < 32; ++lane) {
    words.insert(words.end(), 6, 0xFFFFFFFF);
    words.insert(words.end(), 4, 0xFFFFFFFF);
  }
  for (uint32_t word : runCall(kernel, words))
    ASSERT_EQ(word, 32u * 255 * 255 - 1);
}

TEST(Mma, OtherTypesAreNamed) {
  mlir::magicube::Error error = loadError(assemble(R"(
define ptx_kernel void @k(ptr addrspace(1) %out, <2 x half> %h) {
  %d = call { float, float, float, float }
    @llvm.nvvm.mma.m16n8k8.row.col.f32.f32(<2 x half> %h, <2 x half> %h,
      <2 x half> %h, float 0.0, float 0.0, float 0.0, float 0.0)
  ret void
})"));
  EXPECT_CONTAINS(error.message, "llvm.nvvm.mma.m16n8k8.row.col.f32.f32");
}

} // namespace
