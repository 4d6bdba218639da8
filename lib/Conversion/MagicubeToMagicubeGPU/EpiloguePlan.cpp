//===- EpiloguePlan.cpp - Epilogues in launch plans -----------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EpiloguePlan.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir::magicube;

void mlir::magicube::addEpilogueParameters(
    std::vector<PlanParameter> &parameters,
    const Epilogue<BroadcastAxis> &epilogue) {
  using Kind = PlanParameter::Kind;
  for (auto [name, operand] :
       llvm::zip_equal(getOperandNames(epilogue), epilogue.operands))
    parameters.push_back(
        operand.ref == BroadcastAxis::None
            ? PlanParameter{Kind::F32, SizeExpr::symbol(name)}
            : PlanParameter{Kind::Pointer,
                            SizeExpr::symbol(name + ".address")});
}

void mlir::magicube::addEpilogueChecks(std::vector<PlanCheck> &checks,
                                       const Epilogue<BroadcastAxis> &epilogue,
                                       const std::string &shape) {
  for (auto [name, operand] :
       llvm::zip_equal(getOperandNames(epilogue), epilogue.operands)) {
    auto add = [&, &name = name](const char *dimension, const char *what) {
      checks.push_back(
          {SizeExpr::symbol(name + dimension),
           SizeExpr::symbol(shape + dimension),
           "expected {" + name + "} to have as many " + what + " as the result",
           "a scale or bias has one number per row or per column of the "
           "result"});
    };
    switch (operand.ref) {
    case BroadcastAxis::None:
      break;
    case BroadcastAxis::Row:
      add(".dim0", "rows");
      break;
    case BroadcastAxis::Column:
      add(".dim1", "columns");
      break;
    }
  }
}
