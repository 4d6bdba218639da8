//===- TestUtil.h - Helpers of the format tests ---------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Error matching, temporary folders and random scalar matrices.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_TEST_UNIT_FORMAT_TESTUTIL_H
#define MAGICUBE_TEST_UNIT_FORMAT_TESTUTIL_H

#include "magicube/Format/Random.h"
#include "magicube/Format/SparseMatrix.h"

#include "gtest/gtest.h"

#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <utility>

namespace mlir::magicube::test {

/// Expects failure with a message that contains `part`.
template <typename R>
void expectError(const R &result, const std::string &part) {
  ASSERT_FALSE(static_cast<bool>(result)) << "expected an error: " << part;
  EXPECT_NE(result.error().message.find(part), std::string::npos)
      << "got: " << result.error().message << "\nexpected: " << part;
}

/// The error's text, or an empty string: `ASSERT_TRUE(bool(r)) << why(r)`.
template <typename R>
std::string why(const R &result) {
  return result ? std::string() : result.error().message;
}

/// A folder that goes away with the object.
class TemporaryFolder {
public:
  TemporaryFolder() {
    std::string name =
        (std::filesystem::temp_directory_path() / "magicube-format-XXXXXX")
            .string();
    if (const char *made = mkdtemp(name.data()))
      root = made;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(root, ignored);
  }
  std::string path(const std::string &name) const {
    return (root / name).string();
  }
  size_t fileCount() const {
    size_t count = 0;
    for (const auto &entry : std::filesystem::directory_iterator(root))
      count += !entry.path().empty();
    return count;
  }

private:
  std::filesystem::path root;
};

/// Scalars by (row, column): the plainest sparse matrix there is.
using ScalarMap = std::map<std::pair<int64_t, int64_t>, int64_t>;

inline ScalarMap toMap(const CooMatrix &coo) {
  ScalarMap map;
  for (int64_t i = 0; i < coo.entries(); ++i)
    EXPECT_TRUE(
        map.emplace(std::pair(coo.row[i], coo.col[i]), coo.value[i]).second)
        << "duplicate at " << coo.row[i] << ", " << coo.col[i];
  return map;
}

/// A rows x cols matrix whose entries, with nonzero values of `type`, appear
/// with the given density; in random order. Vector-row `emptyRow` of V rows
/// stays empty.
inline CooMatrix randomCoo(int64_t rows, int64_t cols, double density,
                           ElementType type, int64_t vectorLength,
                           int64_t emptyRow, uint64_t seed) {
  CooMatrix coo;
  coo.rows = rows;
  coo.cols = cols;
  SeededValues values(type, seed + 1);
  uint64_t limit = static_cast<uint64_t>(density * 1000);
  for (int64_t i = 0; i < rows * cols; ++i) {
    if (splitMix64(seed, i) % 1000 >= limit ||
        i / cols / vectorLength == emptyRow)
      continue;
    int64_t value = values(i);
    coo.append(static_cast<int32_t>(i / cols), static_cast<int32_t>(i % cols),
               static_cast<int32_t>(value ? value : type.max()));
  }
  for (int64_t i = coo.entries() - 1; i > 0; --i) {
    int64_t j = static_cast<int64_t>(splitMix64(seed + 2, i) % (i + 1));
    std::swap(coo.row[i], coo.row[j]);
    std::swap(coo.col[i], coo.col[j]);
    std::swap(coo.value[i], coo.value[j]);
  }
  return coo;
}

/// The compressed rows of a matrix, columns ascending.
inline CsrMatrix toCsr(const CooMatrix &coo) {
  CsrMatrix csr;
  csr.rows = coo.rows;
  csr.cols = coo.cols;
  csr.offset.assign(coo.rows + 1, 0);
  for (const auto &[position, value] : toMap(coo)) {
    ++csr.offset[position.first + 1];
    csr.col.push_back(static_cast<int32_t>(position.second));
    csr.value.push_back(static_cast<int32_t>(value));
  }
  for (int64_t r = 0; r < csr.rows; ++r)
    csr.offset[r + 1] += csr.offset[r];
  return csr;
}

/// `<shared>/data/dlmc`, or an empty string if it is not there.
inline std::string dlmcFolder() {
  const char *shared = std::getenv("MAGICUBE_SHARED_DIR");
  std::filesystem::path folder =
      std::filesystem::path(shared ? shared : MAGICUBE_DEFAULT_SHARED_DIR) /
      "data" / "dlmc";
  return std::filesystem::is_directory(folder) ? folder.string() : "";
}

} // namespace mlir::magicube::test

#endif // MAGICUBE_TEST_UNIT_FORMAT_TESTUTIL_H
