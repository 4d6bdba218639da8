//===- ReferenceProgram.cpp - The plain reference -------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A small interpreter of products on unpacked matrices.
//
//===----------------------------------------------------------------------===//

#include "ReferenceProgram.h"

#include "ReferenceConstants.h"

#include "dialect/magicube/MagicubeDialect.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::magicube;

namespace {

/// Values of the function by SSA value.
using Environment = llvm::DenseMap<Value, const ProgramValue *>;

} // namespace

/// The value of an operand as a `MatrixT`; null if it has not been evaluated.
template <typename MatrixT>
static const MatrixT *lookup(const Environment &values, Value value) {
  auto found = values.find(value);
  return found == values.end() ? nullptr : std::get_if<MatrixT>(found->second);
}

/// Factor or summand of element (row, col): a number, or one per row or column.
static float read(const FloatMatrix &operand, int64_t row, int64_t col) {
  return operand.at(operand.rows == 1 ? 0 : row, operand.cols == 1 ? 0 : col);
}

/// f32(sum) times each scale, plus bias, then the activation, each rounded, and
/// the result rounded to its format.
static Result<ProgramValue> evaluateEpilogue(SpmmOp op, const DenseMatrix &sums,
                                             const Environment &values) {
  std::vector<const FloatMatrix *> scales;
  for (Value scale : op.getScales())
    scales.push_back(lookup<FloatMatrix>(values, scale));
  const FloatMatrix *bias =
      op.getBias() ? lookup<FloatMatrix>(values, op.getBias()) : nullptr;
  std::optional<FloatFormat> format =
      getFloatFormat(op.getOutputType().getElementType());
  if (!format || op.getActivation() == Activation::Gelu ||
      llvm::is_contained(scales, nullptr) || (op.getBias() && !bias))
    return Error{"the reference cannot evaluate the epilogue of "
                 "'magicube.spmm'",
                 "leave --check out"};
  FloatMatrix result{sums.rows, sums.cols, *format, {}};
  for (int64_t row = 0; row < sums.rows; ++row)
    for (int64_t col = 0; col < sums.cols; ++col) {
      // Assignments round; nothing is fused.
      float value = static_cast<float>(sums.at(row, col));
      for (const FloatMatrix *scale : scales)
        value = value * read(*scale, row, col);
      if (bias)
        value = value + read(*bias, row, col);
      if (op.getActivation() == Activation::Relu)
        value = value > 0 ? value : 0;
      result.data.push_back(decodeFloat(encodeFloat(value, *format), *format));
    }
  return ProgramValue(std::move(result));
}

/// Adds the sum_bias, one number per row or column, modulo 2^32.
static void addSumBias(DenseMatrix &sums, const DenseMatrix &bias) {
  for (int64_t row = 0; row < sums.rows; ++row)
    for (int64_t col = 0; col < sums.cols; ++col) {
      int64_t summand =
          bias.at(bias.rows == 1 ? 0 : row, bias.cols == 1 ? 0 : col);
      sums.set(row, col, sums.at(row, col) + summand); // keeps 32 bits
    }
}

static Result<ProgramValue> evaluate(SpmmOp op, const Environment &values) {
  if (op.getAccumulate())
    return Error{"the reference has no f32 accumulation", "leave --check out"};
  Value initValue = op.getOverwrite() ? Value() : op.getInit();
  const auto *lhs = lookup<SRBCRSMatrix>(values, op.getLhs().front());
  const auto *rhs = lookup<DenseMatrix>(values, op.getRhs());
  const auto *init =
      initValue ? lookup<DenseMatrix>(values, initValue) : nullptr;
  const auto *sumBias =
      op.getSumBias() ? lookup<DenseMatrix>(values, op.getSumBias()) : nullptr;
  if (!lhs || !rhs || (initValue && !init) || (op.getSumBias() && !sumBias))
    return Error{"the reference does not know an operand of 'magicube.spmm'",
                 "check a function whose products take its arguments or other "
                 "products"};
  Result<DenseMatrix> sums = evaluateSpmm(*lhs, *rhs, init);
  if (!sums)
    return sums.error();
  if (sumBias)
    addSumBias(*sums, *sumBias);
  if (op.hasEpilogue())
    return evaluateEpilogue(op, *sums, values);
  return ProgramValue(std::move(*sums));
}

Result<std::vector<ProgramValue>>
mlir::magicube::evaluateReference(func::FuncOp entry,
                                  const std::vector<ProgramValue> &arguments) {
  Environment values;
  for (auto [argument, value] : llvm::zip(entry.getArguments(), arguments))
    values[argument] = &value;
  std::vector<std::unique_ptr<ProgramValue>> owned;
  std::vector<ProgramValue> results;
  for (Operation &op : entry.getBody().front()) {
    if (auto spmm = dyn_cast<SpmmOp>(op)) {
      Result<ProgramValue> result = evaluate(spmm, values);
      if (!result)
        return result.error();
      owned.push_back(std::make_unique<ProgramValue>(std::move(*result)));
      values[spmm.getResult()] = owned.back().get();
    } else if (isa<func::ReturnOp>(op)) {
      for (Value value : op.getOperands()) {
        auto found = values.find(value);
        if (found == values.end())
          return Error{"the reference does not know a result of the function",
                       "leave --check out"};
        results.push_back(*found->second);
      }
    } else if (std::optional<ProgramValue> constant = evaluateConstant(
                   &op, [&](Value value) { return values.lookup(value); })) {
      owned.push_back(std::make_unique<ProgramValue>(std::move(*constant)));
      values[op.getResult(0)] = owned.back().get();
    } else if (!isPure(&op)) {
      return Error{llvm::formatv("the reference cannot evaluate '{0}'",
                                 op.getName().getStringRef()),
                   "leave --check out, or check a function of products alone"};
    }
    // What another pure operation makes is missed only where it is needed.
  }
  return results;
}

Status mlir::magicube::compareResults(const std::vector<ProgramValue> &expected,
                                      const std::vector<ProgramValue> &actual) {
  for (auto [index, want, got] : llvm::enumerate(expected, actual)) {
    // Both are of the function's result type.
    const auto *floats = std::get_if<FloatMatrix>(&want);
    Status status =
        floats ? compareResult(index, *floats, std::get<FloatMatrix>(got))
               : compareResult(index, std::get<DenseMatrix>(want),
                               std::get<DenseMatrix>(got));
    if (!status)
      return status;
  }
  return Status::success();
}
