//===- ReaderFuzzTest.cpp - Damaged files never crash a reader ------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Seeded mutations of valid files: readers must return, and what they accept
// must be a valid matrix. Of use above all under AddressSanitizer.
//
//===----------------------------------------------------------------------===//

#include "TestUtil.h"

#include "magicube/Format/Npy.h"
#include "magicube/Format/SparseFiles.h"

using namespace mlir::magicube;
using namespace mlir::magicube::test;

static constexpr uint64_t kMutants = 4000;

/// Applies one to four edits: overwrite, delete, duplicate a piece, truncate.
static std::string mutate(std::string text, const std::string &alphabet,
                          uint64_t seed) {
  uint64_t draws = 0;
  auto draw = [&](uint64_t bound) { return splitMix64(seed, draws++) % bound; };
  for (uint64_t edits = 1 + draw(4); edits > 0 && !text.empty(); --edits) {
    size_t at = draw(text.size());
    size_t length = 1 + draw(4);
    switch (draw(4)) {
    case 0:
      text[at] = alphabet[draw(alphabet.size())];
      break;
    case 1:
      text.erase(at, length);
      break;
    case 2:
      text.insert(draw(text.size()), text.substr(at, length));
      break;
    case 3:
      if (draw(8) == 0)
        text.resize(at);
      break;
    }
  }
  return text;
}

TEST(ReaderFuzz, Mtx) {
  const std::string text = "%%MatrixMarket matrix coordinate integer general\n"
                           "% c\n4 5 3\n1 2 -3\n3 5 100\n4 1 7\n";
  for (uint64_t seed = 0; seed < kMutants; ++seed) {
    auto matrix = parseMtx(mutate(text, "0123456789- \n%\r.,x", seed), "a");
    if (!matrix)
      EXPECT_EQ(matrix.error().message.substr(0, 2), "a:");
    else
      EXPECT_TRUE(matrix->validate() && !matrix->findDuplicate());
  }
}

TEST(ReaderFuzz, Smtx) {
  const std::string text = "4, 9, 6\n0 2 2 5 6\n0 8 1 2 3 4\n";
  for (uint64_t seed = 0; seed < kMutants; ++seed) {
    auto pattern = parseSmtx(mutate(text, "0123456789- \n,\r.x", seed), "a");
    if (!pattern)
      EXPECT_EQ(pattern.error().message.substr(0, 2), "a:");
    else
      EXPECT_TRUE(bool(pattern->validate())) << why(pattern->validate());
  }
}

TEST(ReaderFuzz, Npy) {
  std::string bytes("\x93NUMPY\1\0\x46\0", 10);
  bytes += "{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3), }";
  bytes += std::string(10, ' ') + "\n" + std::string(12, 'x');
  ASSERT_TRUE(bool(parseNpy(bytes, "a")));
  for (uint64_t seed = 0; seed < kMutants; ++seed) {
    auto array =
        parseNpy(mutate(bytes, "0123456789(){}',: <>|\x7F\1", seed), "a");
    if (!array)
      EXPECT_EQ(array.error().message.substr(0, 2), "a:");
    else
      EXPECT_EQ(static_cast<int64_t>(array->data.size()),
                array->elements() * npyTypeBytes(array->type));
  }
}
