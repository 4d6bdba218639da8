//===- SizeExpr.cpp - Expressions over run-time sizes ---------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Building, text in both directions, evaluation.
//
//===----------------------------------------------------------------------===//

#include "magicube/Runtime/SizeExpr.h"

#include <algorithm>
#include <charconv>
#include <optional>

using namespace mlir::magicube;
using Kind = SizeExpr::Kind;

namespace {

/// How operations are written. Those that stand between their operands bind
/// tighter with a higher precedence.
struct Operation {
  Kind kind;
  std::string_view text;
  int precedence;
};

constexpr int callPrecedence = 0, sumPrecedence = 1, productPrecedence = 2;

constexpr Operation operations[] = {
    {Kind::Add, "+", sumPrecedence},
    {Kind::Sub, "-", sumPrecedence},
    {Kind::Mul, "*", productPrecedence},
    {Kind::CeilDiv, "ceildiv", productPrecedence},
    {Kind::FloorDiv, "floordiv", productPrecedence},
    {Kind::Mod, "mod", productPrecedence},
    {Kind::Min, "min", callPrecedence},
    {Kind::Max, "max", callPrecedence}};

/// Null for a constant or symbol.
const Operation *findOperation(Kind kind) {
  for (const Operation &operation : operations)
    if (operation.kind == kind)
      return &operation;
  return nullptr;
}

bool isNameStart(char c) { return c >= 'a' && c <= 'z'; }
bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isNamePart(char c) { return isNameStart(c) || isDigit(c) || c == '_'; }

} // namespace

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

static SizeExpr make(Kind kind, SizeExpr lhs, SizeExpr rhs) {
  SizeExpr result;
  result.kind = kind;
  result.operands.push_back(std::move(lhs));
  result.operands.push_back(std::move(rhs));
  return result;
}

static bool isOne(const SizeExpr &expr) {
  return expr.kind == Kind::Constant && expr.value == 1;
}

SizeExpr SizeExpr::symbol(std::string name) {
  SizeExpr result;
  result.kind = Kind::Symbol;
  result.name = std::move(name);
  return result;
}

namespace mlir::magicube {

bool operator==(const SizeExpr &lhs, const SizeExpr &rhs) {
  return lhs.kind == rhs.kind && lhs.value == rhs.value &&
         lhs.name == rhs.name && lhs.operands == rhs.operands;
}

SizeExpr operator+(SizeExpr lhs, SizeExpr rhs) {
  return make(Kind::Add, std::move(lhs), std::move(rhs));
}
SizeExpr operator-(SizeExpr lhs, SizeExpr rhs) {
  return make(Kind::Sub, std::move(lhs), std::move(rhs));
}
SizeExpr operator*(SizeExpr lhs, SizeExpr rhs) {
  return isOne(rhs) ? lhs : make(Kind::Mul, std::move(lhs), std::move(rhs));
}
SizeExpr ceilDiv(SizeExpr lhs, SizeExpr rhs) {
  return isOne(rhs) ? lhs : make(Kind::CeilDiv, std::move(lhs), std::move(rhs));
}
SizeExpr floorDiv(SizeExpr lhs, SizeExpr rhs) {
  return isOne(rhs) ? lhs
                    : make(Kind::FloorDiv, std::move(lhs), std::move(rhs));
}
SizeExpr min(SizeExpr lhs, SizeExpr rhs) {
  return make(Kind::Min, std::move(lhs), std::move(rhs));
}
SizeExpr max(SizeExpr lhs, SizeExpr rhs) {
  return make(Kind::Max, std::move(lhs), std::move(rhs));
}

} // namespace mlir::magicube

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

std::string SizeExpr::str() const {
  if (kind == Kind::Constant)
    return std::to_string(value);
  if (kind == Kind::Symbol)
    return name;
  const Operation &operation = *findOperation(kind);
  std::string lhs = operands[0].str(), rhs = operands[1].str();
  if (operation.precedence == callPrecedence)
    return std::string(operation.text) + "(" + lhs + ", " + rhs + ")";
  // Operations of one precedence group from the left.
  auto inParentheses = [](const std::string &text, bool needed) {
    return needed ? "(" + text + ")" : text;
  };
  auto precedenceOf = [](const SizeExpr &expr) {
    const Operation *inner = findOperation(expr.kind);
    return inner && inner->precedence != callPrecedence ? inner->precedence
                                                        : productPrecedence + 1;
  };
  return inParentheses(lhs, precedenceOf(operands[0]) < operation.precedence) +
         " " + std::string(operation.text) + " " +
         inParentheses(rhs, precedenceOf(operands[1]) <= operation.precedence);
}

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

namespace {

class Parser {
public:
  explicit Parser(std::string_view text) : text(text) {}

  Result<SizeExpr> parse() {
    if (text.size() > SizeExpr::kMaxLength)
      return Error{"expected an expression of at most " +
                   std::to_string(SizeExpr::kMaxLength) +
                   " characters, but got " + std::to_string(text.size())};
    std::optional<SizeExpr> expr = parseBinary(sumPrecedence, /*depth=*/0);
    if (expr && !peek().empty())
      fail("an operator");
    return error ? Result<SizeExpr>(*error) : std::move(*expr);
  }

private:
  /// The word or character at the position; empty at the end.
  std::string_view peek() {
    while (position < text.size() && text[position] == ' ')
      ++position;
    size_t end = position;
    auto takeWhile = [&](bool (*accepts)(char)) {
      while (end < text.size() && accepts(text[end]))
        ++end;
    };
    if (end < text.size() && isNameStart(text[end])) {
      takeWhile(isNamePart);
      if (end + 1 < text.size() && text[end] == '.' &&
          isNameStart(text[end + 1])) {
        ++end;
        takeWhile(isNamePart);
      }
    } else if (end < text.size() && isDigit(text[end])) {
      takeWhile(isDigit);
    } else if (end < text.size()) {
      ++end;
    }
    return text.substr(position, end - position);
  }
  bool consume(std::string_view word) {
    bool isThere = peek() == word;
    if (isThere)
      position += word.size();
    return isThere;
  }
  std::nullopt_t fail(const std::string &expected) {
    std::string_view found = peek();
    if (!error)
      error =
          Error{"expected " + expected + " at character " +
                std::to_string(position + 1) + " of '" + std::string(text) +
                "', but got " +
                (found.empty() ? "its end" : "'" + std::string(found) + "'")};
    return std::nullopt;
  }

  std::optional<SizeExpr> parseBinary(int precedence, unsigned depth);
  std::optional<SizeExpr> parseFactor(unsigned depth);
  std::optional<SizeExpr> parseCall(Kind kind, unsigned depth);

  std::string_view text;
  size_t position = 0;
  std::optional<Error> error;
};

} // namespace

/// Operands of operations of `precedence` and above.
std::optional<SizeExpr> Parser::parseBinary(int precedence, unsigned depth) {
  if (precedence > productPrecedence)
    return parseFactor(depth);
  std::optional<SizeExpr> lhs = parseBinary(precedence + 1, depth);
  // A chain is as deep as it is long.
  for (unsigned length = depth; lhs; ++length) {
    const auto *operation =
        std::find_if(std::begin(operations), std::end(operations),
                     [&](const Operation &row) {
                       return row.precedence == precedence && consume(row.text);
                     });
    if (operation == std::end(operations))
      return lhs;
    if (length == SizeExpr::kMaxDepth)
      return fail("at most " + std::to_string(SizeExpr::kMaxDepth) +
                  " nested operations");
    std::optional<SizeExpr> rhs = parseBinary(precedence + 1, depth + 1);
    if (!rhs)
      return std::nullopt;
    lhs = make(operation->kind, std::move(*lhs), std::move(*rhs));
  }
  return lhs;
}

std::optional<SizeExpr> Parser::parseFactor(unsigned depth) {
  if (depth > SizeExpr::kMaxDepth)
    return fail("at most " + std::to_string(SizeExpr::kMaxDepth) +
                " nested operations");
  if (consume("(")) {
    std::optional<SizeExpr> inner = parseBinary(sumPrecedence, depth + 1);
    return inner && !consume(")") ? fail("')'") : inner;
  }
  std::string_view word = peek();
  if (!word.empty() && isDigit(word[0])) {
    SizeExpr result;
    const char *end = word.data() + word.size();
    if (std::from_chars(word.data(), end, result.value).ec != std::errc())
      return fail("a number of 64 bits");
    position += word.size();
    return result;
  }
  for (const Operation &operation : operations) {
    if (word != operation.text)
      continue;
    if (operation.precedence != callPrecedence)
      return fail("a number or name");
    position += word.size();
    return parseCall(operation.kind, depth);
  }
  if (word.empty() || !isNameStart(word[0]))
    return fail("a number or name");
  position += word.size();
  return SizeExpr::symbol(std::string(word));
}

std::optional<SizeExpr> Parser::parseCall(Kind kind, unsigned depth) {
  if (!consume("("))
    return fail("'('");
  std::optional<SizeExpr> lhs = parseBinary(sumPrecedence, depth + 1);
  if (lhs && !consume(","))
    return fail("','");
  std::optional<SizeExpr> rhs;
  if (lhs)
    rhs = parseBinary(sumPrecedence, depth + 1);
  if (rhs && !consume(")"))
    return fail("')'");
  if (!rhs)
    return std::nullopt;
  return make(kind, std::move(*lhs), std::move(*rhs));
}

Result<SizeExpr> SizeExpr::parse(std::string_view text) {
  return Parser(text).parse();
}

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

/// The value of an operation; none if it has no value of 64 bits.
static std::optional<int64_t> compute(Kind kind, int64_t lhs, int64_t rhs) {
  int64_t result = 0;
  bool canDivide = lhs >= 0 && rhs > 0;
  switch (kind) {
  case Kind::Add:
    return __builtin_add_overflow(lhs, rhs, &result) ? std::nullopt
                                                     : std::optional(result);
  case Kind::Sub:
    return __builtin_sub_overflow(lhs, rhs, &result) ? std::nullopt
                                                     : std::optional(result);
  case Kind::Mul:
    return __builtin_mul_overflow(lhs, rhs, &result) ? std::nullopt
                                                     : std::optional(result);
  case Kind::CeilDiv:
    return canDivide ? std::optional(lhs / rhs + (lhs % rhs != 0))
                     : std::nullopt;
  case Kind::FloorDiv:
    return canDivide ? std::optional(lhs / rhs) : std::nullopt;
  case Kind::Mod:
    return canDivide ? std::optional(lhs % rhs) : std::nullopt;
  case Kind::Min:
    return std::min(lhs, rhs);
  case Kind::Max:
    return std::max(lhs, rhs);
  case Kind::Constant:
  case Kind::Symbol:
    break;
  }
  return std::nullopt;
}

Result<int64_t> SizeExpr::evaluate(const std::vector<int64_t> &values) const {
  if (kind == Kind::Constant)
    return value;
  if (kind == Kind::Symbol)
    return values[slot];
  Result<int64_t> lhs = operands[0].evaluate(values);
  Result<int64_t> rhs = lhs ? operands[1].evaluate(values) : lhs;
  if (!rhs)
    return rhs;
  if (std::optional<int64_t> result = compute(kind, *lhs, *rhs))
    return *result;
  return Error{"'" + str() + "' has no value of 64 bits for " +
               std::to_string(*lhs) + " and " + std::to_string(*rhs)};
}
