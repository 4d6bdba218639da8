//===- Patterns.cpp - Tells products of their matrices --------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//
//===----------------------------------------------------------------------===//

#include "magicube/Serialize/Patterns.h"

#include "EntryProduct.h"

#include "dialect/magicube/MagicubeDialect.h"
#include "magicube/Serialize/MatrixTypes.h"

using namespace mlir;
using namespace mlir::magicube;

int64_t mlir::magicube::setPattern(BlockArgument argument,
                                   const PatternStatistics &statistics) {
  int64_t count = 0;
  for (Operation *user : argument.getUsers()) {
    auto compute = dyn_cast<SparseComputeOpInterface>(user);
    if (!compute || compute.isStorageForm())
      continue;
    std::optional<ComputeOperand> sparse =
        compute.getOnlyOperand(OperandRole::Sparse);
    if (!sparse || !sparse->contains(argument))
      continue;
    compute.setPatternAttr(PatternAttr::get(
        user->getContext(), statistics.vectors, statistics.longest));
    ++count;
  }
  return count;
}

/// Reports `error` at a function.
static LogicalResult report(func::FuncOp function, const Error &error) {
  return emit([&] { return function.emitError(); }, error);
}

static SmallVector<BlockArgument> getSparseArguments(func::FuncOp function) {
  SmallVector<BlockArgument> sparse;
  for (BlockArgument argument : function.getArguments())
    if (getSparseEncoding(argument.getType()))
      sparse.push_back(argument);
  return sparse;
}

LogicalResult mlir::magicube::setPatterns(ModuleOp module, StringRef entry,
                                          ArrayRef<std::string> texts) {
  FailureOr<func::FuncOp> function = findEntry(module, entry);
  if (failed(function))
    return failure();
  SmallVector<BlockArgument> arguments = getSparseArguments(*function);
  if (arguments.size() != texts.size())
    return report(*function, {"expected a pattern for each of the " +
                                  std::to_string(arguments.size()) +
                                  " sparse arguments, but got " +
                                  std::to_string(texts.size()),
                              "give --pattern once for each, in order"});
  for (auto [argument, text] : llvm::zip_equal(arguments, texts)) {
    Result<MatrixType> type = getMatrixType(argument);
    if (!type)
      return report(*function, type.error());
    Result<PatternStatistics> statistics = readPatternStatistics(text, *type);
    if (!statistics)
      return report(*function, statistics.error());
    if (setPattern(argument, *statistics) == 0)
      return report(
          *function,
          {"expected argument #" + std::to_string(argument.getArgNumber()) +
               " to be the sparse operand of a product for pattern '" + text +
               "'",
           "write 'pattern = #magicube.pattern<...>' on products of "
           "other values"});
  }
  return success();
}
