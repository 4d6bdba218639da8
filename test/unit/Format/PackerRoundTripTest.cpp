//===- PackerRoundTripTest.cpp - Property tests of packing ----------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random matrices over V x stride x order x slab x index x element type. An
// independent model made of maps says what must be stored where.
//
//===----------------------------------------------------------------------===//

#include "TestUtil.h"

#include "magicube/Format/Packer.h"

#include <set>
#include <tuple>

using namespace mlir::magicube;
using namespace mlir::magicube::test;

namespace {

/// Vectors by (vector-row, slab, column): V values each.
using VectorMap =
    std::map<std::tuple<int64_t, int64_t, int64_t>, std::vector<int64_t>>;

const ElementType kTypes[] = {{4, true},  {4, false},  {8, true},
                              {8, false}, {12, true},  {12, false},
                              {16, true}, {16, false}, ElementType::pattern()};

class RoundTrip : public testing::TestWithParam<std::tuple<int64_t, int64_t>> {
};

} // namespace

static VectorMap modelOf(const CooMatrix &coo, const SRBCRSEncoding &encoding) {
  VectorMap model;
  for (int64_t i = 0; i < coo.entries(); ++i) {
    int64_t slab = encoding.slab ? coo.col[i] / encoding.slab : 0;
    auto &vector = model[{coo.row[i] / encoding.vector, slab, coo.col[i]}];
    vector.resize(encoding.vector);
    vector[coo.row[i] % encoding.vector] = coo.value[i];
  }
  return model;
}

/// Value (p, v) by the formula of the contract, from raw bytes.
static int64_t rawValue(const SRBCRSMatrix &matrix, int64_t p, int64_t v) {
  int64_t stride = matrix.encoding.stride;
  int64_t element =
      p / stride * stride * matrix.encoding.vector + v * stride + p % stride;
  int bits = matrix.type.bits;
  int64_t raw = 0;
  if (bits == 4)
    raw = matrix.values[element / 2] >> (element % 2 ? 4 : 0) & 15;
  else if (bits == 8)
    raw = matrix.values[element];
  else
    raw = matrix.values[2 * element] | matrix.values[2 * element + 1] << 8;
  int containerBits = bits == 12 ? 16 : bits;
  if (matrix.type.isSigned && raw >> (containerBits - 1))
    raw -= int64_t(1) << containerBits;
  return raw;
}

/// Compares every stored vector with the model, and natural order exactly.
static void checkStored(const SRBCRSMatrix &matrix, const VectorMap &model) {
  bool natural = matrix.encoding.order == VectorOrder::Natural;
  VectorMap left = model;
  auto expected = model.begin();
  int64_t stored = 0;
  for (int64_t r = 0; r < matrix.vectorRows(); ++r)
    for (int64_t s = 0; s < matrix.slabs(); ++s) {
      const int32_t *pair = &matrix.pointers[2 * (r * matrix.slabs() + s)];
      ASSERT_EQ(pair[0], stored);
      stored = pair[0] + matrix.encoding.paddedCount(pair[1] - pair[0]);
      for (int64_t p = pair[0]; p < stored; ++p) {
        int64_t column = matrix.indices[p];
        std::vector<int64_t> vector(matrix.encoding.vector);
        for (int64_t v = 0; v < matrix.encoding.vector; ++v)
          vector[v] = matrix.type.isPattern() ? 0 : rawValue(matrix, p, v);
        bool isZero = vector == std::vector<int64_t>(vector.size());
        if (natural && p >= pair[1]) {
          ASSERT_EQ(column, -1);
          ASSERT_TRUE(isZero);
          continue;
        }
        if (natural) {
          ASSERT_TRUE(expected != model.end());
          ASSERT_EQ(expected->first, std::tuple(r, s, column));
          ++expected;
        }
        auto found = left.find({r, s, column});
        if (!natural && isZero) {
          ASSERT_TRUE(column >= 0 && column < matrix.cols);
          continue;
        }
        ASSERT_TRUE(found != left.end());
        if (!matrix.type.isPattern())
          ASSERT_EQ(found->second, vector);
        left.erase(found);
      }
    }
  EXPECT_TRUE(left.empty());
  EXPECT_EQ(matrix.stored(), stored);
  EXPECT_EQ(matrix.vectors, static_cast<int64_t>(model.size()));
}

static bool sameStorage(const SRBCRSMatrix &a, const SRBCRSMatrix &b) {
  if (a.stored() != b.stored() || a.pointers != b.pointers ||
      a.values != b.values || a.vectors != b.vectors)
    return false;
  for (int64_t p = 0; p < a.stored(); ++p)
    if (a.indices[p] != b.indices[p])
      return false;
  return true;
}

/// Packs from all scalar sources, compares, unpacks, shuffles, unpacks again.
static void checkAll(const CooMatrix &coo, ElementType type,
                     const SRBCRSEncoding &encoding) {
  auto packed = packCoo(coo, type, encoding);
  ASSERT_TRUE(bool(packed)) << why(packed);
  ASSERT_TRUE(bool(packed->validate())) << why(packed->validate());
  checkStored(*packed, modelOf(coo, encoding));
  auto fromCsr = packCsr(toCsr(coo), type, encoding);
  ASSERT_TRUE(bool(fromCsr)) << why(fromCsr);
  EXPECT_TRUE(sameStorage(*packed, *fromCsr));
  if (type.isPattern())
    return;

  auto dense = unpackToDense(*packed);
  ASSERT_TRUE(bool(dense)) << why(dense);
  auto again = packDense(dense->view(), encoding);
  ASSERT_TRUE(bool(again)) << why(again);
  EXPECT_TRUE(sameStorage(*packed, *again));

  ScalarMap expected = toMap(coo);
  auto back = unpackToCoo(*packed);
  ASSERT_TRUE(bool(back)) << why(back);
  EXPECT_EQ(toMap(*back), expected);
  for (const auto &[position, value] : expected)
    ASSERT_EQ(dense->at(position.first, position.second), value);

  ASSERT_TRUE(bool(shuffleVectors(*packed, 7)));
  ASSERT_TRUE(bool(packed->validate())) << why(packed->validate());
  auto shuffled = unpackToCoo(*packed);
  ASSERT_TRUE(bool(shuffled));
  EXPECT_EQ(toMap(*shuffled), expected);
}

TEST_P(RoundTrip, EveryOrderSlabIndexAndType) {
  auto [vector, stride] = GetParam();
  const int64_t cols = 77;
  const double densities[] = {0.02, 0.3, 1.0};
  uint64_t seed = static_cast<uint64_t>(vector * 100 + stride);
  for (VectorOrder order : {VectorOrder::Natural, VectorOrder::BankAware})
    for (int64_t slab : {0, 5, 32})
      for (IndexWidth index : {IndexWidth::I32, IndexWidth::U16})
        for (ElementType type : kTypes) {
          if (type.isPattern() && order == VectorOrder::BankAware)
            continue;
          SRBCRSEncoding encoding{vector, stride, order, slab, index};
          ++seed;
          SCOPED_TRACE(testing::Message()
                       << "order " << spelling(order) << ", slab " << slab
                       << ", index " << spelling(index) << ", type "
                       << type.name() << ", seed " << seed);
          checkAll(randomCoo(4 * vector, cols, densities[seed % 3], type,
                             vector, 2, seed),
                   type, encoding);
          if (HasFatalFailure())
            return;
        }
}

INSTANTIATE_TEST_SUITE_P(
    Encodings, RoundTrip,
    testing::Combine(testing::ValuesIn(kVectorLengths),
                     testing::ValuesIn(kStrides)),
    [](const testing::TestParamInfo<RoundTrip::ParamType> &info) {
      return "V" + std::to_string(std::get<0>(info.param)) + "Stride" +
             std::to_string(std::get<1>(info.param));
    });

TEST(RoundTripShapes, EdgeShapes) {
  // Rows of vectors x columns: K = 1, one vector-row, slab borders, strides
  // that are exactly full.
  const std::pair<int64_t, int64_t> shapes[] = {
      {1, 1}, {3, 1}, {1, 7}, {1, 32}, {2, 33}, {2, 64}, {3, 65}, {1, 300}};
  for (auto [rows, cols] : shapes)
    for (double density : {0.0, 0.1, 1.0})
      for (VectorOrder order : {VectorOrder::Natural, VectorOrder::BankAware})
        for (int64_t slab : {0, 1, 32}) {
          SRBCRSEncoding encoding{8, 32, order, slab, IndexWidth::I32};
          SCOPED_TRACE(testing::Message()
                       << rows << " x " << cols << " density " << density
                       << " order " << spelling(order) << " slab " << slab);
          checkAll(randomCoo(8 * rows, cols, density, {8, true}, 8, -1,
                             rows * 1000 + cols),
                   {8, true}, encoding);
        }
}
