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

#include "magicube/Format/ReferenceOps.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/FormatVariadic.h"

#include <deque>

using namespace mlir;
using namespace mlir::magicube;

/// Values of the function by SSA value.
using Environment = llvm::DenseMap<Value, const ProgramValue *>;

//===----------------------------------------------------------------------===//
// One operation
//===----------------------------------------------------------------------===//

namespace {

/// The operands of an operation, with the values that had to be copied.
struct EvaluatedOperands {
  ReferenceOperands operands;
  std::deque<ProgramValue> copies;
};

} // namespace

/// Whether the operation takes the bits of integers with another sign than they
/// have: those of a result of another operation may have been made with either.
static bool hasOtherSign(const ComputeOperand &operand,
                         const ProgramValue &value) {
  if (operand.role != OperandRole::Sparse && operand.role != OperandRole::Dense)
    return false;
  if (const auto *sparse = std::get_if<SRBCRSMatrix>(&value))
    return !sparse->type.isPattern() &&
           sparse->type.isSigned == operand.isUnsigned;
  const auto *dense = std::get_if<DenseMatrix>(&value);
  return dense && dense->type.isSigned == operand.isUnsigned;
}

/// `value` with the other sign.
static ProgramValue flipSign(ProgramValue value) {
  if (auto *sparse = std::get_if<SRBCRSMatrix>(&value))
    sparse->type.isSigned = !sparse->type.isSigned;
  else if (auto *dense = std::get_if<DenseMatrix>(&value))
    dense->type.isSigned = !dense->type.isSigned;
  return value;
}

/// The operands of `op`; false if one has not been evaluated.
static bool addOperands(SparseComputeOpInterface op, const Environment &values,
                        EvaluatedOperands &evaluated) {
  auto &named = evaluated.operands.values;
  for (const ComputeOperand &operand : op.getComputeOperands()) {
    if (operand.isOverwritten)
      continue;
    const ProgramValue *value = values.lookup(operand.values.front());
    if (!value)
      return false;
    if (hasOtherSign(operand, *value))
      value = &evaluated.copies.emplace_back(flipSign(*value));
    named[operand.name] = value;
  }
  bool isKnown = true;
  auto find = [&](const EpilogueOperand<Value> &operand) -> ReferenceOperand {
    const ProgramValue *value = values.lookup(operand.ref);
    auto take = [&](auto *matrix) -> ReferenceOperand {
      isKnown &= matrix != nullptr;
      return matrix;
    };
    return isInteger(operand.role) ? take(std::get_if<DenseMatrix>(value))
                                   : take(std::get_if<FloatMatrix>(value));
  };
  evaluated.operands.epilogue = op.getEpilogue().mapOperands(find);
  evaluated.operands.epilogue.element = op.getResultElements().front();
  return isKnown;
}

/// The results of `op`.
static Result<std::vector<ProgramValue>> evaluate(SparseComputeOpInterface op,
                                                  const ReferenceOp &row,
                                                  const Environment &values) {
  EvaluatedOperands evaluated;
  if (!addOperands(op, values, evaluated))
    return Error{llvm::formatv("the reference does not know an operand of "
                               "'{0}'",
                               op->getName().getStringRef()),
                 "check a function whose products take its arguments or other "
                 "products"};
  return row.evaluate(evaluated.operands);
}

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

/// The row of the reference's table for `op`, or null.
static const ReferenceOp *findRow(Operation &op) {
  return isa<SparseComputeOpInterface>(op)
             ? findReferenceOp(op.getName().stripDialect())
             : nullptr;
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
    if (const ReferenceOp *row = findRow(op)) {
      Result<std::vector<ProgramValue>> made =
          evaluate(cast<SparseComputeOpInterface>(op), *row, values);
      if (!made)
        return made.error();
      for (auto [result, value] : llvm::zip(op.getResults(), *made)) {
        owned.push_back(std::make_unique<ProgramValue>(std::move(value)));
        values[result] = owned.back().get();
      }
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
