//===- DlmcTest.cpp - Real pruned layers ----------------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads every matrix of the collection's sample and sends each through packer
// and unpacker. Skipped, visibly, where the data is not there.
//
//===----------------------------------------------------------------------===//

#include "TestUtil.h"

#include "magicube/Format/Packer.h"
#include "magicube/Format/SparseFiles.h"

using namespace mlir::magicube;
using namespace mlir::magicube::test;

namespace fs = std::filesystem;

static std::vector<std::string> dlmcFiles() {
  std::vector<std::string> files;
  for (const auto &entry : fs::recursive_directory_iterator(dlmcFolder()))
    if (entry.path().extension() == ".smtx")
      files.push_back(entry.path().string());
  return files;
}

/// Compares the stored columns of each row with the pattern, as sets.
static void checkColumns(const SRBCRSMatrix &matrix, const CsrMatrix &pattern) {
  auto coo = unpackToCoo(matrix);
  ASSERT_TRUE(bool(coo)) << why(coo);
  // Values are all ones, so component 0 of every vector is an entry.
  std::vector<int64_t> found(pattern.rows);
  for (int64_t i = 0; i < coo->entries(); ++i)
    if (coo->row[i] % matrix.encoding.vector == 0)
      ++found[coo->row[i] / matrix.encoding.vector];
  for (int64_t r = 0; r < pattern.rows; ++r)
    ASSERT_EQ(found[r], pattern.offset[r + 1] - pattern.offset[r]) << r;
}

TEST(Dlmc, EveryMatrixPacks) {
  if (dlmcFolder().empty())
    GTEST_SKIP() << "no data/dlmc in the shared folder; set "
                    "MAGICUBE_SHARED_DIR";
  std::vector<std::string> files = dlmcFiles();
  ASSERT_FALSE(files.empty());
  for (const std::string &file : files) {
    SCOPED_TRACE(file);
    auto pattern = readSmtx(file);
    ASSERT_TRUE(bool(pattern)) << why(pattern);
    for (VectorOrder order : {VectorOrder::Natural, VectorOrder::BankAware}) {
      SRBCRSEncoding encoding;
      encoding.vector = 2;
      encoding.order = order;
      auto matrix = packPattern(*pattern, {8, true}, encoding,
                                [](int64_t, int64_t) { return 1; });
      ASSERT_TRUE(bool(matrix)) << why(matrix);
      EXPECT_EQ(matrix->vectors, pattern->entries());
      checkColumns(*matrix, *pattern);
    }
  }
}
