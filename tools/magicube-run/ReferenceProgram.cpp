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
#include "ReferenceOps.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::magicube;

Result<std::vector<ProgramValue>>
mlir::magicube::evaluateReference(func::FuncOp entry,
                                  const std::vector<ProgramValue> &arguments) {
  Environment values;
  for (auto [argument, value] : llvm::zip(entry.getArguments(), arguments))
    values[argument] = &value;
  std::vector<std::unique_ptr<ProgramValue>> owned;
  std::vector<ProgramValue> results;
  for (Operation &op : entry.getBody().front()) {
    if (const ReferenceOp *row = getReferenceOp(&op)) {
      Result<ProgramValue> result = row->evaluate(&op, values);
      if (!result)
        return result.error();
      owned.push_back(std::make_unique<ProgramValue>(std::move(*result)));
      values[op.getResult(0)] = owned.back().get();
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
