//===- SmtxFile.cpp - Patterns of the Deep Learning Matrix Collection -----===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Three lines: sizes, row offsets, columns. A line that is short or long, and
// offsets out of order, are an error at their line and value.
//
//===----------------------------------------------------------------------===//

#include "Message.h"
#include "TextFile.h"
#include "TextScanner.h"

#include "magicube/Format/Encoding.h"
#include "magicube/Format/FileIO.h"
#include "magicube/Format/SparseFiles.h"

#include <algorithm>

namespace mlir::magicube {

namespace {

class SmtxParser {
public:
  SmtxParser(std::string_view text, const std::string &name)
      : scanner(text, name) {}
  Result<CsrMatrix> parse();

private:
  Status parseSizes();
  Status parseOffsets();
  Status parseColumns();
  Status parseTail();
  Status checkRoom(int64_t count, const char *what) const;
  Status endLine(const char *what, int64_t count);

  TextScanner scanner;
  int64_t declared = 0;
  CsrMatrix pattern;
};

} // namespace

/// `count` blank-separated integers need so many bytes; checked before memory
/// is reserved, whatever a header promises.
Status SmtxParser::checkRoom(int64_t count, const char *what) const {
  int64_t possible = (scanner.bytesLeft() + 1) / 2;
  if (count <= possible)
    return Status::success();
  return scanner.error(message("the header promises ", count, " ", what,
                               ", but the ", scanner.bytesLeft(),
                               " bytes after it hold at most ", possible));
}

/// Moves past the line, which must have ended after `count` integers.
Status SmtxParser::endLine(const char *what, int64_t count) {
  scanner.skipBlanks();
  if (!scanner.atLineEnd())
    return scanner.error(message("expected the end of the line after ", count,
                                 " ", what, ", but got ",
                                 scanner.quotedToken()));
  scanner.skipLine();
  return Status::success();
}

Status SmtxParser::parseSizes() {
  struct {
    const char *what;
    int64_t &value;
    int64_t min;
    int64_t max;
  } fields[] = {{"the number of rows", pattern.rows, 1, kMaxExtent},
                {"the number of columns", pattern.cols, 1, kMaxExtent},
                {"the number of entries", declared, 0,
                 std::numeric_limits<int64_t>::max()}};
  for (auto &field : fields) {
    if (&field != fields) {
      scanner.skipBlanks();
      if (!scanner.consume(','))
        return scanner.error(
            message("expected ',', but got ", scanner.quotedToken()),
            "line 1 must read 'rows, columns, entries'");
    }
    scanner.skipBlanks();
    if (!scanner.integer(field.value))
      return scanner.integerError(field.what);
    if (field.value < field.min || field.value > field.max)
      return scanner.error(message("expected ", field.what, " in [", field.min,
                                   ", ", field.max, "], but got ",
                                   field.value));
  }
  if (declared > pattern.rows * pattern.cols)
    return scanner.error(message(
        "expected at most ", pattern.rows * pattern.cols, " entries in ",
        pattern.rows, " x ", pattern.cols, ", but got ", declared));
  return endLine("sizes", std::size(fields));
}

Status SmtxParser::parseOffsets() {
  int64_t count = pattern.rows + 1;
  if (Status s = checkRoom(count, "row offsets"); !s)
    return s;
  pattern.offset.reserve(count);
  int64_t previous = 0;
  for (int64_t i = 0; i < count; ++i) {
    scanner.skipBlanks();
    if (scanner.atLineEnd())
      return scanner.error(
          message("expected ", count, " row offsets, but got ", i));
    int64_t offset;
    if (!scanner.integer(offset))
      return scanner.integerError("a row offset");
    if (i == 0 && offset != 0)
      return scanner.error(
          message("expected the first row offset to be 0, but got ", offset));
    if (offset < previous || offset > declared)
      return scanner.error(message("expected the offset of row ", i, " in [",
                                   previous, ", ", declared, "], but got ",
                                   offset));
    pattern.offset.push_back(offset);
    previous = offset;
  }
  if (previous != declared)
    return scanner.error(message("expected the last row offset to be the ",
                                 declared, " entries of line 1, but got ",
                                 previous));
  return endLine("row offsets", count);
}

Status SmtxParser::parseColumns() {
  if (Status s = checkRoom(declared, "columns"); !s)
    return s;
  pattern.col.reserve(declared);
  for (int64_t r = 0; r < pattern.rows; ++r) {
    for (int64_t i = pattern.offset[r]; i < pattern.offset[r + 1]; ++i) {
      scanner.skipBlanks();
      if (scanner.atLineEnd())
        return scanner.error(
            message("expected ", declared, " columns, but got ", i));
      int64_t column;
      if (!scanner.integer(column))
        return scanner.integerError("a column");
      if (column < 0 || column >= pattern.cols)
        return scanner.error(message("row ", r, ": expected a column in [0, ",
                                     pattern.cols, "), but got ", column));
      pattern.col.push_back(static_cast<int32_t>(column));
    }
    auto first = pattern.col.begin() + pattern.offset[r];
    if (!std::is_sorted(first, pattern.col.end()))
      std::sort(first, pattern.col.end());
    auto twice = std::adjacent_find(first, pattern.col.end());
    if (twice != pattern.col.end())
      return scanner.error(
          message("row ", r, ": column ", *twice, " occurs twice"));
  }
  return endLine("columns", declared);
}

Status SmtxParser::parseTail() {
  if (scanner.skipToContent())
    return scanner.error(message("expected the end of the file, but got ",
                                 scanner.quotedToken()));
  return Status::success();
}

Result<CsrMatrix> SmtxParser::parse() {
  for (auto step : {&SmtxParser::parseSizes, &SmtxParser::parseOffsets,
                    &SmtxParser::parseColumns, &SmtxParser::parseTail})
    if (Status s = (this->*step)(); !s)
      return s.error();
  return std::move(pattern);
}

Result<CsrMatrix> parseSmtx(std::string_view text, const std::string &name) {
  return SmtxParser(text, name).parse();
}

Result<CsrMatrix> readSmtx(const std::string &path) {
  auto text = readText(path);
  if (!text)
    return text.error();
  return parseSmtx(*text, path);
}

template <typename T>
static void appendLine(std::string &text, const std::vector<T> &values) {
  for (size_t i = 0; i < values.size(); ++i)
    text += message(i ? " " : "", values[i]);
  text += '\n';
}

Status writeSmtx(const std::string &path, const CsrMatrix &pattern) {
  if (Status s = pattern.validate(); !s)
    return s;
  std::string text =
      message(pattern.rows, ", ", pattern.cols, ", ", pattern.entries(), "\n");
  appendLine(text, pattern.offset);
  appendLine(text, pattern.col);
  return writeFile(path, text);
}

} // namespace mlir::magicube
