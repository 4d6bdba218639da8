//===- TextScanner.h - Integers and lines of text files -------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A cursor over a text in memory. The integer scanner is written by hand
// because reading is dominated by it; line numbers are counted only for
// messages. A carriage return counts as a blank, so CRLF files read like
// others.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_FORMAT_TEXTSCANNER_H
#define MAGICUBE_LIB_FORMAT_TEXTSCANNER_H

#include "magicube/Support/Result.h"

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace mlir::magicube {

class TextScanner {
public:
  TextScanner(std::string_view text, std::string name)
      : begin(text.data()), next(text.data()), end(text.data() + text.size()),
        name(std::move(name)) {
    if (text.substr(0, kByteOrderMark.size()) == kByteOrderMark)
      next += kByteOrderMark.size();
  }

  bool atEnd() const { return next == end; }
  /// After skipBlanks(): nothing is left on the line.
  bool atLineEnd() const { return next == end || *next == '\n'; }
  void skipBlanks() {
    while (next != end && (*next == ' ' || *next == '\t' || *next == '\r'))
      ++next;
  }
  /// Moves to the begin of the next line (or the end of the text).
  void skipLine();
  /// Moves past blank lines, and past comment lines that start with `comment`
  /// unless it is 0. Returns false at the end of the text.
  bool skipToContent(char comment = 0);
  /// Moves past `c` if it is next.
  bool consume(char c) {
    if (next == end || *next != c)
      return false;
    ++next;
    return true;
  }

  /// Skips blanks and reads a decimal integer with optional sign, up to a
  /// blank, a comma or the line's end. Returns false and stays before the
  /// token if there is none, it is no integer or it leaves int64;
  /// integerError() then says which.
  bool integer(int64_t &value) {
    skipBlanks();
    const char *p = next;
    bool negative = p != end && *p == '-';
    if (p != end && (*p == '-' || *p == '+'))
      ++p;
    const char *digits = p;
    uint64_t magnitude = 0;
    while (p != end && *p >= '0' && *p <= '9')
      magnitude = magnitude * 10 + static_cast<uint64_t>(*p++ - '0');
    // What follows the sign may be leading zeros of any number; beyond 18
    // digits a slow look decides.
    if (p == digits || !isDelimiter(p) ||
        (p - digits > kSafeDigits && !fitsInt64(digits, p)))
      return false;
    value = static_cast<int64_t>(negative ? 0 - magnitude : magnitude);
    next = p;
    return true;
  }

  /// Skips blanks and reads a decimal number, as C++ does but for an optional
  /// `+`, up to a blank or the line's end. Returns false and stays before the
  /// token otherwise, and for a number beyond double.
  bool number(double &value);

  /// `expected <what>, but got <token>` for the failed integer() call.
  Error integerError(const std::string &what) const;
  /// `name:line: text` with the line of the cursor.
  Error error(const std::string &text, const std::string &note = {}) const;

  /// The characters up to the next blank, or up to the line's end.
  std::string_view token() const;
  /// Moves past token().
  std::string_view takeToken();
  /// For messages: the token in quotes, shortened, or `end of line`, `end of
  /// file`.
  std::string quotedToken() const;

  int64_t bytesLeft() const { return end - next; }
  /// Where the cursor is, to return there with seek().
  const char *position() const { return next; }
  void seek(const char *position) { next = position; }

private:
  /// Editors on Windows put it before the first character of UTF-8.
  static constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  /// Any number of so many digits fits in int64.
  static constexpr int64_t kSafeDigits = std::numeric_limits<int64_t>::digits10;

  bool isDelimiter(const char *p) const {
    return p == end || *p == ' ' || *p == '\n' || *p == '\t' || *p == '\r' ||
           *p == ',';
  }
  static bool fitsInt64(const char *digits, const char *digitsEnd);

  const char *begin;
  const char *next;
  const char *end;
  std::string name;
};

} // namespace mlir::magicube

#endif // MAGICUBE_LIB_FORMAT_TEXTSCANNER_H
