//===- FormatBench.cpp - Timings of packer and readers --------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints the times that the project sets itself targets for: packing 4096 x
// 4096 at 90% sparsity, V = 8, under 60 ms on one core; reading under 0.2 s.
//
//===----------------------------------------------------------------------===//

#include "magicube/Format/Packer.h"
#include "magicube/Format/Random.h"
#include "magicube/Format/Reference.h"
#include "magicube/Format/SparseFiles.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

using namespace mlir::magicube;

static constexpr int kRepetitions = 5;

/// Prints the fastest of a few runs; `run` returns false on failure.
template <typename Run>
static void measure(const char *what, Run run) {
  double best = 1e9;
  for (int i = 0; i < kRepetitions; ++i) {
    auto start = std::chrono::steady_clock::now();
    if (!run()) {
      std::printf("%-44s failed\n", what);
      return;
    }
    std::chrono::duration<double, std::milli> time =
        std::chrono::steady_clock::now() - start;
    best = std::min(best, time.count());
  }
  std::printf("%-44s %8.2f ms\n", what, best);
}

static CsrMatrix expandToScalars(const CooMatrix &coo) {
  CsrMatrix csr;
  csr.rows = coo.rows;
  csr.cols = coo.cols;
  csr.offset.assign(coo.rows + 1, 0);
  for (int32_t row : coo.row)
    ++csr.offset[row + 1];
  for (int64_t r = 0; r < csr.rows; ++r)
    csr.offset[r + 1] += csr.offset[r];
  csr.col = coo.col; // unpackToCoo yields rows in order
  csr.value = coo.value;
  return csr;
}

int main() {
  const ElementType type{8, true};
  const int64_t size = 4096;
  CsrMatrix pattern = randomPattern(size / 8, size, 0.1, 1);
  SeededValues values(type, 2);
  auto source = [&](int64_t i, int64_t v) { return values(i * 8 + v); };
  auto packed = packPattern(pattern, type, {}, source);
  if (!packed)
    return 1;
  auto coo = unpackToCoo(*packed);
  auto dense = unpackToDense(*packed);
  if (!coo || !dense)
    return 1;
  CsrMatrix csr = expandToScalars(*coo);

  std::printf("4096 x 4096, 90%% sparse, V = 8, int8:\n");
  for (VectorOrder order : {VectorOrder::Natural, VectorOrder::BankAware}) {
    SRBCRSEncoding encoding;
    encoding.order = order;
    std::printf("%s order\n", std::string(spelling(order)).c_str());
    measure("  pack from dense",
            [&] { return bool(packDense(dense->view(), encoding)); });
    measure("  pack from CSR",
            [&] { return bool(packCsr(csr, type, encoding)); });
    measure("  pack from COO",
            [&] { return bool(packCoo(*coo, type, encoding)); });
    measure("  pack from a pattern",
            [&] { return bool(packPattern(pattern, type, encoding, source)); });
  }
  measure("validate", [&] { return bool(packed->validate()); });
  measure("unpack to dense", [&] { return bool(unpackToDense(*packed)); });
  measure("unpack to COO", [&] { return bool(unpackToCoo(*packed)); });

  CsrMatrix large = randomPattern(2048, 6000, 0.1, 3);
  std::string path = "format-bench.smtx", mtxPath = "format-bench.mtx";
  if (writeSmtx(path, large))
    measure("read .smtx, 1.2M entries", [&] { return bool(readSmtx(path)); });
  if (writeMtx(mtxPath, *coo))
    measure("read .mtx, 1.7M entries", [&] { return bool(readMtx(mtxPath)); });
  std::remove(path.c_str());
  std::remove(mtxPath.c_str());

  CsrMatrix layer = randomPattern(2048, 2304, 0.1, 4);
  auto rhs = DenseMatrix::random(2304, 512, type, 5);
  if (rhs)
    measure("reference 2048 x 2304 x 512, 90% sparse",
            [&] { return bool(referenceSpmm(layer, rhs->view())); });
  return 0;
}
