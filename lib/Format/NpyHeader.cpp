//===- NpyHeader.cpp - The header dictionary of .npy arrays ---------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A small recursive-descent parser of the literals that numpy writes.
//
//===----------------------------------------------------------------------===//

#include "NpyHeader.h"

#include "Message.h"
#include "TextScanner.h"

#include <limits>

namespace mlir::magicube {

namespace {

/// One row per supported type: its NumPy name and its descr as written.
struct TypeRow {
  NpyType type;
  std::string_view name;
  std::string_view descr;
  int64_t bytes;
  bool isInteger;
};

constexpr TypeRow kTypes[] = {
    {NpyType::Bool, "bool", "|b1", 1, true},
    {NpyType::I8, "int8", "|i1", 1, true},
    {NpyType::U8, "uint8", "|u1", 1, true},
    {NpyType::I16, "int16", "<i2", 2, true},
    {NpyType::U16, "uint16", "<u2", 2, true},
    {NpyType::I32, "int32", "<i4", 4, true},
    {NpyType::U32, "uint32", "<u4", 4, true},
    {NpyType::I64, "int64", "<i8", 8, true},
    {NpyType::U64, "uint64", "<u8", 8, true},
    {NpyType::F16, "float16", "<f2", 2, false},
    {NpyType::F32, "float32", "<f4", 4, false},
    {NpyType::F64, "float64", "<f8", 8, false},
};

/// The parser; every method returns false on malformed text.
class DictParser {
public:
  explicit DictParser(std::string_view text) : rest(text) {}

  bool consume(char c) {
    while (!rest.empty() && (rest[0] == ' ' || rest[0] == '\n'))
      rest.remove_prefix(1);
    if (rest.empty() || rest[0] != c)
      return false;
    rest.remove_prefix(1);
    return true;
  }
  bool string(std::string_view &value) {
    char quote = consume('\'') ? '\'' : consume('"') ? '"' : 0;
    size_t length = quote ? rest.find(quote) : std::string_view::npos;
    if (length == std::string_view::npos)
      return false;
    value = rest.substr(0, length);
    rest.remove_prefix(length + 1);
    return true;
  }
  bool boolean(bool &value) {
    value = word("True");
    return value || word("False");
  }
  /// `()`, `(3,)`, `(3, 4)`.
  bool shape(std::vector<int64_t> &value) {
    if (!consume('('))
      return false;
    while (!consume(')')) {
      int64_t extent;
      if (!number(extent))
        return false;
      value.push_back(extent);
      if (!consume(',') && (rest.empty() || rest[0] != ')'))
        return false;
    }
    return true;
  }
  bool atEnd() {
    consume('\n');
    return rest.find_first_not_of(" \n") == std::string_view::npos;
  }

private:
  bool word(std::string_view expected) {
    while (!rest.empty() && rest[0] == ' ')
      rest.remove_prefix(1);
    if (rest.substr(0, expected.size()) != expected)
      return false;
    rest.remove_prefix(expected.size());
    return true;
  }
  bool number(int64_t &value) {
    size_t length = rest.find_first_not_of("0123456789 ");
    if (length == std::string_view::npos)
      return false;
    TextScanner scanner(rest.substr(0, length), "");
    rest.remove_prefix(length);
    if (!scanner.integer(value))
      return false;
    scanner.skipBlanks();
    return scanner.atEnd();
  }

  std::string_view rest;
};

/// The dictionary's values before they are judged.
struct RawHeader {
  std::string_view descr;
  bool fortranOrder = false;
  std::vector<int64_t> shape;
  bool complete = false;
};

} // namespace

static const TypeRow &typeRow(NpyType type) {
  return kTypes[static_cast<size_t>(type)];
}
std::string_view npyTypeName(NpyType type) { return typeRow(type).name; }
int64_t npyTypeBytes(NpyType type) { return typeRow(type).bytes; }
bool isInteger(NpyType type) { return typeRow(type).isInteger; }

static Result<RawHeader> parseDict(std::string_view text) {
  const Error malformed{"expected a dictionary with descr, fortran_order and "
                        "shape as the header of an array"};
  DictParser parser(text);
  RawHeader header;
  bool hasDescr = false, hasOrder = false, hasShape = false;
  if (!parser.consume('{'))
    return malformed;
  while (!parser.consume('}')) {
    std::string_view key;
    if (!parser.string(key) || !parser.consume(':'))
      return malformed;
    bool &known = key == "descr"           ? hasDescr
                  : key == "fortran_order" ? hasOrder
                                           : hasShape;
    if (known)
      return malformed;
    known = true;
    if (key == "descr" && !parser.string(header.descr))
      return Error{"expected a plain element type, but got a structured one"};
    if ((key == "fortran_order" && !parser.boolean(header.fortranOrder)) ||
        (key == "shape" && !parser.shape(header.shape)))
      return malformed;
    if (key != "descr" && key != "fortran_order" && key != "shape")
      return malformed;
    parser.consume(',');
  }
  if (!hasDescr || !hasOrder || !hasShape || !parser.atEnd())
    return malformed;
  return header;
}

/// Judges the element type. The byte order of one-byte types is moot.
static Result<NpyType> findType(std::string_view descr) {
  std::string_view kind = descr.substr(descr.empty() ? 0 : 1);
  for (const TypeRow &row : kTypes) {
    if (row.descr.substr(1) != kind)
      continue;
    if (descr[0] == '<' || descr[0] == row.descr[0])
      return row.type;
    if (descr[0] == '>' && row.bytes == 1)
      return row.type;
    if (descr[0] == '>')
      return Error{
          message("expected little-endian elements, but got '", descr, "'"),
          message("convert with array.astype('", row.descr, "')")};
  }
  std::string names;
  for (const TypeRow &row : kTypes)
    names += message(names.empty() ? "" : ", ", row.name);
  return Error{
      message("expected elements of type ", names, ", but got '", descr, "'")};
}

Result<NpyHeader> parseNpyHeader(std::string_view text) {
  auto raw = parseDict(text);
  if (!raw)
    return raw.error();
  auto type = findType(raw->descr);
  if (!type)
    return type.error();
  NpyHeader header;
  header.type = *type;
  int64_t limit = std::numeric_limits<int64_t>::max() / npyTypeBytes(*type);
  bool isEmpty = false;
  for (int64_t extent : raw->shape) {
    isEmpty |= extent == 0;
    if (extent && header.elements > limit / extent)
      return Error{"expected a shape whose size fits in 64 bits"};
    header.elements *= extent ? extent : 1;
  }
  if (isEmpty)
    header.elements = 0;
  header.isFortran = raw->fortranOrder && raw->shape.size() > 1;
  header.shape = std::move(raw->shape);
  return header;
}

std::string printNpyHeader(const NpyArray &array) {
  return message("{'descr': '", typeRow(array.type).descr,
                 "', 'fortran_order': False, 'shape': ", array.shapeText(),
                 ", }");
}

} // namespace mlir::magicube
