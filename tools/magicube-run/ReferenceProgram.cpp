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

/// The epilogue of a product; nothing if an operand has not been evaluated.
static std::optional<ReferenceEpilogue> getEpilogue(SpmmOp op,
                                                    const Environment &values) {
  bool isKnown = true;
  auto find = [&](const EpilogueOperand<Value> &operand) {
    auto take = [&](auto *matrix) -> ReferenceOperand {
      isKnown &= matrix != nullptr;
      return matrix;
    };
    return isInteger(operand.role)
               ? take(lookup<DenseMatrix>(values, operand.ref))
               : take(lookup<FloatMatrix>(values, operand.ref));
  };
  ReferenceEpilogue epilogue = op.getEpilogue().mapOperands(find);
  if (!isKnown)
    return std::nullopt;
  return epilogue;
}

/// `matrix` with its bits taken as the product takes them: a result of another
/// product may have been given the other sign.
static DenseMatrix withSign(DenseMatrix matrix, bool isSigned) {
  matrix.type.isSigned = isSigned;
  return matrix;
}

static Result<ProgramValue> evaluate(SpmmOp op, const Environment &values) {
  Value initValue = op.getOverwrite() ? Value() : op.getInit();
  const auto *lhs = lookup<SRBCRSMatrix>(values, op.getLhs().front());
  const auto *rhs = lookup<DenseMatrix>(values, op.getRhs());
  const auto *init =
      initValue ? lookup<DenseMatrix>(values, initValue) : nullptr;
  std::optional<ReferenceEpilogue> epilogue = getEpilogue(op, values);
  if (!lhs || !rhs || (initValue && !init) || !epilogue)
    return Error{"the reference does not know an operand of 'magicube.spmm'",
                 "check a function whose products take its arguments or other "
                 "products"};
  return evaluateProduct(*lhs, withSign(*rhs, !op.getUnsignedRhs()), init,
                         *epilogue);
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
