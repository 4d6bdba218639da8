//===- ArgumentText.h - Words of a command line ---------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the texts of arguments are made of, and what their types ask of them.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_FORMAT_ARGUMENTTEXT_H
#define MAGICUBE_LIB_FORMAT_ARGUMENTTEXT_H

#include "magicube/Format/MatrixType.h"

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace mlir::magicube {

/// Takes a number and then, unless it is empty, `separator` off `text`.
template <typename T>
bool consumeNumber(std::string_view &text, T &value,
                   std::string_view separator) {
  const char *begin = text.data(), *end = begin + text.size();
  auto [rest, code] = std::from_chars(begin, end, value);
  if (code != std::errc())
    return false;
  text.remove_prefix(rest - begin);
  if (text.substr(0, separator.size()) != separator)
    return false;
  text.remove_prefix(separator.size());
  return true;
}

inline bool consumePrefix(std::string_view &text, std::string_view prefix) {
  if (text.substr(0, prefix.size()) != prefix)
    return false;
  text.remove_prefix(prefix.size());
  return true;
}

inline bool endsWith(std::string_view text, std::string_view suffix) {
  return text.size() >= suffix.size() &&
         text.substr(text.size() - suffix.size()) == suffix;
}

/// Whether `text` names a file of kind `.mtx` or `.smtx`, perhaps packed.
inline bool namesText(std::string_view text, std::string_view suffix) {
  constexpr std::string_view packed = ".gz";
  if (endsWith(text, packed))
    text.remove_suffix(packed.size());
  return endsWith(text, suffix);
}

/// `random:MxK@D`: M x K elements in vectors of which a part of D is stored.
struct RandomSparse {
  int64_t rows = 0, cols = 0;
  double density = 0;

  /// Nothing if `text` is not of that form, or out of range for vectors of
  /// length `vector`.
  static std::optional<RandomSparse> parse(std::string_view text,
                                           int64_t vector);
};

/// Checks extents against the static ones of the type.
Status checkShape(const MatrixType &type, int64_t rows, int64_t cols);

} // namespace mlir::magicube

#endif // MAGICUBE_LIB_FORMAT_ARGUMENTTEXT_H
