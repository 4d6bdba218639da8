//===- JsonParser.cpp - Reading JSON --------------------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A recursive descent parser of RFC 8259.
//
//===----------------------------------------------------------------------===//

#include "magicube/Support/Json.h"

#include <algorithm>
#include <charconv>
#include <optional>

using namespace mlir::magicube;

namespace {

/// Deeper documents are attacks on the stack.
constexpr unsigned maxDepth = 64;

class Parser {
public:
  Parser(std::string_view text, const std::string &name)
      : text(text), name(name) {}

  Result<JsonValue> parse() {
    std::optional<JsonValue> value = parseValue(/*depth=*/0);
    skipSpace();
    if (value && position < text.size())
      fail("expected the end of the document");
    return error ? Result<JsonValue>(*error) : std::move(*value);
  }

private:
  std::optional<JsonValue> parseValue(unsigned depth);
  std::optional<JsonValue> parseArray(unsigned depth);
  std::optional<JsonValue> parseObject(unsigned depth);
  std::optional<JsonValue> parseNumber();
  std::optional<std::string> parseString();
  bool parseEscape(std::string &out);
  std::optional<uint32_t> parseCodeUnit();

  void skipSpace() {
    position =
        std::min(text.find_first_not_of(" \t\r\n", position), text.size());
  }
  char peek() const { return position < text.size() ? text[position] : '\0'; }
  bool consume(char c) {
    if (position >= text.size() || text[position] != c)
      return false;
    ++position;
    return true;
  }
  bool consumeWord(std::string_view word) {
    if (text.substr(position, word.size()) != word)
      return false;
    position += word.size();
    return true;
  }
  size_t skipDigits() {
    size_t start = position;
    while (peek() >= '0' && peek() <= '9')
      ++position;
    return position - start;
  }

  /// Keeps the first error, with the current position.
  std::nullopt_t failAt(const std::string &message);
  /// The same with what stands there.
  std::nullopt_t fail(const std::string &expected);

  std::string_view text;
  const std::string &name;
  size_t position = 0;
  std::optional<Error> error;
};

} // namespace

std::nullopt_t Parser::failAt(const std::string &message) {
  if (error)
    return std::nullopt;
  std::string_view before = text.substr(0, position);
  auto line = 1 + std::count(before.begin(), before.end(), '\n');
  size_t lineStart = before.rfind('\n');
  size_t column =
      position - (lineStart == std::string_view::npos ? 0 : lineStart + 1) + 1;
  error = Error{name + ":" + std::to_string(line) + ":" +
                std::to_string(column) + ": " + message};
  return std::nullopt;
}

std::nullopt_t Parser::fail(const std::string &expected) {
  std::string found = "the end of the text";
  if (position < text.size()) {
    auto byte = static_cast<unsigned char>(text[position]);
    bool printable = byte >= 0x20 && byte < 0x7F;
    found = printable ? "'" + std::string(1, text[position]) + "'"
                      : "byte " + std::to_string(byte);
  }
  return failAt(expected + ", but got " + found);
}

std::optional<JsonValue> Parser::parseValue(unsigned depth) {
  skipSpace();
  if (depth > maxDepth)
    return failAt("expected at most " + std::to_string(maxDepth) +
                  " levels of nesting");
  switch (peek()) {
  case '{':
    return parseObject(depth);
  case '[':
    return parseArray(depth);
  case '"':
    if (std::optional<std::string> string = parseString())
      return JsonValue(std::move(*string));
    return std::nullopt;
  case 't':
    if (consumeWord("true"))
      return JsonValue(true);
    break;
  case 'f':
    if (consumeWord("false"))
      return JsonValue(false);
    break;
  case 'n':
    if (consumeWord("null"))
      return JsonValue();
    break;
  default:
    if (peek() == '-' || (peek() >= '0' && peek() <= '9'))
      return parseNumber();
  }
  return fail("expected a value");
}

std::optional<JsonValue> Parser::parseArray(unsigned depth) {
  consume('[');
  JsonValue::Array array;
  skipSpace();
  if (consume(']'))
    return JsonValue(std::move(array));
  do {
    std::optional<JsonValue> element = parseValue(depth + 1);
    if (!element)
      return std::nullopt;
    array.push_back(std::move(*element));
    skipSpace();
  } while (consume(','));
  if (!consume(']'))
    return fail("expected ',' or ']'");
  return JsonValue(std::move(array));
}

std::optional<JsonValue> Parser::parseObject(unsigned depth) {
  consume('{');
  JsonValue::Object object;
  skipSpace();
  if (consume('}'))
    return JsonValue(std::move(object));
  do {
    skipSpace();
    if (peek() != '"')
      return fail("expected a key in quotes");
    std::optional<std::string> key = parseString();
    if (!key)
      return std::nullopt;
    for (const JsonValue::Member &member : object)
      if (member.first == *key)
        return failAt("expected each key once, but '" + *key + "' is repeated");
    skipSpace();
    if (!consume(':'))
      return fail("expected ':'");
    std::optional<JsonValue> value = parseValue(depth + 1);
    if (!value)
      return std::nullopt;
    object.emplace_back(std::move(*key), std::move(*value));
    skipSpace();
  } while (consume(','));
  if (!consume('}'))
    return fail("expected ',' or '}'");
  return JsonValue(std::move(object));
}

/// number = [ minus ] int [ frac ] [ exp ]; int has no leading zero.
std::optional<JsonValue> Parser::parseNumber() {
  size_t start = position;
  consume('-');
  bool isInteger = true;
  if (!consume('0') && skipDigits() == 0)
    return fail("expected a digit");
  if (consume('.')) {
    isInteger = false;
    if (skipDigits() == 0)
      return fail("expected a digit");
  }
  if (consume('e') || consume('E')) {
    isInteger = false;
    if (!consume('+'))
      consume('-');
    if (skipDigits() == 0)
      return fail("expected a digit");
  }
  const char *first = text.data() + start, *last = text.data() + position;
  int64_t integer = 0;
  if (isInteger && std::from_chars(first, last, integer).ec == std::errc())
    return JsonValue(integer);
  double number = 0;
  if (std::from_chars(first, last, number).ec != std::errc()) {
    position = start;
    return fail("expected a number within the range of a double");
  }
  return JsonValue(number);
}

std::optional<std::string> Parser::parseString() {
  consume('"');
  std::string result;
  for (;;) {
    if (position >= text.size() ||
        static_cast<unsigned char>(text[position]) < 0x20) {
      fail("expected the rest of a string");
      return std::nullopt;
    }
    if (consume('"'))
      return result;
    if (!consume('\\')) {
      result += text[position++];
      continue;
    }
    if (!parseEscape(result))
      return std::nullopt;
  }
}

std::optional<uint32_t> Parser::parseCodeUnit() {
  constexpr size_t digits = 4;
  std::string_view hex = text.substr(position, digits);
  uint32_t unit = 0;
  auto [end, code] =
      std::from_chars(hex.data(), hex.data() + hex.size(), unit, 16);
  if (hex.size() != digits || code != std::errc() || end != hex.data() + digits)
    return fail("expected four hexadecimal digits");
  position += digits;
  return unit;
}

static void appendUtf8(std::string &out, uint32_t point) {
  auto tail = [&](unsigned shift) {
    out += static_cast<char>(0x80 | (point >> shift & 0x3F));
  };
  if (point < 0x80) {
    out += static_cast<char>(point);
  } else if (point < 0x800) {
    out += static_cast<char>(0xC0 | point >> 6);
    tail(0);
  } else if (point < 0x10000) {
    out += static_cast<char>(0xE0 | point >> 12);
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xF0 | point >> 18);
    tail(12);
    tail(6);
    tail(0);
  }
}

/// What follows a backslash. A code point beyond 16 bits is two units, a high
/// and a low surrogate.
bool Parser::parseEscape(std::string &out) {
  constexpr std::string_view letters = "\"\\/bfnrt",
                             meanings = "\"\\/\b\f\n\r\t";
  size_t letter = position < text.size() ? letters.find(text[position])
                                         : std::string_view::npos;
  if (letter != std::string_view::npos) {
    out += meanings[letter];
    ++position;
    return true;
  }
  if (!consume('u')) {
    fail("expected an escape sequence");
    return false;
  }
  std::optional<uint32_t> unit = parseCodeUnit();
  if (!unit)
    return false;
  constexpr uint32_t firstHigh = 0xD800, firstLow = 0xDC00, lastLow = 0xDFFF;
  uint32_t point = *unit;
  if (point >= firstHigh && point <= lastLow) {
    std::optional<uint32_t> low;
    if (point < firstLow && consumeWord("\\u"))
      low = parseCodeUnit();
    if (!low || *low < firstLow || *low > lastLow) {
      fail("expected a pair of surrogates");
      return false;
    }
    point = 0x10000 + ((point - firstHigh) << 10) + (*low - firstLow);
  }
  appendUtf8(out, point);
  return true;
}

Result<JsonValue> mlir::magicube::parseJson(std::string_view text,
                                            const std::string &name) {
  return Parser(text, name).parse();
}
