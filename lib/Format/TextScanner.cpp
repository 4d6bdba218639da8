//===- TextScanner.cpp - Integers and lines of text files -----------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of the scanner that run once per line or only for messages.
//
//===----------------------------------------------------------------------===//

#include "TextScanner.h"

#include "Message.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace mlir::magicube {

/// Longest piece of the user's text in a message.
static constexpr size_t kQuotedLimit = 40;

void TextScanner::skipLine() {
  next = std::find(next, end, '\n');
  if (next != end)
    ++next;
}

bool TextScanner::skipToContent(char comment) {
  while (true) {
    skipBlanks();
    if (next == end)
      return false;
    if (*next != '\n' && !(comment && *next == comment))
      return true;
    skipLine();
  }
}

bool TextScanner::fitsInt64(const char *digits, const char *digitsEnd) {
  while (digits != digitsEnd && *digits == '0')
    ++digits;
  std::string_view text(digits, digitsEnd - digits);
  std::string limit = std::to_string(std::numeric_limits<int64_t>::max());
  return text.size() < limit.size() ||
         (text.size() == limit.size() && text <= limit);
}

bool TextScanner::number(double &value) {
  skipBlanks();
  std::string_view text = token();
  if (text.size() > 1 && text[0] == '+' && text[1] != '-')
    text.remove_prefix(1);
  const char *last = text.data() + text.size();
  auto [rest, code] = std::from_chars(text.data(), last, value);
  if (code != std::errc() || rest != last)
    return false;
  next = rest;
  return true;
}

std::string_view TextScanner::token() const {
  const char *p = next;
  while (p != end && *p != ' ' && *p != '\n' && *p != '\t' && *p != '\r')
    ++p;
  return std::string_view(next, p - next);
}

std::string_view TextScanner::takeToken() {
  std::string_view taken = token();
  next += taken.size();
  return taken;
}

std::string TextScanner::quotedToken() const {
  std::string_view text = token();
  if (text.empty())
    return next == end ? "end of file" : "end of line";
  std::string quoted = "'";
  for (char c : text.substr(0, kQuotedLimit))
    quoted += std::isprint(static_cast<unsigned char>(c)) ? c : '?';
  return quoted + (text.size() > kQuotedLimit ? "...'" : "'");
}

Error TextScanner::integerError(const std::string &what) const {
  std::string_view text = token();
  size_t sign = !text.empty() && (text[0] == '-' || text[0] == '+');
  size_t digits =
      std::min(text.find_first_not_of("0123456789", sign), text.size());
  bool isInteger =
      digits > sign && (digits == text.size() || text[digits] == ',');
  return error(message("expected ", what, ", but got ", quotedToken(),
                       isInteger ? ", which exceeds 64 bits" : ""));
}

Error TextScanner::error(const std::string &text,
                         const std::string &note) const {
  int64_t line = 1 + std::count(begin, next, '\n');
  return Error{message(name, ":", line, ": ", text), note};
}

} // namespace mlir::magicube
