//===- Arguments.cpp - Arguments of the entry function ---------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files and random values against the types of the entry function.
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"

#include "dialect/magicube/MagicubeDialect.h"
#include "magicube/Format/Packer.h"
#include "magicube/Format/Random.h"
#include "magicube/Format/SparseFiles.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::magicube;

std::pair<int64_t, int64_t>
mlir::magicube::getExtents(const ProgramValue &value) {
  return std::visit(
      [](const auto &matrix) { return std::pair(matrix.rows, matrix.cols); },
      value);
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// Whether a product of the function takes `argument` as unsigned.
static bool isUnsigned(Value argument) {
  return llvm::any_of(argument.getUses(), [](OpOperand &use) {
    auto spmm = dyn_cast<SpmmOp>(use.getOwner());
    if (!spmm)
      return false;
    return (spmm.getUnsignedLhs() && llvm::is_contained(spmm.getLhs(), use.get())) ||
           (spmm.getUnsignedRhs() && spmm.getRhs() == use.get());
  });
}

static std::string str(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

namespace {

/// One argument: its place, text and type.
struct Argument {
  size_t index;
  const std::string &text;
  RankedTensorType type;
  ElementType element;
  uint64_t seed;

  std::string name() const {
    return llvm::formatv("argument #{0} ('{1}')", index, text);
  }
  Error error(const std::string &message, const std::string &note) const {
    return {name() + ": " + message, note};
  }
};

} // namespace

/// Checks extents against the static ones of the type.
static Status checkShape(const Argument &argument, int64_t rows,
                         int64_t cols) {
  auto fits = [](int64_t extent, int64_t actual) {
    return ShapedType::isDynamic(extent) || extent == actual;
  };
  RankedTensorType type = argument.type;
  if (fits(type.getDimSize(0), rows) && fits(type.getDimSize(1), cols))
    return Status::success();
  return argument.error(llvm::formatv("expected a matrix for {0}, but got {1}x{2}",
                                      str(type), rows, cols),
                        "change the file or the type in the entry function");
}

//===----------------------------------------------------------------------===//
// Sparse arguments
//===----------------------------------------------------------------------===//

static Result<SRBCRSMatrix> makeSparse(const Argument &argument) {
  SRBCRSEncoding encoding = getSparseEncoding(argument.type).getFormat();
  StringRef path = argument.text;
  if (path.ends_with(".mtx")) {
    Result<CooMatrix> matrix = readMtx(argument.text);
    if (!matrix)
      return matrix.error();
    if (Status status = checkShape(argument, matrix->rows, matrix->cols);
        !status)
      return status.error();
    return packCoo(*matrix, argument.element, encoding);
  }
  if (path.ends_with(".smtx")) {
    Result<CsrMatrix> pattern = readSmtx(argument.text);
    if (!pattern)
      return pattern.error();
    if (Status status = checkShape(argument, pattern->rows * encoding.vector,
                                   pattern->cols);
        !status)
      return status.error();
    SeededValues values(argument.element, argument.seed);
    return packPattern(*pattern, argument.element, encoding,
                       [&](int64_t vector, int64_t component) {
                         return values(vector * encoding.vector + component);
                       });
  }
  return argument.error("expected a .mtx or .smtx file for the sparse type " +
                            str(argument.type),
                        "write the matrix as MatrixMarket coordinates (.mtx)");
}

//===----------------------------------------------------------------------===//
// Dense arguments
//===----------------------------------------------------------------------===//

/// Extents of `random[:RxC]`: those of the type, completed by the text.
static Result<std::pair<int64_t, int64_t>>
getRandomExtents(const Argument &argument) {
  StringRef text = argument.text;
  text.consume_front("random");
  if (text.empty()) {
    if (argument.type.hasStaticShape())
      return std::pair(argument.type.getDimSize(0),
                       argument.type.getDimSize(1));
    return argument.error("the type " + str(argument.type) +
                              " does not say how large the matrix is",
                          "give the extents, as in random:2304x512");
  }
  auto [rows, cols] = text.drop_front().split('x');
  int64_t m, n;
  if (!text.starts_with(":") || rows.getAsInteger(10, m) ||
      cols.getAsInteger(10, n))
    return argument.error("expected random or random:RxC",
                          "for example random:2304x512");
  if (Status status = checkShape(argument, m, n); !status)
    return status.error();
  return std::pair(m, n);
}

static Result<DenseMatrix> makeDense(const Argument &argument) {
  StringRef text = argument.text;
  if (text.ends_with(".npy")) {
    Result<NpyArray> array = readNpy(argument.text);
    if (!array)
      return array.error();
    Result<DenseMatrix> matrix =
        DenseMatrix::fromNpy(*array, argument.element, argument.text);
    if (!matrix)
      return matrix.error();
    if (Status status = checkShape(argument, matrix->rows, matrix->cols);
        !status)
      return status.error();
    return matrix;
  }
  if (text == "random" || text.starts_with("random:")) {
    Result<std::pair<int64_t, int64_t>> extents = getRandomExtents(argument);
    if (!extents)
      return extents.error();
    return DenseMatrix::random(extents->first, extents->second,
                               argument.element, argument.seed);
  }
  return argument.error("expected a .npy file or random[:RxC] for the dense type " +
                            str(argument.type),
                        "save the matrix with numpy.save");
}

//===----------------------------------------------------------------------===//
// All arguments
//===----------------------------------------------------------------------===//

static Result<ProgramValue> makeArgument(func::FuncOp entry, size_t index,
                                         const std::string &text,
                                         uint64_t seed) {
  BlockArgument value = entry.getArgument(index);
  auto type = dyn_cast<RankedTensorType>(value.getType());
  auto integer =
      type ? dyn_cast<IntegerType>(type.getElementType()) : IntegerType();
  if (!integer || type.getRank() != 2)
    return Error{llvm::formatv("argument #{0} of '{1}' has type {2}", index,
                               entry.getName(), str(value.getType())),
                 "arguments are matrices of integers, tensor<MxNxi8> for "
                 "example"};
  Result<ElementType> element =
      ElementType::get(integer.getWidth(), !isUnsigned(value));
  if (!element)
    return element.error();
  // Arguments of one run differ; the same argument is the same in every run.
  Argument argument = {index, text, type, *element, splitMix64(seed, index)};
  auto wrap = [](auto matrix) -> Result<ProgramValue> {
    if (!matrix)
      return matrix.error();
    return ProgramValue(std::move(*matrix));
  };
  return getSparseEncoding(type) ? wrap(makeSparse(argument))
                                 : wrap(makeDense(argument));
}

Result<std::vector<ProgramValue>>
mlir::magicube::makeArguments(func::FuncOp entry,
                              const std::vector<std::string> &texts,
                              uint64_t seed) {
  if (texts.size() != entry.getNumArguments())
    return Error{llvm::formatv("'{0}' takes {1} arguments, but got {2}",
                               entry.getName(), entry.getNumArguments(),
                               texts.size()),
                 llvm::formatv("give --arg {0} times; its type is {1}",
                               entry.getNumArguments(),
                               str(entry.getFunctionType()))};
  std::vector<ProgramValue> values;
  for (auto [index, text] : llvm::enumerate(texts)) {
    Result<ProgramValue> value = makeArgument(entry, index, text, seed);
    if (!value)
      return value.error();
    values.push_back(std::move(*value));
  }
  return values;
}
