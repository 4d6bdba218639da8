//===- NpyTest.cpp - NumPy arrays -----------------------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Round trips, header variants that numpy writes, and every refusal.
//
//===----------------------------------------------------------------------===//

#include "TestUtil.h"

#include "magicube/Format/FileIO.h"
#include "magicube/Format/Npy.h"

#include <cstring>

using namespace mlir::magicube;
using namespace mlir::magicube::test;

/// A file with the given header and data.
static std::string npy(const std::string &header, const std::string &data,
                       char major = 1) {
  std::string bytes = "\x93NUMPY";
  bytes += major;
  bytes += '\0';
  uint32_t length = static_cast<uint32_t>(header.size());
  bytes.append(reinterpret_cast<const char *>(&length), major == 1 ? 2 : 4);
  return bytes + header + data;
}

static std::string dict(const std::string &descr, const std::string &order,
                        const std::string &shape) {
  return "{'descr': '" + descr + "', 'fortran_order': " + order +
         ", 'shape': " + shape + ", }\n";
}

static void expectNpyError(const std::string &bytes, const std::string &part) {
  expectError(parseNpy(bytes, "b.npy"), part);
}

TEST(Npy, FileRoundTripOfEveryTypeAndRank) {
  TemporaryFolder folder;
  const NpyType types[] = {NpyType::Bool, NpyType::I8,  NpyType::U8,
                           NpyType::I16,  NpyType::U16, NpyType::I32,
                           NpyType::U32,  NpyType::I64, NpyType::U64,
                           NpyType::F16,  NpyType::F32, NpyType::F64};
  const std::vector<int64_t> shapes[] = {{}, {3}, {2, 3}, {2, 1, 3, 2}, {0, 4}};
  for (NpyType type : types)
    for (const auto &shape : shapes) {
      NpyArray array{type, shape, {}};
      array.data.resize(array.elements() * npyTypeBytes(type));
      for (size_t i = 0; i < array.data.size(); ++i)
        array.data[i] = static_cast<uint8_t>(splitMix64(1, i));
      std::string path = folder.path("a.npy");
      ASSERT_TRUE(bool(writeNpy(path, array)));
      auto bytes = readFile(path);
      ASSERT_TRUE(bool(bytes));
      EXPECT_EQ((bytes->size() - array.data.size()) % 64, 0u);
      auto back = readNpy(path);
      ASSERT_TRUE(bool(back)) << why(back);
      EXPECT_EQ(back->type, type);
      EXPECT_EQ(back->shape, shape);
      EXPECT_EQ(back->data, array.data);
    }
}

TEST(Npy, WritesWhatNumpyWrites) {
  TemporaryFolder folder;
  NpyArray array{NpyType::I32, {1, 2}, std::vector<uint8_t>(8)};
  ASSERT_TRUE(bool(writeNpy(folder.path("a.npy"), array)));
  auto bytes = readFile(folder.path("a.npy"));
  ASSERT_TRUE(bool(bytes));
  EXPECT_EQ(bytes->size(), 128u + 8u);
  EXPECT_EQ(bytes->substr(10, 61),
            "{'descr': '<i4', 'fortran_order': False, 'shape': (1, 2), }  ");
  EXPECT_EQ((*bytes)[127], '\n');
}

TEST(Npy, Integers) {
  auto array =
      parseNpy(npy(dict("<i2", "False", "(2,)"), "\xFE\xFF\x01\x02"), "b.npy");
  ASSERT_TRUE(bool(array)) << why(array);
  EXPECT_EQ(array->integerAt(0), -2);
  EXPECT_EQ(array->integerAt(1), 0x201);
}

TEST(Npy, HeaderVariants) {
  const std::string headers[] = {
      dict("|i1", "False", "(2, 2)"),
      dict("<i1", "False", "(2,2)"),
      dict(">i1", "False", "(2, 2)"),
      "{\"shape\": (2, 2), \"descr\": \"|i1\", \"fortran_order\": False}",
      "{'descr':'|i1','fortran_order':False,'shape':(2,2)}     \n",
  };
  for (const std::string &header : headers)
    for (char major : {1, 2, 3}) {
      auto array = parseNpy(npy(header, "abcd", major), "b.npy");
      ASSERT_TRUE(bool(array)) << why(array) << header;
      EXPECT_EQ(array->shape, (std::vector<int64_t>{2, 2}));
      EXPECT_EQ(array->integerAt(3), 'd');
    }
  // Rank 1 is both orders; numpy writes False, others may not.
  EXPECT_TRUE(bool(parseNpy(npy(dict("|i1", "True", "(2,)"), "ab"), "b.npy")));
}

TEST(Npy, Container) {
  expectNpyError("", "b.npy: expected a .npy file");
  expectNpyError("PK\3\4 something", "expected a .npy file");
  expectNpyError("\x93NUMPY", "the header is truncated");
  expectNpyError(npy(dict("|i1", "False", "(1,)"), "a", 4),
                 "format version 1.0, 2.0 or 3.0, but got 4.0");
  std::string whole = npy(dict("|i1", "False", "(1,)"), "a");
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(bool(parseNpy(whole.substr(0, size), "b.npy"))) << size;
  EXPECT_TRUE(bool(parseNpy(whole, "b.npy")));
}

TEST(Npy, DataSize) {
  expectNpyError(npy(dict("<i4", "False", "(2, 3)"), std::string(23, 'x')),
                 "b.npy: expected 24 bytes of elements (6 of type int32), but "
                 "got 23");
  expectNpyError(npy(dict("<i4", "False", "(2, 3)"), std::string(25, 'x')),
                 "but got 25");
  expectNpyError(npy(dict("|i1", "False", "(1000000000000000000,)"), "x"),
                 "expected 1000000000000000000 bytes");
  expectNpyError(npy(dict("<i8", "False", "(4294967296, 4294967296)"), "x"),
                 "a shape whose size fits in 64 bits");
  expectNpyError(npy(dict("|i1", "False", "(99999999999999999999,)"), "x"),
                 "expected a dictionary");
}

TEST(Npy, TypesAndOrder) {
  auto result = parseNpy(npy(dict(">i4", "False", "(1,)"), "abcd"), "b.npy");
  expectError(result, "expected little-endian elements, but got '>i4'");
  EXPECT_EQ(result.error().note, "convert with array.astype('<i4')");
  expectNpyError(npy(dict("<f16", "False", "(1,)"), std::string(16, 'x')),
                 "but got '<f16'");
  expectNpyError(npy(dict("<c8", "False", "(1,)"), "abcdefgh"),
                 "but got '<c8'");
  expectNpyError(npy(dict("|O", "False", "(1,)"), ""), "but got '|O'");
  expectNpyError(npy(dict("", "False", "(1,)"), ""), "but got ''");
  expectNpyError(npy("{'descr': [('a', '<i4')], 'fortran_order': False, "
                     "'shape': (1,)}",
                     "abcd"),
                 "expected a plain element type");
}

/// `np.save(b.T)` writes the elements of b as they lie.
TEST(Npy, FortranOrder) {
  auto matrix = parseNpy(npy(dict("|i1", "True", "(2, 3)"), "abcdef"), "b.npy");
  ASSERT_TRUE(bool(matrix)) << why(matrix);
  EXPECT_EQ(matrix->shape, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(std::string(matrix->data.begin(), matrix->data.end()), "acebdf");
  auto wide = parseNpy(npy(dict("<i2", "True", "(2, 2)"), "aAbBcCdD"), "b.npy");
  ASSERT_TRUE(bool(wide)) << why(wide);
  EXPECT_EQ(std::string(wide->data.begin(), wide->data.end()), "aAcCbBdD");
  auto cube =
      parseNpy(npy(dict("|i1", "True", "(2, 1, 3)"), "abcdef"), "b.npy");
  ASSERT_TRUE(bool(cube)) << why(cube);
  EXPECT_EQ(std::string(cube->data.begin(), cube->data.end()), "acebdf");
  auto empty = parseNpy(npy(dict("|i1", "True", "(2, 0)"), ""), "b.npy");
  ASSERT_TRUE(bool(empty)) << why(empty);
  expectNpyError(npy(dict("|i1", "True", "(2, 3)"), "abcde"), "but got 5");
}

TEST(Npy, BooleansAreIntegers) {
  auto array =
      parseNpy(npy(dict("|b1", "False", "(2,)"), {"\x01\x00", 2}), "b.npy");
  ASSERT_TRUE(bool(array)) << why(array);
  EXPECT_TRUE(isInteger(array->type));
  EXPECT_EQ(array->integerAt(0), 1);
  EXPECT_EQ(array->integerAt(1), 0);
}

TEST(Npy, ShapesAsNumpyPrintsThem) {
  EXPECT_EQ((NpyArray{NpyType::I8, {}, {}}).shapeText(), "()");
  EXPECT_EQ((NpyArray{NpyType::I8, {16}, {}}).shapeText(), "(16,)");
  EXPECT_EQ((NpyArray{NpyType::I8, {16, 0}, {}}).shapeText(), "(16, 0)");
}

TEST(Npy, MalformedHeaders) {
  const std::string headers[] = {
      "",
      "{",
      "{}",
      "{'descr': '|i1', 'fortran_order': False}",
      "{'descr': '|i1', 'fortran_order': Maybe, 'shape': (1,)}",
      "{'descr': '|i1', 'fortran_order': False, 'shape': (1}",
      "{'descr': '|i1', 'fortran_order': False, 'shape': (-1,)}",
      "{'descr': '|i1', 'fortran_order': False, 'shape': 1}",
      "{'descr': '|i1', 'fortran_order': False, 'shape': (1 1)}",
      "{'descr': '|i1', 'fortran_order': False, 'shape': (1,), 'x': 1}",
      "{'descr': '|i1', 'descr': '|i1', 'fortran_order': False, 'shape': ()}",
      "{'descr': '|i1', 'fortran_order': False, 'shape': (1,)} x",
      "{'descr: |i1",
  };
  for (const std::string &header : headers) {
    SCOPED_TRACE(header);
    expectNpyError(npy(header, "a"), "expected a dictionary");
  }
}

TEST(Npy, WriterChecksSizes) {
  NpyArray array{NpyType::I8, {3}, {1, 2}};
  TemporaryFolder folder;
  expectError(writeNpy(folder.path("a.npy"), array), "expected 3 bytes");
  EXPECT_EQ(folder.fileCount(), 0u);
  array = {NpyType::I8, std::vector<int64_t>(40000, 1), {1}};
  expectError(writeNpy(folder.path("a.npy"), array),
              "expected a header of at most 65535 bytes");
}
