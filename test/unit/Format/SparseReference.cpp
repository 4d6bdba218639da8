//===- SparseReference.cpp - Sparse references on files -------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For test_sparse_references.py, which compares them with numpy. Sparse values
// go in and come out as dense arrays, zero where nothing is stored.
//
//===----------------------------------------------------------------------===//

#include "magicube/Format/EvaluateSddmm.h"
#include "magicube/Format/EvaluateSoftmax.h"
#include "magicube/Format/Packer.h"
#include "magicube/Format/SparseFiles.h"

#include <cstdio>
#include <cstdlib>
#include <string>

using namespace mlir::magicube;

/// The value, or the end of the program.
template <typename T>
static T check(Result<T> result) {
  if (result)
    return std::move(*result);
  std::fprintf(stderr, "error: %s\n", result.error().message.c_str());
  std::exit(1);
}

static void check(Status status) {
  if (!status)
    check(Result<int>(status.error()));
}

/// `i8`, `u4`, ...
static ElementType parseType(const std::string &text) {
  return check(ElementType::get(std::stoi(text.substr(1)), text[0] == 'i'));
}

static DenseMatrix readDense(const std::string &path, ElementType type) {
  return check(DenseMatrix::fromNpy(check(readNpy(path)), type, path));
}

/// A .smtx file as a pattern whose vectors lie in any order.
static SRBCRSMatrix readPattern(const std::string &path, int64_t vector) {
  SRBCRSEncoding encoding;
  encoding.vector = vector;
  SRBCRSMatrix pattern = check(
      packPattern(check(readSmtx(path)), ElementType::pattern(), encoding, {}));
  check(shuffleVectors(pattern, /*seed=*/1));
  return pattern;
}

/// Calls visit(offset, row, column) for all elements that are stored.
template <typename Visitor>
static void forEachElement(const SRBCRSMatrix &matrix, Visitor visit) {
  StorageLayout layout = check(matrix.layout());
  for (int64_t r = 0; r < matrix.vectorRows(); ++r)
    for (int64_t p = matrix.pointers[2 * r]; p < matrix.pointers[2 * r + 1];
         ++p)
      for (int64_t v = 0; v < matrix.encoding.vector; ++v)
        visit(layout.valueOffset(p, v), r * matrix.encoding.vector + v,
              matrix.indices[p]);
}

static void write(const std::string &path, const SRBCRSMatrix &matrix) {
  DenseMatrix dense =
      check(DenseMatrix::zeros(matrix.rows, matrix.cols, matrix.type));
  forEachElement(matrix, [&](int64_t offset, int64_t row, int64_t col) {
    dense.set(row, col, matrix.type.load(matrix.values.data(), offset));
  });
  check(writeNpy(path, dense.toNpy()));
}

static void write(const std::string &path, const SparseFloatMatrix &matrix) {
  int64_t rows = matrix.pattern.rows, cols = matrix.pattern.cols;
  FloatMatrix dense{rows, cols, matrix.format, {}};
  dense.data.assign(rows * cols, 0.0f);
  forEachElement(matrix.pattern, [&](int64_t offset, int64_t row, int64_t col) {
    dense.data[row * cols + col] = matrix.values[offset];
  });
  check(writeNpy(path, dense.toNpy()));
}

/// sddmm PATTERN V A TYPE B TYPE OUT
static void runSddmm(char **args) {
  SRBCRSMatrix pattern = readPattern(args[0], std::stoi(args[1]));
  SparseValue result = check(evaluateSddmm(
      readDense(args[2], parseType(args[3])),
      readDense(args[4], parseType(args[5])), pattern, ReferenceEpilogue()));
  write(args[6], std::get<SRBCRSMatrix>(result));
}

static SparseFloatMatrix readFloats(const std::string &path,
                                    const SRBCRSMatrix &pattern) {
  FloatMatrix dense = check(FloatMatrix::fromNpy(check(readNpy(path)), path));
  SparseFloatMatrix sparse{pattern, FloatFormat::F32, {}};
  sparse.values.assign(pattern.stored() * pattern.encoding.vector, 0.0f);
  forEachElement(pattern, [&](int64_t offset, int64_t row, int64_t col) {
    sparse.values[offset] = dense.at(row, col);
  });
  return sparse;
}

static SRBCRSMatrix readIntegers(const std::string &path,
                                 const SRBCRSMatrix &pattern) {
  constexpr ElementType type{32, /*isSigned=*/true};
  DenseMatrix dense = readDense(path, type);
  SRBCRSMatrix sparse = pattern;
  sparse.type = type;
  // What lies in the padding is nobody's, but must be zero.
  sparse.values.assign(
      type.bytesFor(pattern.stored() * pattern.encoding.vector), 0);
  forEachElement(pattern, [&](int64_t offset, int64_t row, int64_t col) {
    type.store(sparse.values.data(), offset, dense.at(row, col));
  });
  return sparse;
}

/// softmax PATTERN V i32|f32 SCORES MASK|- SCALE f32|f16|4|8|16 VALUE_SCALE OUT
/// [FACTORS]
static void runSoftmax(char **args) {
  SRBCRSMatrix pattern = readPattern(args[0], std::stoi(args[1]));
  std::string kind = args[2], mask = args[4], result = args[6];
  SparseValue scores = kind == "i32"
                           ? SparseValue(readIntegers(args[3], pattern))
                           : SparseValue(readFloats(args[3], pattern));
  FloatMatrix scale =
      check(FloatMatrix::fromNpy(check(readNpy(args[5])), args[5]));
  SparseFloatMatrix added;
  SoftmaxOperands operands{scores, &scale};
  if (mask != "-") {
    added = readFloats(mask, pattern);
    operands.mask = &added;
  }
  if (result[0] == 'f') {
    FloatFormat format = result == "f16" ? FloatFormat::F16 : FloatFormat::F32;
    write(args[8], check(evaluateFloatSoftmax(operands, format)));
    return;
  }
  QuantizedSoftmax quantized = check(evaluateQuantizedSoftmax(
      operands, std::stoi(result), std::stof(args[7])));
  write(args[8], quantized.values);
  check(writeNpy(args[9], quantized.factors.toNpy()));
}

int main(int argc, char **argv) {
  std::string command = argc > 1 ? argv[1] : "";
  if (command == "sddmm" && argc == 9)
    runSddmm(argv + 2);
  else if (command == "softmax" && (argc == 11 || argc == 12))
    runSoftmax(argv + 2);
  else
    return 2;
  return 0;
}
