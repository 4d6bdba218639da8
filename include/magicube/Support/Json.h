//===- Json.h - JSON documents --------------------------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nlohmann-json as this project uses it: strict parsing without exceptions, a
// writer that cannot fail, and a way to read a document's fields in which the
// first problem is kept. For the libraries without LLVM.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_SUPPORT_JSON_H
#define MAGICUBE_SUPPORT_JSON_H

#include "magicube/Support/Result.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

namespace mlir::magicube {

/// A JSON value; objects keep the order of their members. Documents that were
/// parsed are read through JsonNode: the library's own accessors end the
/// process where a value is of another kind.
using Json = nlohmann::ordered_json;

/// Parses one document. Refused beside what RFC 8259 refuses: a repeated key,
/// nesting deeper than 64. Messages have the form `name:line:column: ...`, or
/// `name: field: ...` for those two.
Result<Json> parseJson(std::string_view text, const std::string &name);

/// Compact, or with `indent` blanks for each level and a line for each member
/// and element. Doubles have the shortest form that reads back the same; what
/// JSON cannot hold (infinity) is null, and bytes that are no UTF-8 become
/// U+FFFD.
std::string toJson(const Json &value, unsigned indent = 0);

/// A place in a document that fields are read from. A field that is missing or
/// of the wrong kind reads as a default, and the document's first such problem
/// is an Error that names the place: `FILE: chips[0].name: expected ...`.
class JsonNode {
public:
  /// The root of a document; `problem` outlives all nodes.
  JsonNode(const Json &root, std::string name, Status &problem)
      : value(&root), path(std::move(name)), isRoot(true), problem(&problem) {}

  /// The member `key`, which must be there.
  JsonNode operator[](std::string_view key) const;
  /// Whether there is a member `key` other than null.
  bool has(std::string_view key) const;
  bool isNull() const { return !value || value->is_null(); }

  std::string string() const;
  bool boolean() const;
  /// An integer in [min, max].
  int64_t integer(int64_t min = std::numeric_limits<int64_t>::min(),
                  int64_t max = std::numeric_limits<int64_t>::max()) const;
  /// The elements of an array.
  std::vector<JsonNode> elements() const;
  /// The members of an object.
  std::vector<std::pair<std::string, JsonNode>> members() const;

  /// Records a problem with this place, unless there is one already.
  void fail(const std::string &message, const std::string &note = {}) const;

private:
  JsonNode(const Json *value, std::string path, Status *problem)
      : value(value), path(std::move(path)), problem(problem) {}
  void failKind(std::string_view wanted) const;

  const Json *value;
  std::string path;
  bool isRoot = false;
  Status *problem;
};

} // namespace mlir::magicube

#endif // MAGICUBE_SUPPORT_JSON_H
