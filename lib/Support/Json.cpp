//===- Json.cpp - JSON documents ------------------------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is refused beyond the standard, errors with a place, checked reading.
//
//===----------------------------------------------------------------------===//

#include "magicube/Support/Json.h"

#include <algorithm>
#include <unordered_set>

using namespace mlir::magicube;

//===----------------------------------------------------------------------===//
// Parser
//===----------------------------------------------------------------------===//

namespace {

/// Deeper documents are attacks.
constexpr size_t maxDepth = 64;

/// Receives the parser's events, makes the document of them and keeps the first
/// error. A function returns whether to go on.
class DocumentBuilder : public nlohmann::json_sax<Json> {
public:
  DocumentBuilder(std::string_view text, const std::string &name)
      : text(text), name(name) {}

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t &) override {
    return add(value);
  }
  bool string(string_t &value) override { return add(std::move(value)); }
  bool binary(binary_t &) override { return false; } // not in JSON text

  bool start_object(size_t) override { return open(Json::object()); }
  bool key(string_t &key) override {
    Level &level = levels.back();
    level.key = std::move(key);
    return level.keys.insert(level.key).second ||
           fail(path() + "expected each key once, but '" + level.key +
                "' is repeated");
  }
  bool end_object() override { return close(); }
  bool start_array(size_t) override { return open(Json::array()); }
  bool end_array() override { return close(); }

  bool parse_error(size_t position, const std::string &,
                   const nlohmann::json::exception &error) override;

  Result<Json> take() {
    return error ? Result<Json>(*error) : Result<Json>(std::move(root));
  }
  bool fail(const std::string &message) {
    if (!error)
      error = Error{name + message};
    return false;
  }

private:
  /// An object or array that is not at its end.
  struct Level {
    Json value;
    /// Of an object: the last key, and all of them.
    std::string key;
    std::unordered_set<std::string> keys;
  };

  bool open(Json container) {
    if (levels.size() == maxDepth)
      return fail(": expected at most " + std::to_string(maxDepth) +
                  " levels of nesting");
    levels.push_back({std::move(container), {}, {}});
    return true;
  }
  bool close() {
    Json value = std::move(levels.back().value);
    levels.pop_back();
    return add(std::move(value));
  }
  bool add(Json value) {
    if (levels.empty())
      root = std::move(value);
    else if (Level &level = levels.back(); level.value.is_array())
      level.value.push_back(std::move(value));
    else // The keys are distinct: no need to search for this one.
      level.value.get_ref<Json::object_t &>().emplace_back(level.key,
                                                           std::move(value));
    return true;
  }

  /// ": chips[0]: ", where the innermost open object or array is.
  std::string path() const {
    std::string text = ": ";
    for (size_t i = 0; i + 1 < levels.size(); ++i) {
      const Level &level = levels[i];
      text += level.value.is_array()
                  ? "[" + std::to_string(level.value.size()) + "]"
                  : (i == 0 ? "" : ".") + level.key;
    }
    return levels.size() > 1 ? text + ": " : text;
  }

  std::string_view text;
  const std::string &name;
  std::vector<Level> levels;
  Json root;
  std::optional<Error> error;
};

} // namespace

/// "LINE:COLUMN" of byte `offset`, from 1.
static std::string describePosition(std::string_view text, size_t offset) {
  std::string_view before = text.substr(0, offset);
  auto line = 1 + std::count(before.begin(), before.end(), '\n');
  size_t newline = before.rfind('\n');
  size_t column =
      before.size() - (newline == std::string_view::npos ? 0 : newline + 1) + 1;
  return std::to_string(line) + ":" + std::to_string(column);
}

/// `position` counts the bytes that were read, the offending one included.
bool DocumentBuilder::parse_error(size_t position, const std::string &,
                                  const nlohmann::json::exception &error) {
  // "[json.exception.NAME] WHAT", where WHAT may begin with "parse error at
  // PLACE: ".
  std::string_view what = error.what();
  auto dropThrough = [&](std::string_view end) {
    size_t at = what.find(end);
    if (at != std::string_view::npos)
      what.remove_prefix(at + end.size());
  };
  dropThrough("] ");
  if (what.substr(0, 11) == "parse error")
    dropThrough(": ");
  return fail(":" + describePosition(text, std::max<size_t>(position, 1) - 1) +
              ": " + std::string(what));
}

Result<Json> mlir::magicube::parseJson(std::string_view text,
                                       const std::string &name) {
  DocumentBuilder builder(text, name);
  // The library takes a zero byte for the end and skips a byte order mark.
  size_t zero = text.find('\0');
  if (zero != std::string_view::npos)
    builder.fail(":" + describePosition(text, zero) +
                 ": expected JSON text, but got a zero byte");
  else if (text.substr(0, 1) == "\xEF")
    builder.fail(":1:1: expected JSON text, but got a byte order mark");
  else
    Json::sax_parse(text.begin(), text.end(), &builder);
  return builder.take();
}

std::string mlir::magicube::toJson(const Json &value, unsigned indent) {
  return value.dump(indent == 0 ? -1 : static_cast<int>(indent), ' ',
                    /*ensure_ascii=*/false, Json::error_handler_t::replace);
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

/// "an integer", "an object", ... for messages.
static std::string describeKind(const Json &value) {
  switch (value.type()) {
  case Json::value_t::null:
    return "null";
  case Json::value_t::boolean:
    return "a boolean";
  case Json::value_t::number_integer:
  case Json::value_t::number_unsigned:
    return "an integer";
  case Json::value_t::number_float:
    return "a number";
  case Json::value_t::string:
    return "a string";
  case Json::value_t::array:
    return "an array";
  case Json::value_t::object:
    return "an object";
  case Json::value_t::binary:
  case Json::value_t::discarded:
    break;
  }
  return "nothing";
}

void JsonNode::fail(const std::string &message, const std::string &note) const {
  if (*problem)
    *problem = Error{path + ": " + message, note};
}

void JsonNode::failKind(std::string_view wanted) const {
  if (value)
    fail("expected " + std::string(wanted) + ", but got " +
         describeKind(*value));
}

/// The member `key` of an object; null if there is none.
static const Json *findMember(const Json *value, std::string_view key) {
  const auto *object =
      value ? value->get_ptr<const Json::object_t *>() : nullptr;
  if (object)
    for (const auto &[name, member] : *object)
      if (name == key)
        return &member;
  return nullptr;
}

JsonNode JsonNode::operator[](std::string_view key) const {
  const Json *member = findMember(value, key);
  if (value && !value->is_object())
    failKind("an object");
  else if (value && !member)
    fail("expected a member '" + std::string(key) + "', but there is none");
  return {member, path + (isRoot ? ": " : ".") + std::string(key), problem};
}

bool JsonNode::has(std::string_view key) const {
  const Json *member = findMember(value, key);
  return member && !member->is_null();
}

std::string JsonNode::string() const {
  const auto *text = value ? value->get_ptr<const Json::string_t *>() : nullptr;
  if (text)
    return *text;
  failKind("a string");
  return {};
}

bool JsonNode::boolean() const {
  const auto *boolean =
      value ? value->get_ptr<const Json::boolean_t *>() : nullptr;
  if (boolean)
    return *boolean;
  failKind("a boolean");
  return false;
}

int64_t JsonNode::integer(int64_t min, int64_t max) const {
  if (!value || !value->is_number_integer()) {
    failKind("an integer");
    return min;
  }
  const auto *large = value->get_ptr<const Json::number_unsigned_t *>();
  bool fits = !large || *large <= uint64_t(std::numeric_limits<int64_t>::max());
  auto integer = fits ? value->get<int64_t>() : 0;
  if (fits && integer >= min && integer <= max)
    return integer;
  fail("expected an integer from " + std::to_string(min) + " to " +
       std::to_string(max) + ", but got " +
       (fits ? std::to_string(integer) : std::to_string(*large)));
  return min;
}

std::vector<JsonNode> JsonNode::elements() const {
  std::vector<JsonNode> nodes;
  const auto *array = value ? value->get_ptr<const Json::array_t *>() : nullptr;
  if (!array) {
    failKind("an array");
    return nodes;
  }
  for (size_t i = 0; i < array->size(); ++i)
    nodes.push_back(
        JsonNode(&(*array)[i], path + "[" + std::to_string(i) + "]", problem));
  return nodes;
}

std::vector<std::pair<std::string, JsonNode>> JsonNode::members() const {
  std::vector<std::pair<std::string, JsonNode>> nodes;
  const auto *object =
      value ? value->get_ptr<const Json::object_t *>() : nullptr;
  if (!object) {
    failKind("an object");
    return nodes;
  }
  for (const auto &[name, member] : *object)
    nodes.emplace_back(name, (*this)[name]);
  return nodes;
}
