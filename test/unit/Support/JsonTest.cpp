//===- JsonTest.cpp - JSON documents --------------------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "magicube/Support/Json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

using namespace mlir::magicube;

namespace {

Json parse(const std::string &text) {
  Result<Json> value = parseJson(text, "t");
  EXPECT_TRUE(bool(value)) << text << ": " << value.error().message;
  return value ? *value : Json();
}

std::string parseError(const std::string &text) {
  Result<Json> value = parseJson(text, "t");
  EXPECT_FALSE(bool(value)) << text;
  return value ? "" : value.error().message;
}

//===----------------------------------------------------------------------===//
// Parser
//===----------------------------------------------------------------------===//

TEST(JsonParser, Scalars) {
  EXPECT_TRUE(parse(" null\n").is_null());
  EXPECT_EQ(parse("true"), true);
  EXPECT_EQ(parse("false"), false);
  EXPECT_EQ(parse("-0"), 0);
  EXPECT_EQ(parse("9223372036854775807"), INT64_MAX);
  EXPECT_EQ(parse("-9223372036854775808"), INT64_MIN);
  // Beyond 64 bits, or with a fraction or exponent: a double.
  EXPECT_EQ(parse("9223372036854775808"), 0x1p63);
  EXPECT_EQ(parse("1.0"), 1.0);
  EXPECT_EQ(parse("-25e-1"), -2.5);
  EXPECT_EQ(parse("1E+2"), 100.0);
}

TEST(JsonParser, Strings) {
  EXPECT_EQ(parse(R"("")"), "");
  EXPECT_EQ(parse(R"("a\"\\\/\b\f\n\r\tz")"), "a\"\\/\b\f\n\r\tz");
  EXPECT_EQ(parse(R"("\u0041\u00e9\u20AC\ud83d\uDE00")"),
            "A\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
  EXPECT_EQ(parse("\"\xC3\xA9\""), "\xC3\xA9");
}

TEST(JsonParser, ArraysAndObjects) {
  EXPECT_EQ(parse("[ ]"), Json::array());
  EXPECT_EQ(parse("{ }"), Json::object());
  Json value = parse(R"({"b": [1, {"c": null}], "a": "x"})");
  EXPECT_EQ(value, (Json{{"b", {1, {{"c", nullptr}}}}, {"a", "x"}}));
  // Members keep their order.
  EXPECT_EQ(value.begin().key(), "b");
}

TEST(JsonParser, ErrorsNameThePlace) {
  EXPECT_EQ(parseError(""), "t:1:1: syntax error while parsing value - "
                            "unexpected end of input; expected '[', '{', or a "
                            "literal");
  EXPECT_EQ(parseError("[1,\n 2,\n x]"),
            "t:3:2: syntax error while parsing value - invalid literal; last "
            "read: '2,<U+000A> x'");
  EXPECT_EQ(parseError("{\"a\" 1}"),
            "t:1:6: syntax error while parsing object separator - unexpected "
            "number literal; expected ':'");
  EXPECT_EQ(parseError("{\"a\": 1"),
            "t:1:8: syntax error while parsing object - unexpected end of "
            "input; expected '}'");
  EXPECT_EQ(parseError("1 2"), "t:1:3: syntax error while parsing value - "
                               "unexpected number literal; expected end of "
                               "input");
  EXPECT_EQ(parseError("[1e999]"), "t:1:6: number overflow parsing '1e999'");
  EXPECT_EQ(parseError(std::string("1\n\0", 3)),
            "t:2:1: expected JSON text, but got a zero byte");
  EXPECT_EQ(parseError("\xEF\xBB\xBF"
                       "1"),
            "t:1:1: expected JSON text, but got a byte order mark");
}

TEST(JsonParser, RefusesRepeatedKeys) {
  EXPECT_EQ(parseError("{\"a\": 1, \"b\": 1, \"a\": 2}"),
            "t: expected each key once, but 'a' is repeated");
  EXPECT_EQ(parseError("{\"x\": [0, {\"y\": {\"a\": 1, \"\\u0061\": 2}}]}"),
            "t: x[1].y: expected each key once, but 'a' is repeated");
  // In different objects they are different ones.
  parse("{\"a\": {\"a\": [{\"a\": 1}, {\"a\": 1}]}}");
}

TEST(JsonParser, RefusesWhatTheStandardRefuses) {
  for (const char *text : {"01",
                           "+1",
                           ".5",
                           "1.",
                           "1e",
                           "-",
                           "0x1",
                           "NaN",
                           "Infinity",
                           "tru",
                           "nul",
                           "[1,]",
                           "{\"a\":1,}",
                           "{a:1}",
                           "{1:1}",
                           "'a'",
                           "\"a",
                           "\"\n\"",
                           "\"\\x\"",
                           "\"\\u12\"",
                           "\"\\u12g4\"",
                           "\"\\ud800\"",
                           "\"\\ud800x\"",
                           "\"\\ud800\\u0041\"",
                           "\"\\udc00\"",
                           "[",
                           "{",
                           "]",
                           "}",
                           ",",
                           ":",
                           "// c\n1",
                           "\xEF\xBB\xBF"
                           "1",
                           "1e999",
                           "\x01",
                           "\"\xFF\""})
    parseError(text);
  parseError(std::string("1\0", 2));
}

TEST(JsonParser, RefusesDeepNesting) {
  EXPECT_TRUE(
      bool(parseJson(std::string(64, '[') + std::string(64, ']'), "t")));
  parseError(std::string(65, '[') + std::string(65, ']'));
  std::string error = parseError(std::string(100000, '['));
  EXPECT_NE(error.find("at most 64 levels"), std::string::npos) << error;
}

//===----------------------------------------------------------------------===//
// Writer
//===----------------------------------------------------------------------===//

TEST(JsonWriter, Compact) {
  Json value = Json{{"a", {1, 2.5, true, nullptr, "x\"\\\n\x01"}},
                    {"b", Json::object()},
                    {"c", Json::array()}};
  EXPECT_EQ(toJson(value),
            R"({"a":[1,2.5,true,null,"x\"\\\n\u0001"],"b":{},"c":[]})");
}

TEST(JsonWriter, Indented) {
  Json value = Json::object({{"a", Json::array({1, Json::array()})}});
  EXPECT_EQ(toJson(value, 2), "{\n  \"a\": [\n    1,\n    []\n  ]\n}");
}

TEST(JsonWriter, BytesThatAreNoText) {
  EXPECT_EQ(toJson(Json("a\xFFz")), "\"a\xEF\xBF\xBDz\"");
}

TEST(JsonWriter, NumbersReadBackTheSame) {
  std::mt19937_64 generator(1);
  for (int i = 0; i < 1000; ++i) {
    uint64_t bits = generator();
    double number;
    std::memcpy(&number, &bits, sizeof(number));
    Json back = parse(toJson(Json(number)));
    if (std::isfinite(number))
      EXPECT_EQ(back, Json(number));
    else
      EXPECT_TRUE(back.is_null());
  }
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

TEST(JsonNode, ReadsFields) {
  Json value = parse(R"({"a": {"n": 3, "s": "x", "b": true},
                              "list": [1, 2], "none": null})");
  Status problem;
  JsonNode root(value, "f", problem);
  EXPECT_EQ(root["a"]["n"].integer(0, 3), 3);
  EXPECT_EQ(root["a"]["s"].string(), "x");
  EXPECT_TRUE(root["a"]["b"].boolean());
  EXPECT_EQ(root["list"].elements().size(), 2u);
  EXPECT_TRUE(root["none"].isNull());
  EXPECT_FALSE(root.has("none"));
  EXPECT_FALSE(root.has("missing"));
  EXPECT_TRUE(bool(problem));
}

TEST(JsonNode, KeepsTheFirstProblem) {
  Json value = parse(R"({"list": [{"n": 7}], "s": 1,
                          "huge": 18446744073709551615, "real": 1.0})");
  auto problemOf = [&](auto read) {
    Status problem;
    read(JsonNode(value, "f", problem));
    EXPECT_FALSE(bool(problem));
    return problem ? "" : problem.error().message;
  };
  EXPECT_EQ(problemOf([](JsonNode root) {
              root["list"].elements()[0]["n"].integer(8, 9);
              root["s"].string();
            }),
            "f: list[0].n: expected an integer from 8 to 9, but got 7");
  EXPECT_EQ(problemOf([](JsonNode root) { root["huge"].integer(0, 9); }),
            "f: huge: expected an integer from 0 to 9, but got "
            "18446744073709551615");
  EXPECT_EQ(problemOf([](JsonNode root) { root["real"].integer(0, 9); }),
            "f: real: expected an integer, but got a number");
  EXPECT_EQ(problemOf([](JsonNode root) { root["s"].string(); }),
            "f: s: expected a string, but got an integer");
  EXPECT_EQ(problemOf([](JsonNode root) { root["x"]["y"].string(); }),
            "f: expected a member 'x', but there is none");
  EXPECT_EQ(problemOf([](JsonNode root) { root["s"]["y"].boolean(); }),
            "f: s: expected an object, but got an integer");
  EXPECT_EQ(problemOf([](JsonNode root) { root["s"].elements(); }),
            "f: s: expected an array, but got an integer");
  EXPECT_EQ(problemOf([](JsonNode root) { root["list"].boolean(); }),
            "f: list: expected a boolean, but got an array");
}

} // namespace
