//===- FileIOTest.cpp - Whole files in and out ----------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replacement is all or nothing and leaves no temporary files behind.
//
//===----------------------------------------------------------------------===//

#include "TestUtil.h"

#include "magicube/Format/FileIO.h"

#include <fstream>

using namespace mlir::magicube;
using namespace mlir::magicube::test;

namespace fs = std::filesystem;

TEST(FileIO, RoundTrip) {
  TemporaryFolder folder;
  std::string path = folder.path("a");
  for (const std::string &bytes :
       {std::string("first"), std::string(), std::string(3000000, '\0')}) {
    ASSERT_TRUE(bool(writeFile(path, bytes)));
    auto back = readFile(path);
    ASSERT_TRUE(bool(back)) << why(back);
    EXPECT_EQ(*back, bytes);
    EXPECT_EQ(folder.fileCount(), 1u);
  }
}

TEST(FileIO, ReadErrors) {
  TemporaryFolder folder;
  expectError(readFile(folder.path("none")), "none': No such file");
  expectError(readFile(folder.path("")), "neither a regular file nor a pipe");
  expectError(readFile("/dev/zero"), "neither a regular file nor a pipe");
  expectError(readFile(""), "cannot read ''");
}

TEST(FileIO, WriteErrors) {
  TemporaryFolder folder;
  expectError(writeFile(folder.path("none/a"), "x"),
              "none/a': No such file or directory");
  fs::create_directory(folder.path("d"));
  expectError(writeFile(folder.path("d"), "x"), "Is a directory");
  expectError(writeFile("", "x"), "cannot write ''");
  // A device that is always full: the error of the delayed write is seen.
  if (fs::exists("/dev/full"))
    expectError(writeFile("/dev/full", "x"), "No space left on device");
  EXPECT_EQ(folder.fileCount(), 1u);
}

TEST(FileIO, AFailedWriteLeavesTheFile) {
  TemporaryFolder folder;
  std::string path = folder.path("a");
  ASSERT_TRUE(bool(writeFile(path, "old")));
  fs::permissions(path, fs::perms::owner_read);
  // The superuser may write anything; everyone else is refused.
  bool allowed = static_cast<bool>(std::ofstream(path, std::ios::app));
  Status status = writeFile(path, "new");
  EXPECT_EQ(bool(status), allowed);
  auto content = readFile(path);
  ASSERT_TRUE(bool(content));
  EXPECT_EQ(*content, allowed ? "new" : "old");
  EXPECT_EQ(folder.fileCount(), 1u);
}

TEST(FileIO, KeepsPermissionsAndLinks) {
  TemporaryFolder folder;
  std::string path = folder.path("a");
  ASSERT_TRUE(bool(writeFile(path, "old")));
  fs::perms mode = fs::perms::owner_all | fs::perms::group_read;
  fs::permissions(path, mode);
  fs::create_symlink("a", folder.path("link"));
  ASSERT_TRUE(bool(writeFile(folder.path("link"), "new")));
  EXPECT_TRUE(fs::is_symlink(folder.path("link")));
  EXPECT_EQ(fs::status(path).permissions(), mode);
  auto content = readFile(path);
  ASSERT_TRUE(bool(content));
  EXPECT_EQ(*content, "new");
}

TEST(FileIO, DevicesAreWrittenNotReplaced) {
  ASSERT_TRUE(bool(writeFile("/dev/null", "x")));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}
