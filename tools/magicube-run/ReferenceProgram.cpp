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
  return evaluateSpmm(*lhs, *rhs, init);
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
  for (auto [index, want, got] : llvm::enumerate(expected, actual))
    if (Status status = compareResult(index, want, got); !status)
      return status;
  return Status::success();
}
