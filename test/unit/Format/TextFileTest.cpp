//===- TextFileTest.cpp - Text files, plain or packed by gzip -------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Members, damage of every kind, and files that unpack to far more than they
// are.
//
//===----------------------------------------------------------------------===//

#include "TestUtil.h"

#include "lib/Format/TextFile.h"
#include "magicube/Format/FileIO.h"
#include "magicube/Format/SparseFiles.h"

#include <zlib.h>

using namespace mlir::magicube;
using namespace mlir::magicube::test;

namespace {

std::string gzip(const std::string &text) {
  z_stream stream = {};
  EXPECT_EQ(deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED,
                         MAX_WBITS + 16, /*memLevel=*/8, Z_DEFAULT_STRATEGY),
            Z_OK);
  std::string packed(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef *>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

void expectText(const std::string &packed, const std::string &text) {
  auto unpacked = unpackGzip(packed, "a.gz");
  ASSERT_TRUE(bool(unpacked)) << why(unpacked);
  EXPECT_EQ(*unpacked, text);
}

TEST(TextFile, UnpacksMembers) {
  expectText(gzip(""), "");
  expectText(gzip("one\n"), "one\n");
  expectText(gzip("one\n") + gzip("") + gzip("two\n"), "one\ntwo\n");
  expectText(gzip("one\n") + std::string(512, '\0'), "one\n");
  // Longer than a chunk, packed and unpacked.
  std::string noise;
  for (uint64_t i = 0; i < 400000; ++i)
    noise += std::to_string(splitMix64(1, i)) + "\n";
  expectText(gzip(noise), noise);
}

TEST(TextFile, RefusesDamage) {
  std::string packed = gzip("some text that is packed\n");
  for (size_t size = 2; size < packed.size(); ++size)
    expectError(unpackGzip(packed.substr(0, size), "a.gz"),
                "a.gz: the gzip file is truncated");
  std::string damaged = packed;
  damaged[damaged.size() - 6] ^= 1; // the checksum
  expectError(unpackGzip(damaged, "a.gz"), "a.gz: the gzip file is damaged");
  expectError(unpackGzip(packed + "x and more", "a.gz"),
              "a.gz: the gzip file is damaged");
  for (uint64_t seed = 0; seed < 500; ++seed) {
    damaged = packed;
    damaged[splitMix64(seed, 0) % damaged.size()] ^= 1
                                                     << splitMix64(seed, 1) % 8;
    (void)unpackGzip(damaged, "a.gz");
  }
}

TEST(TextFile, RefusesToFillMemory) {
  EXPECT_EQ(unpackedLimit(100), 64 << 20);
  EXPECT_EQ(unpackedLimit(1 << 20), 256 << 20);
  EXPECT_EQ(unpackedLimit(int64_t(1) << 40), int64_t(1) << 32);
  std::string bomb = gzip(std::string((64 << 20) + 1, ' '));
  expectError(unpackGzip(bomb, "a.gz"),
              "a.gz: expected at most 67108864 bytes of text in a gzip file of "
              "65");
}

/// What is packed follows from the bytes, whatever the name.
TEST(TextFile, MatricesReadAlike) {
  TemporaryFolder folder;
  const std::string mtx =
      "%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 2 3\n";
  const std::string smtx = "2, 3, 1\n0 0 1\n2\n";
  for (const char *name : {"a", "a.gz"})
    for (bool isPacked : {false, true}) {
      std::string path = folder.path(name);
      ASSERT_TRUE(bool(writeFile(path, isPacked ? gzip(mtx) : mtx)));
      auto coo = readMtx(path);
      ASSERT_TRUE(bool(coo)) << why(coo);
      EXPECT_EQ(coo->value, (std::vector<int32_t>{3}));
      ASSERT_TRUE(bool(writeFile(path, isPacked ? gzip(smtx) : smtx)));
      auto csr = readSmtx(path);
      ASSERT_TRUE(bool(csr)) << why(csr);
      EXPECT_EQ(csr->col, (std::vector<int32_t>{2}));
    }
  std::string path = folder.path("b.mtx.gz");
  ASSERT_TRUE(bool(writeFile(path, gzip(mtx + "1 1 1\n"))));
  expectError(readMtx(path), "b.mtx.gz:4: expected the end of the file");
}

} // namespace
