//===- MtxFile.cpp - MatrixMarket coordinate files ------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Banner, size line, then one entry per line. The grammar is the one of NIST's
// "Matrix Market Exchange Formats"; comments and blank lines pass everywhere.
//
//===----------------------------------------------------------------------===//

#include "Message.h"
#include "TextFile.h"
#include "TextScanner.h"

#include "magicube/Format/Encoding.h"
#include "magicube/Format/FileIO.h"
#include "magicube/Format/FloatMatrix.h"
#include "magicube/Format/SparseFiles.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

namespace mlir::magicube {

namespace {

/// A place in the banner: the one word or the three that may stand there, and
/// advice if another does.
struct BannerWord {
  const char *what;
  std::array<std::string_view, 3> accepted;
  const char *note;
};

constexpr BannerWord kBannerWords[] = {
    {"object", {"matrix"}, ""},
    {"format", {"coordinate"}, "dense matrices are read from .npy files"},
    {"field",
     {"integer", "real", "pattern"},
     "quantize the values to integers before writing the file"},
    {"symmetry",
     {"general", "symmetric", "skew-symmetric"},
     "write all entries and declare the matrix general"},
};

/// What other writers call a field.
constexpr std::pair<std::string_view, std::string_view> kSynonyms[] = {
    {"double", "real"}, {"unsigned-integer", "integer"}};
constexpr std::string_view kBannerStart = "%%matrixmarket";
constexpr char kComment = '%';
/// Shortest entry line: `1 1` and a newline.
constexpr int64_t kMinEntryBytes = 4;

class MtxParser {
public:
  MtxParser(std::string_view text, const std::string &name, EntryValues values)
      : scanner(text, name), values(values) {}
  Result<CooMatrix> parse();

private:
  Result<std::string_view> parseWord(const BannerWord &expected);
  Status parseBanner();
  Status parseSizes();
  Status parseEntries();
  Status parseEntry();
  Status parseIndex(const char *what, int64_t limit, int64_t &index);
  Status parseValue(int64_t &value);
  Error valueError(const char *start) const;
  Status appendMirrored(int32_t row, int32_t col, int32_t value);
  Status checkDuplicates();

  bool isSymmetric() const { return symmetry != "general"; }

  TextScanner scanner;
  EntryValues values;
  std::string_view field;
  std::string_view symmetry;
  int64_t declared = 0;
  const char *firstEntry = nullptr;
  CooMatrix matrix;
};

} // namespace

static std::string lowered(std::string_view text) {
  std::string result(text);
  for (char &c : result)
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

/// Takes one of the words that may stand at a place of the banner.
Result<std::string_view> MtxParser::parseWord(const BannerWord &expected) {
  scanner.skipBlanks();
  std::string word = lowered(scanner.token());
  for (const auto &[synonym, name] : kSynonyms)
    if (word == synonym)
      word = name;
  const auto &accepted = expected.accepted;
  const auto *found = std::find(accepted.begin(), accepted.end(), word);
  if (found != accepted.end() && !word.empty()) {
    scanner.takeToken();
    return *found;
  }
  std::string names = message("'", accepted[0], "'");
  if (!accepted[1].empty())
    names += message(", '", accepted[1], "' or '", accepted[2], "'");
  return scanner.error(message("expected ", expected.what, " ", names,
                               ", but got ", scanner.quotedToken()),
                       expected.note);
}

Status MtxParser::parseBanner() {
  const char *start = scanner.position();
  scanner.skipBlanks();
  bool isBanner = lowered(scanner.token()) == kBannerStart;
  if (isBanner && scanner.position() != start)
    return scanner.error(
        "expected the file to start with '%%MatrixMarket', but "
        "got blanks before it",
        "delete the blanks");
  if (!isBanner)
    return scanner.error(
        message("expected '%%MatrixMarket', but got ", scanner.quotedToken()),
        "the file must start with the line '%%MatrixMarket "
        "matrix coordinate integer general'");
  scanner.takeToken();
  std::string_view object, format;
  std::string_view *words[] = {&object, &format, &field, &symmetry};
  for (size_t i = 0; i < std::size(kBannerWords); ++i) {
    Result<std::string_view> word = parseWord(kBannerWords[i]);
    if (!word)
      return word.error();
    *words[i] = *word;
  }
  if (field == "pattern" && symmetry == "skew-symmetric")
    return scanner.error("a skew-symmetric pattern has no values to negate",
                         "declare it symmetric");
  scanner.skipBlanks();
  if (!scanner.atLineEnd())
    return scanner.error(message("expected the end of the banner, but got ",
                                 scanner.quotedToken()));
  scanner.skipLine();
  return Status::success();
}

Status MtxParser::parseSizes() {
  struct {
    const char *what;
    int64_t &value;
    int64_t min;
    int64_t max;
  } fields[] = {{"the number of rows", matrix.rows, 1, kMaxExtent},
                {"the number of columns", matrix.cols, 1, kMaxExtent},
                {"the number of entries", declared, 0,
                 std::numeric_limits<int64_t>::max()}};
  scanner.skipToContent(kComment);
  for (auto &field : fields) {
    scanner.skipBlanks();
    const char *start = scanner.position();
    if (!scanner.integer(field.value))
      return scanner.integerError(field.what);
    if (field.value < field.min || field.value > field.max) {
      scanner.seek(start);
      return scanner.error(message("expected ", field.what, " in [", field.min,
                                   ", ", field.max, "], but got ",
                                   field.value));
    }
  }
  scanner.skipBlanks();
  if (!scanner.atLineEnd())
    return scanner.error(message("expected the end of the size line, but got ",
                                 scanner.quotedToken()));
  if (isSymmetric() && matrix.rows != matrix.cols)
    return scanner.error(message("expected a square ", symmetry,
                                 " matrix, but got ", matrix.rows, " x ",
                                 matrix.cols));
  // Before anything is reserved: the last entry may lack its newline.
  int64_t possible = (scanner.bytesLeft() + 1) / kMinEntryBytes;
  if (declared > possible)
    return scanner.error(message("the header promises ", declared,
                                 " entries, but the ", scanner.bytesLeft(),
                                 " bytes after it hold at most ", possible));
  scanner.skipLine();
  return Status::success();
}

/// Reads a 1-based index of at most `limit` and makes it 0-based.
Status MtxParser::parseIndex(const char *what, int64_t limit, int64_t &index) {
  scanner.skipBlanks();
  const char *start = scanner.position();
  if (!scanner.integer(index))
    return scanner.integerError(message("a ", what));
  if (index < 1 || index > limit) {
    scanner.seek(start);
    return scanner.error(
        message("expected a ", what, " in [1, ", limit, "], but got ", index));
  }
  --index;
  return Status::success();
}

/// Says what is wrong with the token at `start`, the value of an entry.
Error MtxParser::valueError(const char *start) const {
  TextScanner at = scanner;
  at.seek(start);
  double number;
  if (TextScanner(at).number(number) && std::isfinite(number) &&
      number == std::trunc(number) && field == "real")
    return at.error(message("expected a value of at most 32 bits, but got ",
                            at.quotedToken()));
  Error error = at.integerError("an integer value");
  error.note = field == "real" ? kBannerWords[2].note : "";
  return error;
}

Status MtxParser::parseValue(int64_t &value) {
  scanner.skipBlanks();
  const char *start = scanner.position();
  double number = 0;
  bool isInteger = scanner.integer(value);
  if (values == EntryValues::Ignored) {
    value = 1;
    if (isInteger || scanner.number(number))
      return Status::success();
    return scanner.integerError("a number");
  }
  if (values == EntryValues::Floats) {
    if (isInteger)
      number = static_cast<double>(value);
    else if (!scanner.number(number))
      return scanner.integerError("a number");
    auto rounded = static_cast<float>(number);
    if (std::isfinite(number) && !std::isfinite(rounded)) {
      scanner.seek(start);
      return scanner.error(message("expected a value that float32 holds, but "
                                   "got ",
                                   scanner.quotedToken()));
    }
    value = encodeFloat(rounded, FloatFormat::F32);
    return Status::success();
  }
  if (isInteger && value == static_cast<int32_t>(value))
    return Status::success();
  if (isInteger)
    return scanner.error(
        message("expected a value of at most 32 bits, but got ", value));
  if (field != "real" || !scanner.number(number))
    return valueError(start);
  // The comparisons are false for a NaN.
  if (!(number >= std::numeric_limits<int32_t>::min() &&
        number <= std::numeric_limits<int32_t>::max()) ||
      number != std::trunc(number))
    return valueError(start);
  value = static_cast<int64_t>(number);
  return Status::success();
}

/// Appends the mirror image of an entry of a symmetric matrix.
Status MtxParser::appendMirrored(int32_t row, int32_t col, int32_t value) {
  if (symmetry == "symmetric") {
    if (row != col)
      matrix.append(col, row, value);
    return Status::success();
  }
  if (values == EntryValues::Floats) {
    constexpr uint32_t signBit = uint32_t(1) << 31;
    if (row != col)
      matrix.append(col, row, static_cast<int32_t>(value ^ signBit));
    else if ((value & ~signBit) != 0)
      return scanner.error("expected zeros on the diagonal of a skew-symmetric "
                           "matrix");
    return Status::success();
  }
  if (values == EntryValues::Integers && row == col && value != 0)
    return scanner.error(message("expected zeros on the diagonal of a "
                                 "skew-symmetric matrix, but got ",
                                 value));
  if (value == std::numeric_limits<int32_t>::min())
    return scanner.error(message("expected a value whose negation has at most "
                                 "32 bits, but got ",
                                 value));
  if (row != col)
    matrix.append(col, row, -value);
  return Status::success();
}

Status MtxParser::parseEntry() {
  // What an entry of a pattern counts.
  int64_t row, column, value = 1;
  if (values == EntryValues::Floats)
    value = encodeFloat(1.0f, FloatFormat::F32);
  if (Status s = parseIndex("row", matrix.rows, row); !s)
    return s;
  if (Status s = parseIndex("column", matrix.cols, column); !s)
    return s;
  if (field != "pattern")
    if (Status s = parseValue(value); !s)
      return s;
  scanner.skipBlanks();
  if (!scanner.atLineEnd())
    return scanner.error(message("expected the end of the entry, but got ",
                                 scanner.quotedToken()));
  int32_t r = static_cast<int32_t>(row), c = static_cast<int32_t>(column);
  matrix.append(r, c, static_cast<int32_t>(value));
  return isSymmetric() ? appendMirrored(r, c, static_cast<int32_t>(value))
                       : Status::success();
}

Status MtxParser::parseEntries() {
  firstEntry = scanner.position();
  matrix.row.reserve(declared);
  matrix.col.reserve(declared);
  matrix.value.reserve(declared);
  for (int64_t i = 0; i < declared; ++i) {
    if (!scanner.skipToContent(kComment))
      return scanner.error(message("expected ", declared,
                                   " entries as the header promises, but got ",
                                   i));
    if (Status s = parseEntry(); !s)
      return s;
  }
  if (scanner.skipToContent(kComment))
    return scanner.error(message("expected the end of the file after ",
                                 declared, " entries, but got ",
                                 scanner.quotedToken()),
                         "the header promises fewer entries than there are");
  return Status::success();
}

/// Names the line by reading the entries again up to the duplicate.
Status MtxParser::checkDuplicates() {
  std::optional<int64_t> duplicate = matrix.findDuplicate();
  if (!duplicate)
    return Status::success();
  int32_t row = matrix.row[*duplicate], column = matrix.col[*duplicate];
  matrix = CooMatrix{matrix.rows, matrix.cols, {}, {}, {}};
  scanner.seek(firstEntry);
  const char *line = firstEntry;
  while (matrix.entries() <= *duplicate && scanner.skipToContent(kComment)) {
    line = scanner.position();
    if (Status s = parseEntry(); !s)
      return s;
  }
  scanner.seek(line);
  return scanner.error(
      message("duplicate entry at row ", row + 1, ", column ", column + 1),
      isSymmetric() ? message("in a ", symmetry,
                              " matrix an entry stands for its mirror image "
                              "too; if both are there, declare it general")
                    : "");
}

Result<CooMatrix> MtxParser::parse() {
  for (auto step : {&MtxParser::parseBanner, &MtxParser::parseSizes,
                    &MtxParser::parseEntries, &MtxParser::checkDuplicates})
    if (Status s = (this->*step)(); !s)
      return s.error();
  return std::move(matrix);
}

Result<CooMatrix> parseMtx(std::string_view text, const std::string &name,
                           EntryValues values) {
  return MtxParser(text, name, values).parse();
}

Result<CooMatrix> readMtx(const std::string &path, EntryValues values) {
  auto text = readText(path);
  if (!text)
    return text.error();
  return parseMtx(*text, path, values);
}

Status writeMtx(const std::string &path, const CooMatrix &matrix) {
  if (Status s = matrix.validate(); !s)
    return s;
  std::string text =
      message("%%MatrixMarket matrix coordinate integer general\n", matrix.rows,
              " ", matrix.cols, " ", matrix.entries(), "\n");
  for (int64_t i = 0; i < matrix.entries(); ++i)
    text += message(int64_t(matrix.row[i]) + 1, " ", int64_t(matrix.col[i]) + 1,
                    " ", matrix.value[i], "\n");
  return writeFile(path, text);
}

Status writeMtxPattern(const std::string &path, const CsrMatrix &vectors,
                       int64_t vector) {
  if (Status s = vectors.validate(); !s)
    return s;
  std::string text =
      message("%%MatrixMarket matrix coordinate pattern general\n",
              vectors.rows * vector, " ", vectors.cols, " ",
              vectors.entries() * vector, "\n");
  for (int64_t row = 0; row < vectors.rows * vector; ++row)
    for (int64_t i = vectors.offset[row / vector];
         i < vectors.offset[row / vector + 1]; ++i)
      text += message(row + 1, " ", int64_t(vectors.col[i]) + 1, "\n");
  return writeFile(path, text);
}

} // namespace mlir::magicube
