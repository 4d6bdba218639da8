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
#include "TextScanner.h"

#include "magicube/Format/Encoding.h"
#include "magicube/Format/FileIO.h"
#include "magicube/Format/SparseFiles.h"

#include <array>
#include <cctype>

namespace mlir::magicube {

namespace {

/// Where the words of the banner stand, what we read and what else exists.
struct BannerWord {
  const char *what;
  std::array<std::string_view, 2> accepted;
  const char *note;
};

constexpr BannerWord kBannerWords[] = {
    {"object", {"matrix", "matrix"}, ""},
    {"format",
     {"coordinate", "coordinate"},
     "dense matrices are read from .npy files"},
    {"field",
     {"integer", "pattern"},
     "quantize the values to integers before writing the file"},
    {"symmetry",
     {"general", "symmetric"},
     "write all entries and declare the matrix general"},
};
constexpr size_t kFieldWord = 2;
constexpr size_t kSymmetryWord = 3;
constexpr std::string_view kBannerStart = "%%matrixmarket";
constexpr char kComment = '%';
/// Shortest entry line: `1 1` and a newline.
constexpr int64_t kMinEntryBytes = 4;

class MtxParser {
public:
  MtxParser(std::string_view text, const std::string &name)
      : scanner(text, name) {}
  Result<CooMatrix> parse();

private:
  Status parseBanner();
  Status parseSizes();
  Status parseEntries();
  Status parseEntry();
  Status parseIndex(const char *what, int64_t limit, int64_t &index);
  Status checkDuplicates();

  TextScanner scanner;
  bool isPattern = false;
  bool isSymmetric = false;
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

Status MtxParser::parseBanner() {
  if (lowered(scanner.token()) != kBannerStart)
    return scanner.error(
        message("expected '%%MatrixMarket', but got ", scanner.quotedToken()),
        "the file must start with the line '%%MatrixMarket "
        "matrix coordinate integer general'");
  scanner.takeToken();
  for (size_t i = 0; i < std::size(kBannerWords); ++i) {
    const BannerWord &expected = kBannerWords[i];
    scanner.skipBlanks();
    std::string word = lowered(scanner.token());
    if (word != expected.accepted[0] && word != expected.accepted[1]) {
      bool single = expected.accepted[0] == expected.accepted[1];
      return scanner.error(message("expected ", expected.what, " '",
                                   expected.accepted[0], single ? "" : "' or '",
                                   single ? "" : expected.accepted[1],
                                   "', but got ", scanner.quotedToken()),
                           expected.note);
    }
    scanner.takeToken();
    if (i == kFieldWord)
      isPattern = word == expected.accepted[1];
    if (i == kSymmetryWord)
      isSymmetric = word == expected.accepted[1];
  }
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
  if (isSymmetric && matrix.rows != matrix.cols)
    return scanner.error(message("expected a square symmetric matrix, but got ",
                                 matrix.rows, " x ", matrix.cols));
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

Status MtxParser::parseEntry() {
  int64_t row, column, value = 1;
  if (Status s = parseIndex("row", matrix.rows, row); !s)
    return s;
  if (Status s = parseIndex("column", matrix.cols, column); !s)
    return s;
  if (!isPattern) {
    scanner.skipBlanks();
    if (!scanner.integer(value))
      return scanner.integerError("an integer value");
    if (value != static_cast<int32_t>(value))
      return scanner.error(message("expected a value of at most 32 bits, but "
                                   "got ",
                                   value));
  }
  scanner.skipBlanks();
  if (!scanner.atLineEnd())
    return scanner.error(message("expected the end of the entry, but got ",
                                 scanner.quotedToken()));
  if (isSymmetric && column > row)
    return scanner.error(
        message("expected an entry on or below the diagonal of a symmetric "
                "matrix, but got row ",
                row + 1, ", column ", column + 1));
  int32_t r = static_cast<int32_t>(row), c = static_cast<int32_t>(column);
  matrix.append(r, c, static_cast<int32_t>(value));
  if (isSymmetric && r != c)
    matrix.append(c, r, static_cast<int32_t>(value));
  return Status::success();
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
      message("duplicate entry at row ", row + 1, ", column ", column + 1));
}

Result<CooMatrix> MtxParser::parse() {
  for (auto step : {&MtxParser::parseBanner, &MtxParser::parseSizes,
                    &MtxParser::parseEntries, &MtxParser::checkDuplicates})
    if (Status s = (this->*step)(); !s)
      return s.error();
  return std::move(matrix);
}

Result<CooMatrix> parseMtx(std::string_view text, const std::string &name) {
  return MtxParser(text, name).parse();
}

Result<CooMatrix> readMtx(const std::string &path) {
  auto text = readFile(path);
  if (!text)
    return text.error();
  return parseMtx(*text, path);
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

} // namespace mlir::magicube
