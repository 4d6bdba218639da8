//===- Json.cpp - JSON values ---------------------------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Access to values, the writer, and nodes.
//
//===----------------------------------------------------------------------===//

#include "magicube/Support/Json.h"

#include <charconv>
#include <cmath>

using namespace mlir::magicube;

const JsonValue *JsonValue::find(std::string_view key) const {
  if (const auto *object = getAs<Object>())
    for (const Member &member : *object)
      if (member.first == key)
        return &member.second;
  return nullptr;
}

std::string_view JsonValue::kindName() const {
  constexpr std::string_view names[] = {"null",     "a boolean", "an integer",
                                        "a number", "a string",  "an array",
                                        "an object"};
  return names[storage.index()];
}

//===----------------------------------------------------------------------===//
// Writer
//===----------------------------------------------------------------------===//

static void appendString(std::string &out, const std::string &text) {
  constexpr char hex[] = "0123456789abcdef";
  out += '"';
  for (char c : text) {
    if (c == '"' || c == '\\')
      (out += '\\') += c;
    else if (c == '\n')
      out += "\\n";
    else if (static_cast<unsigned char>(c) < 0x20)
      ((out += "\\u00") += hex[c >> 4]) += hex[c & 0xF];
    else
      out += c;
  }
  out += '"';
}

static void appendNumber(std::string &out, double number) {
  if (!std::isfinite(number)) {
    out += "null";
    return;
  }
  constexpr size_t longest = 32; // -1.7976931348623157e+308 has 24
  char digits[longest];
  out.append(digits, std::to_chars(digits, digits + longest, number).ptr);
}

namespace {

/// Writes values one after another.
struct Writer {
  std::string out;
  unsigned indent;

  void line(unsigned level) {
    if (indent)
      (out += '\n').append(size_t(level) * indent, ' ');
  }

  /// The items of an array or object, `writeItem(i)` each.
  template <typename Function>
  void list(char open, char close, size_t count, unsigned level,
            Function writeItem) {
    out += open;
    for (size_t i = 0; i < count; ++i) {
      if (i)
        out += ',';
      line(level + 1);
      writeItem(i);
    }
    if (count)
      line(level);
    out += close;
  }

  void write(const JsonValue &value, unsigned level) {
    if (const auto *boolean = value.getAs<bool>())
      out += *boolean ? "true" : "false";
    else if (const auto *integer = value.getAs<int64_t>())
      out += std::to_string(*integer);
    else if (const auto *number = value.getAs<double>())
      appendNumber(out, *number);
    else if (const auto *string = value.getAs<std::string>())
      appendString(out, *string);
    else if (const auto *array = value.getAs<JsonValue::Array>())
      list('[', ']', array->size(), level,
           [&](size_t i) { write((*array)[i], level + 1); });
    else if (const auto *object = value.getAs<JsonValue::Object>())
      list('{', '}', object->size(), level, [&](size_t i) {
        appendString(out, (*object)[i].first);
        out += indent ? ": " : ":";
        write((*object)[i].second, level + 1);
      });
    else
      out += "null";
  }
};

} // namespace

std::string mlir::magicube::toJson(const JsonValue &value, unsigned indent) {
  Writer writer{{}, indent};
  writer.write(value, /*level=*/0);
  return std::move(writer.out);
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

void JsonNode::fail(const std::string &message, const std::string &note) const {
  if (*problem)
    *problem = Error{path + ": " + message, note};
}

void JsonNode::failKind(std::string_view wanted) const {
  if (value)
    fail("expected " + std::string(wanted) + ", but got " +
         std::string(value->kindName()));
}

JsonNode JsonNode::operator[](std::string_view key) const {
  const JsonValue *member = value ? value->find(key) : nullptr;
  if (value && !value->getAs<JsonValue::Object>())
    failKind("an object");
  else if (value && !member)
    fail("expected a member '" + std::string(key) + "', but there is none");
  return {member, path + (isRoot ? ": " : ".") + std::string(key), problem};
}

bool JsonNode::has(std::string_view key) const {
  const JsonValue *member = value ? value->find(key) : nullptr;
  return member && !member->isNull();
}

std::string JsonNode::string() const {
  if (const auto *text = value ? value->getAs<std::string>() : nullptr)
    return *text;
  failKind("a string");
  return {};
}

bool JsonNode::boolean() const {
  if (const auto *boolean = value ? value->getAs<bool>() : nullptr)
    return *boolean;
  failKind("a boolean");
  return false;
}

int64_t JsonNode::integer(int64_t min, int64_t max) const {
  const auto *integer = value ? value->getAs<int64_t>() : nullptr;
  if (!integer) {
    failKind("an integer");
    return min;
  }
  if (*integer >= min && *integer <= max)
    return *integer;
  fail("expected an integer from " + std::to_string(min) + " to " +
       std::to_string(max) + ", but got " + std::to_string(*integer));
  return min;
}

std::vector<JsonNode> JsonNode::elements() const {
  std::vector<JsonNode> nodes;
  const auto *array = value ? value->getAs<JsonValue::Array>() : nullptr;
  if (!array) {
    failKind("an array");
    return nodes;
  }
  for (size_t i = 0; i < array->size(); ++i)
    nodes.push_back(
        JsonNode(&(*array)[i], path + "[" + std::to_string(i) + "]", problem));
  return nodes;
}
