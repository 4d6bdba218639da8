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

JsonValue parse(const std::string &text) {
  Result<JsonValue> value = parseJson(text, "t");
  EXPECT_TRUE(bool(value)) << text << ": " << value.error().message;
  return value ? *value : JsonValue();
}

std::string parseError(const std::string &text) {
  Result<JsonValue> value = parseJson(text, "t");
  EXPECT_FALSE(bool(value)) << text;
  return value ? "" : value.error().message;
}

//===----------------------------------------------------------------------===//
// Parser
//===----------------------------------------------------------------------===//

TEST(JsonParser, Scalars) {
  EXPECT_TRUE(parse(" null\n").isNull());
  EXPECT_EQ(*parse("true").getAs<bool>(), true);
  EXPECT_EQ(*parse("false").getAs<bool>(), false);
  EXPECT_EQ(*parse("-0").getAs<int64_t>(), 0);
  EXPECT_EQ(*parse("9223372036854775807").getAs<int64_t>(), INT64_MAX);
  EXPECT_EQ(*parse("-9223372036854775808").getAs<int64_t>(), INT64_MIN);
  // Beyond 64 bits, or with a fraction or exponent: a double.
  EXPECT_EQ(*parse("9223372036854775808").getAs<double>(), 0x1p63);
  EXPECT_EQ(*parse("1.0").getAs<double>(), 1.0);
  EXPECT_EQ(*parse("-25e-1").getAs<double>(), -2.5);
  EXPECT_EQ(*parse("1E+2").getAs<double>(), 100.0);
}

TEST(JsonParser, Strings) {
  EXPECT_EQ(*parse(R"("")").getAs<std::string>(), "");
  EXPECT_EQ(*parse(R"("a\"\\\/\b\f\n\r\tz")").getAs<std::string>(),
            "a\"\\/\b\f\n\r\tz");
  EXPECT_EQ(*parse(R"("\u0041\u00e9\u20AC\ud83d\uDE00")").getAs<std::string>(),
            "A\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
  EXPECT_EQ(*parse("\"\xC3\xA9\"").getAs<std::string>(), "\xC3\xA9");
}

TEST(JsonParser, ArraysAndObjects) {
  EXPECT_EQ(parse("[ ]").getAs<JsonValue::Array>()->size(), 0u);
  EXPECT_EQ(parse("{ }").getAs<JsonValue::Object>()->size(), 0u);
  JsonValue value = parse(R"({"b": [1, {"c": null}], "a": "x"})");
  EXPECT_EQ((*value.getAs<JsonValue::Object>())[0].first, "b");
  EXPECT_EQ(*value.find("a")->getAs<std::string>(), "x");
  EXPECT_EQ(value.find("c"), nullptr);
  EXPECT_EQ(value.find("b")->find("a"), nullptr);
}

TEST(JsonParser, ErrorsNameThePlace) {
  EXPECT_EQ(parseError(""), "t:1:1: expected a value, but got the end of the "
                            "text");
  EXPECT_EQ(parseError("[1,\n 2,\n x]"),
            "t:3:2: expected a value, but got 'x'");
  EXPECT_EQ(parseError("{\"a\" 1}"), "t:1:6: expected ':', but got '1'");
  EXPECT_EQ(parseError("[1 2]"), "t:1:4: expected ',' or ']', but got '2'");
  EXPECT_EQ(parseError("{\"a\": 1"),
            "t:1:8: expected ',' or '}', but got the end of the text");
  EXPECT_EQ(parseError("{\"a\": 1, \"a\": 2}"),
            "t:1:13: expected each key once, but 'a' is repeated");
  EXPECT_EQ(parseError("1 2"),
            "t:1:3: expected the end of the document, but got '2'");
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
                           "\x01"})
    parseError(text);
  parseError(std::string("1\0", 2));
}

TEST(JsonParser, RefusesDeepNesting) {
  EXPECT_TRUE(
      bool(parseJson(std::string(64, '[') + std::string(64, ']'), "t")));
  std::string error = parseError(std::string(100000, '['));
  EXPECT_NE(error.find("at most 64 levels"), std::string::npos) << error;
}

//===----------------------------------------------------------------------===//
// Writer
//===----------------------------------------------------------------------===//

TEST(JsonWriter, Compact) {
  JsonValue value = JsonValue::Object{
      {"a", JsonValue::Array{1, 2.5, true, nullptr, "x\"\\\n\x01"}},
      {"b", JsonValue::Object{}},
      {"c", JsonValue::Array{}}};
  EXPECT_EQ(toJson(value),
            R"({"a":[1,2.5,true,null,"x\"\\\n\u0001"],"b":{},"c":[]})");
}

TEST(JsonWriter, Indented) {
  JsonValue value =
      JsonValue::Object{{"a", JsonValue::Array{1, JsonValue::Array{}}}};
  EXPECT_EQ(toJson(value, 2), "{\n  \"a\": [\n    1,\n    []\n  ]\n}");
}

TEST(JsonWriter, NumbersReadBackTheSame) {
  std::mt19937_64 generator(1);
  for (int i = 0; i < 1000; ++i) {
    uint64_t bits = generator();
    double number;
    std::memcpy(&number, &bits, sizeof(number));
    JsonValue back = parse(toJson(JsonValue(number)));
    if (!std::isfinite(number))
      EXPECT_TRUE(back.isNull());
    else if (const auto *same = back.getAs<double>())
      EXPECT_EQ(*same, number);
    else
      EXPECT_EQ(double(*back.getAs<int64_t>()), number);
  }
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

TEST(JsonNode, ReadsFields) {
  JsonValue value = parse(R"({"a": {"n": 3, "s": "x", "b": true},
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
  JsonValue value = parse(R"({"list": [{"n": 7}], "s": 1})");
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
