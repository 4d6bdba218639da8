//===- SpmmCostTest.cpp - Unit tests of the cost of SpMM schedules --------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The model against measured times, and how its choices follow the numbers.
//
//===----------------------------------------------------------------------===//

#include "magicube/CostModel/SpmmCost.h"

#include "gtest/gtest.h"

#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <optional>
#include <ostream>
#include <sstream>

using namespace mlir::magicube;

namespace mlir::magicube {
static std::ostream &operator<<(std::ostream &os, const Tiling &tiling) {
  return os << (tiling.isStationary ? "stationary " : "gathered ")
            << tiling.tileN << " columns, " << tiling.warps << " warps, "
            << tiling.stages << " stages, " << tiling.numCtas << " blocks";
}
} // namespace mlir::magicube

namespace {

const GpuTarget &getChip(const char *name) { return **lookupGpuTarget(name); }

/// An int8 product in the recommended encoding, with equal vector-rows.
ProductNumbers makeProduct(int64_t m, int64_t k, int64_t n, double density,
                           int64_t v = 8) {
  ProductNumbers product;
  product.vectorRows = m / v;
  product.inner = k;
  product.columns = n;
  product.longest = std::llround(density * k);
  product.vectors = product.longest * product.vectorRows;
  product.vector = v;
  product.stride = 32;
  product.isBankAware = true;
  product.indexBytes = 2;
  product.valueBits = 8;
  product.denseBits = 8;
  product.resultBits = 32;
  product.chunkMmas = v == 16 ? 2 : 1;
  product.groupColumns = 16;
  product.accumulators = 1;
  product.stepRegisters = v == 16 ? 5 : 3;
  return product;
}

/// The gathered tiling of int8 products.
Tiling getGathered(int64_t n) {
  int64_t tile = n <= 16 ? 16 : n <= 32 ? 32 : n <= 64 ? 64 : 128;
  return {false, tile, std::max<int64_t>(1, tile / 64), 2, 0};
}

Tiling choose(const ProductNumbers &product, const char *chip = "sm_90") {
  return estimateTilings(product, getChip(chip), getGathered(product.columns),
                         /*mayBeStationary=*/true)
      .front()
      .tiling;
}

//===----------------------------------------------------------------------===//
// Measured times
//===----------------------------------------------------------------------===//

/// One product with the times of its schedules.
struct Measured {
  ProductNumbers product;
  struct Row {
    Tiling tiling;
    int64_t indexBytes;
    double microseconds;
  };
  std::vector<Row> rows;

  std::optional<double> find(const Tiling &tiling) const {
    for (const Row &row : rows)
      if (row.tiling == tiling)
        return row.microseconds;
    return std::nullopt;
  }
  double best() const {
    double least = std::numeric_limits<double>::infinity();
    for (const Row &row : rows)
      least = std::min(least, row.microseconds);
    return least;
  }
};

std::vector<Measured> readMeasured() {
  std::ifstream file(MAGICUBE_MEASURED_SCHEDULES);
  std::map<std::string, Measured> products;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#')
      continue;
    std::istringstream words(line);
    std::string matrix, layout;
    int64_t m, k, n, v, vectors, longest;
    Measured::Row row;
    words >> matrix >> m >> k >> n >> v >> vectors >> longest >>
        row.tiling.tileN >> row.tiling.warps >> row.tiling.stages >>
        row.tiling.numCtas >> layout >> row.indexBytes >> row.microseconds;
    EXPECT_FALSE(words.fail()) << line;
    row.tiling.isStationary = row.tiling.numCtas > 0;
    std::string key =
        matrix + " N = " + std::to_string(n) + " V = " + std::to_string(v);
    Measured &measured = products[key];
    measured.product = makeProduct(m, k, n, 0, v);
    measured.product.vectors = vectors;
    measured.product.longest = longest;
    measured.rows.push_back(row);
  }
  std::vector<Measured> result;
  for (auto &[key, measured] : products)
    result.push_back(std::move(measured));
  return result;
}

/// What choosing by the model costs: time of the choice by that of the best
/// schedule measured, geometric mean over the products.
TEST(SpmmCost, ChoosesWithinFivePercentOfTheBestMeasured) {
  std::vector<Measured> products = readMeasured();
  ASSERT_GE(products.size(), 60u);
  double sum = 0, worst = 0;
  for (const Measured &measured : products) {
    std::optional<double> chosen;
    // The first of those that were measured.
    for (const TilingEstimate &estimate :
         estimateTilings(measured.product, getChip("sm_90"),
                         getGathered(measured.product.columns), true))
      if (!chosen)
        chosen = measured.find(estimate.tiling);
    ASSERT_TRUE(chosen);
    double loss = std::log(*chosen / measured.best());
    sum += loss;
    worst = std::max(worst, loss);
  }
  double mean = std::exp(sum / products.size());
  RecordProperty("mean", std::to_string(mean));
  RecordProperty("worst", std::to_string(std::exp(worst)));
  std::cout << products.size() << " products: the choice takes " << mean
            << " times the best measured (geometric mean), at worst "
            << std::exp(worst) << "\n";
  EXPECT_LE(mean, 1.05);
  EXPECT_LE(std::exp(worst), 1.2);
}

/// Estimates are times, not mere ranks.
TEST(SpmmCost, EstimatesAreNearMeasuredTimes) {
  double squares = 0;
  int64_t count = 0;
  for (Measured &measured : readMeasured())
    for (const Measured::Row &row : measured.rows) {
      // More blocks than fit at once, or a ring too large to run two: shapes
      // that the model never considers.
      if (row.tiling.numCtas > 132 ||
          (!row.tiling.numCtas && row.tiling.stages > 2))
        continue;
      ProductNumbers product = measured.product;
      product.indexBytes = row.indexBytes;
      double error =
          std::log(estimateMicroseconds(product, getChip("sm_90"), row.tiling) /
                   row.microseconds);
      squares += error * error;
      ++count;
    }
  double deviation = std::sqrt(squares / count);
  std::cout << count << " times: estimates deviate by " << deviation
            << " (root mean square of the logarithm)\n";
  EXPECT_LE(deviation, 0.12);
}

//===----------------------------------------------------------------------===//
// Choices
//===----------------------------------------------------------------------===//

TEST(SpmmCost, DenserMatricesAreStationary) {
  Tiling wide = {true, 64, 16, 4, 132};
  EXPECT_EQ(choose(makeProduct(2048, 2304, 512, 0.5)), wide);
  // With less to do, what stages cost at the beginning counts.
  wide.stages = 2;
  EXPECT_EQ(choose(makeProduct(2048, 2304, 512, 0.3)), wide);
  EXPECT_EQ(choose(makeProduct(2048, 2304, 512, 0.02)), getGathered(512));
}

TEST(SpmmCost, NarrowerTilesWhereMoreRowsMustFit) {
  Tiling tiling = choose(makeProduct(4096, 4096, 4096, 0.1));
  EXPECT_TRUE(tiling.isStationary);
  EXPECT_EQ(tiling.tileN, 32);
  tiling = choose(makeProduct(4096, 14336, 16, 0.5));
  EXPECT_EQ(tiling, (Tiling{true, 16, 16, 4, 132}));
  // 16384 rows of 16 bytes are 256 KiB.
  EXPECT_TRUE(
      stationaryTilings(makeProduct(4096, 16384, 16, 0.5), getChip("sm_90"))
          .empty());
  EXPECT_FALSE(choose(makeProduct(4096, 16384, 16, 0.5)).isStationary);
}

TEST(SpmmCost, FewColumnsTakeOneFragment) {
  for (int64_t n : {1, 7, 16})
    EXPECT_EQ(choose(makeProduct(4096, 4096, n, 0.3)),
              (Tiling{true, 16, 16, 4, 132}))
        << n;
}

TEST(SpmmCost, OneLongVectorRowDelaysGatheredKernelsAlone) {
  ProductNumbers even = makeProduct(8192, 4096, 256, 0.02);
  ProductNumbers skewed = even;
  skewed.longest = 4096;
  const GpuTarget &target = getChip("sm_90");
  EXPECT_FALSE(choose(even).isStationary);
  EXPECT_TRUE(choose(skewed).isStationary);
  Tiling stationary = stationaryTilings(even, target).front();
  EXPECT_EQ(estimateMicroseconds(even, target, stationary),
            estimateMicroseconds(skewed, target, stationary));
}

TEST(SpmmCost, NaturalOrderSlowsStationaryKernels) {
  ProductNumbers product = makeProduct(2048, 2304, 512, 0.5);
  const GpuTarget &target = getChip("sm_90");
  Tiling stationary = {true, 64, 16, 4, 132};
  double bankAware = estimateMicroseconds(product, target, stationary);
  product.isBankAware = false;
  EXPECT_GT(estimateMicroseconds(product, target, stationary), 1.3 * bankAware);
}

TEST(SpmmCost, ManyWarpsOnlyWhereRegistersDo) {
  auto most = [](const ProductNumbers &product) {
    int64_t warps = 0;
    for (const Tiling &tiling : stationaryTilings(product, getChip("sm_90")))
      warps = std::max(warps, tiling.warps);
    return warps;
  };
  ProductNumbers product = makeProduct(4096, 1024, 256, 0.3);
  EXPECT_EQ(most(product), 32);
  product.valueBits = 16;
  EXPECT_EQ(most(product), 16);
  product = makeProduct(4096, 1024, 256, 0.3, /*v=*/16);
  EXPECT_EQ(most(product), 16);
}

TEST(SpmmCost, NarrowerTilesWhereRegistersLack) {
  auto widest = [](const ProductNumbers &product) {
    int64_t columns = 0;
    for (const Tiling &tiling : stationaryTilings(product, getChip("sm_90")))
      columns = std::max(columns, tiling.tileN);
    return columns;
  };
  EXPECT_EQ(widest(makeProduct(4096, 1024, 256, 0.3)), 64);
  ProductNumbers product = makeProduct(4096, 1024, 256, 0.3, /*v=*/16);
  EXPECT_EQ(widest(product), 32);
  // 16-bit values: two digits.
  product.valueBits = 16;
  product.accumulators = 2;
  product.stepRegisters = 9;
  // A chunk is left, which pays for one tile alone.
  EXPECT_EQ(widest(product), 0);
  product.columns = 16;
  EXPECT_EQ(widest(product), 16);
}

TEST(SpmmCost, AStageLessWhereThatIsEnough) {
  ProductNumbers product = makeProduct(4096, 1024, 256, 0.3);
  product.denseBits = 4;
  product.groupColumns = 32;
  std::vector<Tiling> tilings = stationaryTilings(product, getChip("sm_90"));
  auto contains = [&](const Tiling &tiling) {
    return std::find(tilings.begin(), tilings.end(), tiling) != tilings.end();
  };
  EXPECT_TRUE(contains({true, 128, 16, 2, 132}));
  EXPECT_TRUE(contains({true, 128, 16, 3, 132}));
  EXPECT_FALSE(contains({true, 128, 16, 4, 132}));
}

TEST(SpmmCost, SlabsForManyRowsAndFewColumns) {
  ProductNumbers product = makeProduct(16384, 16384, 16, 0.1);
  EXPECT_FALSE(choose(product).isStationary);
  product.slab = 8192;
  // 2048 vector-rows on 132 multiprocessors; two slabs would take 256 KiB.
  Tiling expected = {true,         16, 32, 4, /*numCtas=*/0, /*rows=*/16,
                     /*buffers=*/1};
  EXPECT_EQ(choose(product), expected);
  product.slab = 4096;
  expected.smemStages = 3;
  EXPECT_EQ(choose(product), expected);
  // No more buffers than slabs.
  product.slab = 20000;
  product.inner = 8000;
  expected.smemStages = 1;
  EXPECT_EQ(choose(product), expected);
  // With many columns, each tile goes through all slabs.
  product = makeProduct(16384, 16384, 1024, 0.1);
  product.slab = 8192;
  EXPECT_FALSE(choose(product).isStationary);
  // A slab that does not fit, and one whose shares could not be cut.
  product = makeProduct(16384, 16384, 16, 0.1);
  product.slab = 16384;
  EXPECT_TRUE(stationaryTilings(product, getChip("sm_90")).empty());
  product.inner = 1 << 30;
  product.slab = 8192;
  EXPECT_TRUE(stationaryTilings(product, getChip("sm_90")).empty());
}

TEST(SpmmCost, EveryTilingFitsItsChip) {
  for (const GpuTarget &target : gpuTargets())
    for (int64_t k : {1, 16, 512, 2304, 4096, 14336, 65535, 1 << 30})
      for (int64_t bits : {4, 8, 16}) {
        ProductNumbers product = makeProduct(4096, k, 1024, 0.1);
        product.denseBits = bits;
        product.groupColumns = bits == 4 ? 32 : 16;
        for (const Tiling &tiling : stationaryTilings(product, target)) {
          EXPECT_LE(k * tiling.tileN * bits / 8,
                    target.maxSharedMemoryPerBlock);
          EXPECT_EQ(tiling.tileN % product.groupColumns, 0);
          EXPECT_EQ(tiling.numCtas, target.multiprocessors);
        }
      }
}

TEST(SpmmCost, EmptyAndTinyProductsHaveATime) {
  for (int64_t n : {0, 1, 130})
    for (int64_t rows : {0, 1, 3})
      for (int64_t vectors : {0, 1}) {
        ProductNumbers product = makeProduct(8 * rows, 1, n, 0);
        product.vectors = product.longest = vectors;
        for (const TilingEstimate &estimate :
             estimateTilings(product, getChip("sm_90"), getGathered(n), true)) {
          EXPECT_GT(estimate.microseconds, 0) << estimate.tiling;
          EXPECT_LT(estimate.microseconds, 20) << estimate.tiling;
        }
        EXPECT_FALSE(choose(product).isStationary);
      }
}

} // namespace
