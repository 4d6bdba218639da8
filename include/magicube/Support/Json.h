//===- Json.h - JSON documents --------------------------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values, a strict parser (RFC 8259), a writer, and a way to read a document's
// fields in which the first problem is kept. For the libraries without LLVM.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_SUPPORT_JSON_H
#define MAGICUBE_SUPPORT_JSON_H

#include "magicube/Support/Result.h"

#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

namespace mlir::magicube {

/// A JSON value. A number without fraction and exponent that fits 64 bits is an
/// integer, every other one a double. Objects keep the order of their members.
class JsonValue {
public:
  using Array = std::vector<JsonValue>;
  using Member = std::pair<std::string, JsonValue>;
  using Object = std::vector<Member>;

  JsonValue() = default;
  JsonValue(std::nullptr_t) {}
  JsonValue(bool value) : storage(value) {}
  JsonValue(int64_t value) : storage(value) {}
  JsonValue(int value) : storage(int64_t(value)) {}
  JsonValue(uint32_t value) : storage(int64_t(value)) {}
  JsonValue(double value) : storage(value) {}
  JsonValue(std::string value) : storage(std::move(value)) {}
  JsonValue(std::string_view value) : storage(std::string(value)) {}
  JsonValue(const char *value) : storage(std::string(value)) {}
  JsonValue(Array value) : storage(std::move(value)) {}
  JsonValue(Object value) : storage(std::move(value)) {}

  /// The value as a T (bool, int64_t, double, std::string, Array, Object), or
  /// null if it is something else.
  template <typename T>
  const T *getAs() const {
    return std::get_if<T>(&storage);
  }
  bool isNull() const { return storage.index() == 0; }
  /// The member `key` of an object; null if there is none.
  const JsonValue *find(std::string_view key) const;
  /// "an integer", "an object", ... for messages.
  std::string_view kindName() const;

private:
  std::variant<std::monostate, bool, int64_t, double, std::string, Array,
               Object>
      storage;
};

/// Parses one document. Refused beside what RFC 8259 refuses: a repeated key,
/// nesting deeper than 64. Messages have the form `name:line:column: ...`.
Result<JsonValue> parseJson(std::string_view text, const std::string &name);

/// Compact, or with `indent` blanks for each level and a line for each member
/// and element. Doubles have the shortest form that reads back the same; what
/// JSON cannot hold (infinity) is null.
std::string toJson(const JsonValue &value, unsigned indent = 0);

/// A place in a document that fields are read from. A field that is missing or
/// of the wrong kind reads as a default, and the document's first such problem
/// is an Error that names the place: `FILE: chips[0].name: expected ...`.
class JsonNode {
public:
  /// The root of a document; `problem` outlives all nodes.
  JsonNode(const JsonValue &root, std::string name, Status &problem)
      : value(&root), path(std::move(name)), isRoot(true), problem(&problem) {}

  /// The member `key`, which must be there.
  JsonNode operator[](std::string_view key) const;
  /// Whether there is a member `key` other than null.
  bool has(std::string_view key) const;
  bool isNull() const { return !value || value->isNull(); }

  std::string string() const;
  bool boolean() const;
  /// An integer in [min, max].
  int64_t integer(int64_t min = std::numeric_limits<int64_t>::min(),
                  int64_t max = std::numeric_limits<int64_t>::max()) const;
  /// The elements of an array.
  std::vector<JsonNode> elements() const;

  /// Records a problem with this place, unless there is one already.
  void fail(const std::string &message, const std::string &note = {}) const;

private:
  JsonNode(const JsonValue *value, std::string path, Status *problem)
      : value(value), path(std::move(path)), problem(problem) {}
  void failKind(std::string_view wanted) const;

  const JsonValue *value;
  std::string path;
  bool isRoot = false;
  Status *problem;
};

} // namespace mlir::magicube

#endif // MAGICUBE_SUPPORT_JSON_H
