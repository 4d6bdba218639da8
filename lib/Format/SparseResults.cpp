//===- SparseResults.cpp - Sparse results of programs ---------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One view of integers and floats: the text and the bits of an element.
//
//===----------------------------------------------------------------------===//

#include "magicube/Format/SparseResults.h"

#include "Message.h"
#include "StoredVectors.h"

#include "magicube/Format/DenseMatrix.h"
#include "magicube/Format/FileIO.h"

#include <cmath>
#include <cstdio>

namespace mlir::magicube {

const SRBCRSMatrix &getPattern(const SparseValue &value) {
  if (const auto *floats = std::get_if<SparseFloatMatrix>(&value))
    return floats->pattern;
  return std::get<SRBCRSMatrix>(value);
}

std::vector<uint8_t> toBytes(const SparseFloatMatrix &matrix) {
  int64_t size = floatBytes(matrix.format);
  std::vector<uint8_t> bytes(matrix.values.size() * size);
  for (size_t i = 0; i < matrix.values.size(); ++i) {
    uint32_t bits = encodeFloat(matrix.values[i], matrix.format);
    std::memcpy(&bytes[i * size], &bits, size); // little-endian
  }
  return bytes;
}

SparseFloatMatrix makeSparseFloats(SRBCRSMatrix pattern, FloatFormat format,
                                   const std::vector<uint8_t> &bytes) {
  int64_t count = static_cast<int64_t>(bytes.size()) / floatBytes(format);
  FloatMatrix values = FloatMatrix::fromBytes(1, count, format, bytes.data());
  return {std::move(pattern), format, std::move(values.data)};
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

namespace {

/// The elements of a value by their offsets.
struct Elements {
  explicit Elements(const SparseValue &value)
      : pattern(getPattern(value)),
        floats(std::get_if<SparseFloatMatrix>(&value)) {}

  int64_t count() const { return pattern.stored() * pattern.encoding.vector; }
  int64_t integer(int64_t offset) const {
    return pattern.type.load(pattern.values.data(), offset);
  }
  std::string text(int64_t offset) const {
    if (!floats)
      return std::to_string(integer(offset));
    char digits[32];
    // Enough to tell any two values of float32 apart.
    std::snprintf(digits, sizeof(digits), "%.9g", floats->values[offset]);
    return digits;
  }
  bool isSame(const Elements &other, int64_t offset) const {
    if (!floats)
      return integer(offset) == other.integer(offset);
    float lhs = floats->values[offset], rhs = other.floats->values[offset];
    return encodeFloat(lhs, FloatFormat::F32) ==
               encodeFloat(rhs, FloatFormat::F32) ||
           (std::isnan(lhs) && std::isnan(rhs));
  }
  /// Calls visit(row, column, offset) for each entry, row by row.
  template <typename Visitor>
  void forEach(Visitor visit) const {
    SRBCRSEncoding encoding = pattern.encoding;
    for (int64_t r = 0; r < pattern.vectorRows(); ++r)
      for (int64_t v = 0; v < encoding.vector; ++v)
        forEachVector(pattern, r, [&](int64_t p) {
          visit(r * encoding.vector + v, int64_t(pattern.indices[p]),
                encoding.valueOrder().offset(p, v));
        });
  }

  const SRBCRSMatrix &pattern;
  const SparseFloatMatrix *floats;
};

} // namespace

//===----------------------------------------------------------------------===//
// Comparing
//===----------------------------------------------------------------------===//

static Status comparePatterns(size_t index, const SRBCRSMatrix &expected,
                              const SRBCRSMatrix &actual) {
  auto differ = [&](const std::string &what) {
    return Error{message("result #", index, ": ", what)};
  };
  if (expected.rows != actual.rows || expected.cols != actual.cols)
    return differ(message("expected a matrix of ", expected.rows, "x",
                          expected.cols, ", but got ", actual.rows, "x",
                          actual.cols));
  if (expected.encoding != actual.encoding || expected.type != actual.type)
    return differ("it is stored in another way than the reference");
  for (size_t i = 0; i < expected.pointers.size(); ++i)
    if (expected.pointers[i] != actual.pointers[i])
      return differ(message("expected pointer #", i, " to be ",
                            expected.pointers[i], ", but got ",
                            actual.pointers[i]));
  if (expected.stored() != actual.stored())
    return differ(message("expected ", expected.stored(),
                          " stored vectors, but got ", actual.stored()));
  for (int64_t p = 0; p < expected.stored(); ++p)
    if (expected.indices[p] != actual.indices[p])
      return differ(message("expected index #", p, " to be ",
                            expected.indices[p], ", but got ",
                            actual.indices[p]));
  return {};
}

Status compareResult(size_t index, const SparseValue &expected,
                     const SparseValue &actual) {
  Elements want(expected), got(actual);
  if (!want.floats != !got.floats ||
      (want.floats && want.floats->format != got.floats->format))
    return Error{
        message("result #", index, " has other elements than the reference")};
  if (Status s = comparePatterns(index, want.pattern, got.pattern); !s)
    return s;
  constexpr int64_t maxReported = 5;
  std::string report;
  int64_t mismatches = 0;
  want.forEach([&](int64_t row, int64_t col, int64_t offset) {
    if (want.isSame(got, offset) || mismatches++ >= maxReported)
      return;
    report += message("\n  [", row, ", ", col, "]: expected ",
                      want.text(offset), ", but got ", got.text(offset));
  });
  if (mismatches > 0)
    return Error{message("result #", index, ": ", mismatches, " of ",
                         want.pattern.vectors * want.pattern.encoding.vector,
                         " entries differ from the reference", report)};
  for (int64_t offset = 0; offset < want.count(); ++offset)
    if (!want.isSame(got, offset))
      return Error{message("result #", index,
                           ": expected zeros as padding, but "
                           "got ",
                           got.text(offset), " at element ", offset,
                           " of the values")};
  return {};
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static Status writeCoordinates(const std::string &path,
                               const Elements &elements) {
  const SRBCRSMatrix &pattern = elements.pattern;
  std::string entries;
  int64_t count = 0;
  elements.forEach([&](int64_t row, int64_t col, int64_t offset) {
    entries += message(row + 1, " ", col + 1, " ", elements.text(offset), "\n");
    ++count;
  });
  return writeFile(path,
                   message("%%MatrixMarket matrix coordinate ",
                           elements.floats ? "real" : "integer", " general\n",
                           pattern.rows, " ", pattern.cols, " ", count, "\n") +
                       entries);
}

/// The values as an array of rank 1.
static NpyArray getValues(const Elements &elements) {
  NpyArray array;
  if (elements.floats) {
    array = FloatMatrix{1, elements.count(), elements.floats->format,
                        elements.floats->values}
                .toNpy();
  } else {
    array = DenseMatrix{1, elements.count(), elements.pattern.type,
                        elements.pattern.values}
                .toNpy();
  }
  array.shape = {elements.count()};
  return array;
}

template <typename Element>
static NpyArray makeArray(NpyType type, std::vector<int64_t> shape,
                          const Element *data, int64_t count) {
  const auto *bytes = reinterpret_cast<const uint8_t *>(data);
  return {type, std::move(shape), {bytes, bytes + count * sizeof(Element)}};
}

static Status writeComponents(const std::string &stem,
                              const Elements &elements) {
  const SRBCRSMatrix &pattern = elements.pattern;
  std::vector<int64_t> shape = {pattern.vectorRows(), 2};
  if (pattern.encoding.slab)
    shape.insert(shape.begin() + 1, pattern.slabs());
  NpyArray pointers = makeArray(NpyType::I32, shape, pattern.pointers.data(),
                                pattern.pointers.size());
  std::vector<int32_t> columns;
  for (int64_t p = 0; p < pattern.stored(); ++p)
    columns.push_back(pattern.indices[p]);
  NpyArray indices = makeArray(NpyType::I32, {pattern.stored()}, columns.data(),
                               pattern.stored());
  if (Status s = writeNpy(stem + ".pointers.npy", pointers); !s)
    return s;
  if (Status s = writeNpy(stem + ".indices.npy", indices); !s)
    return s;
  return writeNpy(stem + ".values.npy", getValues(elements));
}

static bool endsWith(const std::string &path, std::string_view suffix) {
  return path.size() > suffix.size() &&
         path.compare(path.size() - suffix.size(), suffix.size(), suffix) == 0;
}

static constexpr std::string_view kMatrixSuffix = ".mtx", kArraySuffix = ".npy";

Status checkSparseName(const std::string &path) {
  if (endsWith(path, kMatrixSuffix) || endsWith(path, kArraySuffix))
    return {};
  return Error{message("'", path,
                       "': expected a name that ends in .mtx or .npy "
                       "for a sparse matrix"),
               "as in --out=C.mtx, or --out=C.npy for C.pointers.npy, "
               "C.indices.npy and C.values.npy"};
}

Status writeSparse(const std::string &path, const SparseValue &value) {
  if (Status s = checkSparseName(path); !s)
    return s;
  Elements elements(value);
  if (endsWith(path, kMatrixSuffix))
    return writeCoordinates(path, elements);
  return writeComponents(path.substr(0, path.size() - kArraySuffix.size()),
                         elements);
}

} // namespace mlir::magicube
