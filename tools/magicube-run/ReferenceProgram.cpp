//===- ReferenceProgram.cpp - The plain reference --------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A small interpreter of products on unpacked matrices.
//
//===----------------------------------------------------------------------===//

#include "ReferenceProgram.h"

#include "dialect/magicube/MagicubeDialect.h"
#include "magicube/Format/Packer.h"
#include "magicube/Format/Reference.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::magicube;

static constexpr ElementType kResultType = {32, /*isSigned=*/true};

namespace {

/// Values of the function by SSA value.
using Environment = llvm::DenseMap<Value, const ProgramValue *>;

} // namespace

/// A matrix of i32 as the values of one, row-major.
static std::vector<int32_t> getWords(const DenseMatrix &matrix) {
  std::vector<int32_t> words(matrix.data.size() / sizeof(int32_t));
  std::memcpy(words.data(), matrix.data.data(), matrix.data.size());
  return words;
}

/// The value of an operand as a `MatrixT`; null if it has not been evaluated.
template <typename MatrixT>
static const MatrixT *lookup(const Environment &values, Value value) {
  auto found = values.find(value);
  return found == values.end() ? nullptr
                               : std::get_if<MatrixT>(found->second);
}

static Result<DenseMatrix> evaluate(SpmmOp op, const Environment &values) {
  if (op.hasEpilogue() || op.getAccumulate())
    return Error{"the reference has no epilogue", "leave --check out"};
  Value initValue = op.getOverwrite() ? Value() : op.getInit();
  const auto *lhs = lookup<SRBCRSMatrix>(values, op.getLhs().front());
  const auto *rhs = lookup<DenseMatrix>(values, op.getRhs());
  const auto *init =
      initValue ? lookup<DenseMatrix>(values, initValue) : nullptr;
  if (!lhs || !rhs || (initValue && !init))
    return Error{"the reference does not know an operand of 'magicube.spmm'",
                 "check a function whose products take its arguments or other "
                 "products"};
  Result<CooMatrix> unpacked = unpackToCoo(*lhs);
  if (!unpacked)
    return unpacked.error();
  Result<std::vector<int32_t>> product =
      referenceSpmm(*unpacked, rhs->view(),
                    init ? getWords(*init) : std::vector<int32_t>());
  if (!product)
    return product.error();
  Result<DenseMatrix> result =
      DenseMatrix::zeros(lhs->rows, rhs->cols, kResultType);
  if (result)
    std::memcpy(result->data.data(), product->data(), result->data.size());
  return result;
}

Result<std::vector<DenseMatrix>>
mlir::magicube::evaluateReference(func::FuncOp entry,
                                  const std::vector<ProgramValue> &arguments) {
  Environment values;
  for (auto [argument, value] : llvm::zip(entry.getArguments(), arguments))
    values[argument] = &value;
  std::vector<std::unique_ptr<ProgramValue>> owned;
  std::vector<DenseMatrix> results;
  for (Operation &op : entry.getBody().front()) {
    if (auto spmm = dyn_cast<SpmmOp>(op)) {
      Result<DenseMatrix> result = evaluate(spmm, values);
      if (!result)
        return result.error();
      owned.push_back(std::make_unique<ProgramValue>(std::move(*result)));
      values[spmm.getResult()] = owned.back().get();
    } else if (isa<func::ReturnOp>(op)) {
      for (Value value : op.getOperands()) {
        const auto *matrix = lookup<DenseMatrix>(values, value);
        if (!matrix)
          return Error{"the reference does not know a result of the function",
                       "leave --check out"};
        results.push_back(*matrix);
      }
    } else if (!isPure(&op)) {
      return Error{llvm::formatv("the reference cannot evaluate '{0}'",
                                 op.getName().getStringRef()),
                   "leave --check out, or check a function of products alone"};
    }
    // What a pure operation makes is missed only where it is needed.
  }
  return results;
}

Status
mlir::magicube::compareResults(const std::vector<DenseMatrix> &expected,
                               const std::vector<DenseMatrix> &actual) {
  constexpr int64_t kMaxReported = 5;
  for (auto [index, want, got] : llvm::enumerate(expected, actual)) {
    std::string report;
    int64_t mismatches = 0;
    for (int64_t row = 0; row < want.rows; ++row)
      for (int64_t col = 0; col < want.cols; ++col) {
        int64_t wanted = want.at(row, col), gotten = got.at(row, col);
        if (wanted != gotten && mismatches++ < kMaxReported)
          report += llvm::formatv("\n  [{0}, {1}]: expected {2}, but got {3}",
                                  row, col, wanted, gotten);
      }
    if (mismatches)
      return Error{llvm::formatv("result #{0}: {1} of {2} elements differ from "
                                 "the reference{3}",
                                 index, mismatches, want.rows * want.cols,
                                 report)
                       .str(),
                   ""};
  }
  return Status::success();
}
