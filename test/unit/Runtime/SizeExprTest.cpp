//===- SizeExprTest.cpp - Expressions over run-time sizes -----------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "magicube/Runtime/SizeExpr.h"

#include <gtest/gtest.h>

#include <random>

using namespace mlir::magicube;

namespace {

/// The value, or the error, for a = 7 and b.c = 3.
std::string evaluate(const std::string &text) {
  Result<SizeExpr> expr = SizeExpr::parse(text);
  if (!expr)
    return expr.error().message;
  expr->forEachSymbol(
      [](SizeExpr &symbol) { symbol.slot = symbol.name == "a" ? 0 : 1; });
  Result<int64_t> value = expr->evaluate({7, 3});
  return value ? std::to_string(*value) : value.error().message;
}

TEST(SizeExpr, Values) {
  const std::pair<const char *, const char *> rows[] = {
      {"0", "0"},
      {"9223372036854775807", "9223372036854775807"},
      {"a", "7"},
      {" b.c ", "3"},
      {"a+b.c*2", "13"},
      {"(a + b.c) * 2", "20"},
      {"a - b.c - 2", "2"},
      {"a - (b.c - 2)", "6"},
      {"b.c - a", "-4"},
      {"a ceildiv b.c", "3"},
      {"a floordiv b.c", "2"},
      {"a mod b.c", "1"},
      {"a floordiv 2 * 2", "6"},
      {"min(a, b.c)", "3"},
      {"max(a, min(b.c, 100) * 5)", "15"}};
  for (auto [text, value] : rows)
    EXPECT_EQ(evaluate(text), value) << text;
}

TEST(SizeExpr, ValuesThatAreNone) {
  EXPECT_EQ(evaluate("1 + 9223372036854775807 * a"),
            "'9223372036854775807 * a' has no value of 64 bits for "
            "9223372036854775807 and 7");
  EXPECT_EQ(evaluate("9223372036854775807 + a"),
            "'9223372036854775807 + a' has no value of 64 bits for "
            "9223372036854775807 and 7");
  EXPECT_EQ(evaluate("0 - 9223372036854775807 - a"),
            "'0 - 9223372036854775807 - a' has no value of 64 bits for "
            "-9223372036854775807 and 7");
  EXPECT_EQ(evaluate("a floordiv (b.c - 3)"),
            "'a floordiv (b.c - 3)' has no value of 64 bits for 7 and 0");
  EXPECT_EQ(evaluate("(b.c - a) mod 2"),
            "'(b.c - a) mod 2' has no value of 64 bits for -4 and 2");
}

TEST(SizeExpr, WhatIsNoExpression) {
  const std::pair<const char *, const char *> rows[] = {
      {"", "expected a number or name at character 1 of '', but got its end"},
      {"a b.c",
       "expected an operator at character 3 of 'a b.c', but got 'b.c'"},
      {"a +", "expected a number or name at character 4 of 'a +', but got its "
              "end"},
      {"(a", "expected ')' at character 3 of '(a', but got its end"},
      {"min a", "expected '(' at character 5 of 'min a', but got 'a'"},
      {"min(a)", "expected ',' at character 6 of 'min(a)', but got ')'"},
      {"max(a, 1", "expected ')' at character 9 of 'max(a, 1', but got its "
                   "end"},
      {"mod 2", "expected a number or name at character 1 of 'mod 2', but got "
                "'mod'"},
      {"-1", "expected a number or name at character 1 of '-1', but got '-'"},
      {"A", "expected a number or name at character 1 of 'A', but got 'A'"},
      {"a.", "expected an operator at character 2 of 'a.', but got '.'"},
      {"a.b.c", "expected an operator at character 4 of 'a.b.c', but got '.'"},
      {"9223372036854775808",
       "expected a number of 64 bits at character 1 of '9223372036854775808', "
       "but got '9223372036854775808'"}};
  for (auto [text, message] : rows)
    EXPECT_EQ(evaluate(text), message) << text;
}

TEST(SizeExpr, Limits) {
  EXPECT_EQ(evaluate(std::string(1001, ' ')),
            "expected an expression of at most 1000 characters, but got 1001");
  for (const char *piece : {"(", "min(", "max(1, "}) {
    std::string text;
    while (text.size() < 400)
      text += piece;
    EXPECT_NE(evaluate(text).find("at most 32 nested operations"),
              std::string::npos);
  }
  std::string sum = "1";
  for (int i = 0; i < 32; ++i)
    sum += " + 1";
  EXPECT_EQ(evaluate(sum), "33");
  EXPECT_NE(evaluate(sum + " * 1 + 1").find("at most 32 nested operations"),
            std::string::npos);
}

/// A random expression of at most `depth` operations on a way.
SizeExpr makeRandom(std::mt19937 &generator, int depth) {
  using Kind = SizeExpr::Kind;
  constexpr Kind kinds[] = {Kind::Add,      Kind::Sub, Kind::Mul, Kind::CeilDiv,
                            Kind::FloorDiv, Kind::Mod, Kind::Min, Kind::Max};
  unsigned choice = generator() % 10;
  if (depth == 0 || choice == 0)
    return SizeExpr(generator() % 100);
  if (choice == 1)
    return SizeExpr::symbol("a");
  SizeExpr expr;
  expr.kind = kinds[generator() % std::size(kinds)];
  expr.operands = {makeRandom(generator, depth - 1),
                   makeRandom(generator, depth - 1)};
  return expr;
}

TEST(SizeExpr, TextReadsBackTheSame) {
  std::mt19937 generator(3);
  for (int i = 0; i < 500; ++i) {
    SizeExpr expr = makeRandom(generator, 4);
    Result<SizeExpr> back = SizeExpr::parse(expr.str());
    ASSERT_TRUE(bool(back)) << expr.str();
    EXPECT_EQ(*back, expr) << expr.str();
  }
}

TEST(SizeExpr, WhatChangesNothingIsLeftOut) {
  SizeExpr a = SizeExpr::symbol("a");
  EXPECT_EQ((a * 1).str(), "a");
  EXPECT_EQ(ceilDiv(a, 1).str(), "a");
  EXPECT_EQ(floorDiv(a, 1).str(), "a");
  EXPECT_EQ((min(a, 2) * 4 + (a - 1)).str(), "min(a, 2) * 4 + (a - 1)");
}

} // namespace
