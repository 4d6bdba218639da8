//===- ProgramArguments.cpp - Values for a program's operands -------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files and random values against the types of the program.
//
//===----------------------------------------------------------------------===//

#include "magicube/Format/ProgramArguments.h"

#include "ArgumentText.h"
#include "CompareElements.h"
#include "Message.h"
#include "magicube/Format/Packer.h"
#include "magicube/Format/Random.h"
#include "magicube/Format/SparseFiles.h"
#include "magicube/Format/SparseResults.h"

#include <functional>

namespace mlir::magicube {

namespace {

/// One argument: its place, text and type.
struct Argument {
  size_t index;
  const std::string &text;
  const MatrixType &type;
  uint64_t seed;

  Error error(const std::string &what, const std::string &note) const {
    return {message("argument #", index, " ('", text, "'): ", what), note};
  }
  /// `result`, or its error with the name of the argument, which packers do not
  /// know.
  template <typename T>
  Result<T> name(Result<T> result) const {
    if (result)
      return result;
    return error(result.error().message, result.error().note);
  }
  bool endsWith(std::string_view suffix) const {
    return magicube::endsWith(text, suffix);
  }
};

/// Rows and columns.
using Extents = std::pair<int64_t, int64_t>;

} // namespace

/// Checks extents against the static ones of the type.
static Status checkShape(const Argument &argument, int64_t rows, int64_t cols) {
  Status status = checkShape(argument.type, rows, cols);
  return status ? status
                : argument.error(status.error().message, status.error().note);
}

//===----------------------------------------------------------------------===//
// Sparse arguments
//===----------------------------------------------------------------------===//

/// Packs a pattern of vectors with seeded values.
static Result<SRBCRSMatrix> packRandomValues(const Argument &argument,
                                             const CsrMatrix &pattern) {
  const SRBCRSEncoding &encoding = *argument.type.encoding;
  if (Status status =
          checkShape(argument, pattern.rows * encoding.vector, pattern.cols);
      !status)
    return status.error();
  SeededValues values(argument.type.element, argument.seed);
  return argument.name(packPattern(pattern, argument.type.element, encoding,
                                   [&](int64_t vector, int64_t component) {
                                     return values(vector * encoding.vector +
                                                   component);
                                   }));
}

/// `random:MxK@D`.
static Result<SRBCRSMatrix> makeRandomSparse(const Argument &argument) {
  int64_t vector = argument.type.encoding->vector;
  std::optional<RandomSparse> random =
      RandomSparse::parse(argument.text, vector);
  if (!random)
    return argument.error(message("expected random:MxK@D with a multiple of ",
                                  vector, " for M and a density D from 0 to 1"),
                          "for example random:2048x2304@0.1");
  int64_t vectorRows = random->rows / vector;
  int64_t vectors = vectorRows * randomRowLength(random->cols, random->density);
  if (Status s = checkPointerGroups(vectorRows, random->cols,
                                    *argument.type.encoding, vectors);
      !s)
    return argument.error(s.error().message, s.error().note);
  // Positions must not repeat the values' random numbers.
  constexpr uint64_t patternStream = ~uint64_t(0);
  return packRandomValues(
      argument, randomPattern(vectorRows, random->cols, random->density,
                              splitMix64(argument.seed, patternStream)));
}

static Result<SRBCRSMatrix> makeSparse(const Argument &argument,
                                       EntryValues values) {
  if (namesText(argument.text, ".mtx")) {
    Result<CooMatrix> matrix = readMtx(argument.text, values);
    if (!matrix)
      return matrix.error();
    if (Status status = checkShape(argument, matrix->rows, matrix->cols);
        !status)
      return status.error();
    return argument.name(
        packCoo(*matrix, argument.type.element, *argument.type.encoding));
  }
  if (namesText(argument.text, ".smtx")) {
    Result<CsrMatrix> pattern = readSmtx(argument.text);
    return pattern ? packRandomValues(argument, *pattern) : pattern.error();
  }
  if (argument.text.compare(0, 6, "random") == 0)
    return makeRandomSparse(argument);
  return argument.error(
      "expected a .mtx or .smtx file or random:MxK@D for the sparse type " +
          argument.type.str(),
      "write the matrix as MatrixMarket coordinates (.mtx)");
}

//===----------------------------------------------------------------------===//
// Dense arguments
//===----------------------------------------------------------------------===//

/// Extents of `random[:RxC]`: those of the type, completed by the text.
static Result<Extents> getRandomExtents(const Argument &argument) {
  const MatrixType &type = argument.type;
  std::string_view text = argument.text;
  consumePrefix(text, "random");
  if (text.empty()) {
    if (type.rows != kDynamic && type.cols != kDynamic)
      return Extents(type.rows, type.cols);
    return argument.error("the type " + type.str() +
                              " does not say how large the matrix is",
                          "give the extents, as in random:2304x512");
  }
  int64_t rows = 0, cols = 0;
  if (!consumePrefix(text, ":") || !consumeNumber(text, rows, "x") ||
      !consumeNumber(text, cols, "") || !text.empty())
    return argument.error("expected random or random:RxC",
                          "for example random:2304x512");
  if (Status status = checkShape(argument, rows, cols); !status)
    return status.error();
  if (Status status = checkDenseExtents(rows, cols); !status)
    return argument.error(status.error().message, status.error().note);
  return Extents(rows, cols);
}

/// A matrix of a `.npy` file, by `fromNpy(array)`, or of `random[:RxC]`, by
/// `random(rows, cols)`.
template <typename FromNpy, typename Random>
static auto makeFromText(const Argument &argument, const std::string &file,
                         FromNpy fromNpy, Random random)
    -> decltype(random(0, 0)) {
  std::string_view text = argument.text;
  if (argument.endsWith(".npy")) {
    Result<NpyArray> array = readNpy(argument.text);
    if (!array)
      return array.error();
    argument.type.reshapeVector(*array);
    auto matrix = fromNpy(*array);
    if (!matrix)
      return matrix.error();
    if (Status status = checkShape(argument, matrix->rows, matrix->cols);
        !status)
      return status.error();
    return matrix;
  }
  if (text == "random" || text.substr(0, 7) == "random:") {
    Result<Extents> extents = getRandomExtents(argument);
    if (!extents)
      return extents.error();
    return random(extents->first, extents->second);
  }
  return argument.error("expected " + file + " " + argument.type.str(),
                        "save the matrix with numpy.save");
}

static Result<DenseMatrix> makeDense(const Argument &argument) {
  ElementType type = argument.type.element;
  return makeFromText(
      argument, "a .npy file or random[:RxC] for the dense type",
      [&](const NpyArray &array) {
        return DenseMatrix::fromNpy(array, type, argument.text);
      },
      [&](int64_t rows, int64_t cols) {
        return argument.name(
            DenseMatrix::random(rows, cols, type, argument.seed));
      });
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

static Result<FloatMatrix> makeNumber(const Argument &argument) {
  const char *begin = argument.text.data(), *end = begin + argument.text.size();
  float value;
  auto [rest, code] = std::from_chars(begin, end, value);
  if (code != std::errc() || rest != end)
    return argument.error("expected a number of f32",
                          "write it in decimal, as in 0.125");
  return FloatMatrix{1, 1, FloatFormat::F32, {value}};
}

static Result<FloatMatrix> makeFloats(const Argument &argument) {
  if (argument.type.isNumber)
    return makeNumber(argument);
  return makeFromText(
      argument, "a .npy file of floats or random[:RxC] for",
      [&](const NpyArray &array) {
        return FloatMatrix::fromNpy(array, argument.text);
      },
      [&](int64_t rows, int64_t cols) {
        return Result<FloatMatrix>(
            FloatMatrix::random(rows, cols, argument.seed));
      });
}

//===----------------------------------------------------------------------===//
// All arguments
//===----------------------------------------------------------------------===//

/// Floats at the places of a sparse argument: those of an .mtx, rounded to the
/// format, else random ones like those of dense arguments.
static Result<SparseFloatMatrix> makeSparseFloats(const Argument &argument) {
  MatrixType type = argument.type;
  type.isFloat = false;
  bool hasValues = namesText(argument.text, ".mtx");
  type.element = hasValues ? ElementType{32, true} : ElementType::pattern();
  Result<SRBCRSMatrix> matrix =
      makeSparse({argument.index, argument.text, type, argument.seed},
                 EntryValues::Floats);
  if (!matrix)
    return matrix.error();
  SparseFloatMatrix result{std::move(*matrix), argument.type.format, {}};
  SRBCRSMatrix &pattern = result.pattern;
  int64_t vector = pattern.encoding.vector;
  FloatMatrix random =
      FloatMatrix::random(1, pattern.stored() * vector, argument.seed);
  result.values.assign(random.data.size(), 0.0f);
  for (int64_t p = 0; p < pattern.stored(); ++p)
    for (int64_t v = 0; v < vector && pattern.indices[p] != kPaddingIndex;
         ++v) {
      int64_t offset = pattern.encoding.valueOrder().offset(p, v);
      float value = random.data[offset];
      if (hasValues)
        std::memcpy(&value, &pattern.values[offset * sizeof(value)],
                    sizeof(value)); // the reader's bits
      uint32_t bits = encodeFloat(value, result.format);
      result.values[offset] = decodeFloat(bits, result.format);
    }
  pattern.type = ElementType::pattern();
  pattern.values.clear();
  return result;
}

Result<std::vector<ProgramValue>>
makeArguments(const std::string &name, const std::vector<MatrixType> &types,
              const std::vector<std::string> &texts, uint64_t seed) {
  if (texts.size() != types.size()) {
    std::string list;
    for (const MatrixType &type : types)
      list += (list.empty() ? "" : ", ") + type.str();
    return Error{message("'", name, "' takes ", types.size(),
                         " arguments, but got ", texts.size()),
                 message("give --arg ", types.size(), " times; the types are (",
                         list, ")")};
  }
  std::vector<ProgramValue> values;
  for (size_t i = 0; i < texts.size(); ++i) {
    // Arguments of one run differ; the same argument is the same in every run.
    Argument argument = {i, texts[i], types[i], splitMix64(seed, i)};
    Status status;
    auto append = [&](auto matrix) {
      if (matrix)
        values.emplace_back(std::move(*matrix));
      else
        status = matrix.error();
    };
    if (types[i].isFloat && types[i].isSparse())
      append(makeSparseFloats(argument));
    else if (types[i].isFloat)
      append(makeFloats(argument));
    else if (types[i].isSparse())
      append(makeSparse(argument, types[i].element.isPattern()
                                      ? EntryValues::Ignored
                                      : EntryValues::Integers));
    else
      append(makeDense(argument));
    if (!status)
      return status.error();
  }
  return values;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

Status compareResult(size_t index, const DenseMatrix &expected,
                     const DenseMatrix &actual) {
  auto value = [](const DenseMatrix &matrix, int64_t row, int64_t col) {
    return matrix.at(row, col);
  };
  auto toText = [](int64_t number) { return std::to_string(number); };
  return compareElements(index, expected, actual, value, std::equal_to<>(),
                         toText);
}

const SRBCRSMatrix *findPattern(const ProgramValue &value) {
  if (const auto *floats = std::get_if<SparseFloatMatrix>(&value))
    return &floats->pattern;
  return std::get_if<SRBCRSMatrix>(&value);
}

std::pair<int64_t, int64_t> getExtents(const ProgramValue &value) {
  if (const SRBCRSMatrix *pattern = findPattern(value))
    return {pattern->rows, pattern->cols};
  if (const auto *dense = std::get_if<DenseMatrix>(&value))
    return {dense->rows, dense->cols};
  const auto &floats = std::get<FloatMatrix>(value);
  return {floats.rows, floats.cols};
}

ProgramValue toProgramValue(SparseValue value) {
  if (auto *floats = std::get_if<SparseFloatMatrix>(&value))
    return std::move(*floats);
  return std::move(std::get<SRBCRSMatrix>(value));
}

std::optional<SparseValue> toSparseValue(const ProgramValue &value) {
  if (const auto *floats = std::get_if<SparseFloatMatrix>(&value))
    return *floats;
  if (const auto *sparse = std::get_if<SRBCRSMatrix>(&value))
    return *sparse;
  return std::nullopt;
}

Status compareValues(size_t index, const ProgramValue &expected,
                     const ProgramValue &actual) {
  if (expected.index() == actual.index()) {
    if (const auto *floats = std::get_if<FloatMatrix>(&expected))
      return compareResult(index, *floats, std::get<FloatMatrix>(actual));
    if (const auto *dense = std::get_if<DenseMatrix>(&expected))
      return compareResult(index, *dense, std::get<DenseMatrix>(actual));
    return compareResult(index, *toSparseValue(expected),
                         *toSparseValue(actual));
  }
  return Error{message("result #", index,
                       " is a matrix of another kind than the reference")};
}

Status compareResults(const std::vector<ProgramValue> &expected,
                      const std::vector<ProgramValue> &actual) {
  if (expected.size() != actual.size())
    return Error{message("expected ", expected.size(), " results, but got ",
                         actual.size())};
  for (size_t i = 0; i < expected.size(); ++i)
    if (Status s = compareValues(i, expected[i], actual[i]); !s)
      return s;
  return {};
}

} // namespace mlir::magicube
