//===- PlanJson.h - Launch plans as JSON ------------------------*- C++ -*-===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The form of plans in manifests and, as attributes, in IR. Reading checks a
// plan as a whole, once: what it leaves to run time is values.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_RUNTIME_PLANJSON_H
#define MAGICUBE_RUNTIME_PLANJSON_H

#include "magicube/Runtime/LaunchPlan.h"
#include "magicube/Support/Json.h"

namespace mlir::magicube {

// {"results": [{"operand": NAME, "shape": [EXPR, EXPR]}...],
//  "values": [{"name": NAME, "value": EXPR}...],
//  "checks": [{"value": EXPR, "expected": EXPR, "message": TEXT,
//              "note": TEXT}...],
//  "buffers": [{"name": NAME, "bytes": EXPR}...],
//  "launches": [{"unless_zero": [EXPR...], "kernels": [KERNEL...]}...]}
//
// KERNEL: {"name": NAME,
//          "alignments": [{"values": [EXPR...], "multiple": N}...],
//          "parameters": [{"pointer": EXPR} or {"i32": EXPR} or {"i64": EXPR}
//                         or {"f32": NAME}...],
//          "grid": [EXPR, EXPR, EXPR], "block": [N, N, N],
//          "cluster": [N, N, N], "shared_memory": BYTES}

/// Symbols of an operand, in the order in which their values stand one after
/// another (SizeExpr::slot): all operands in order, then the plan's values,
/// then addresses of buffers.
std::vector<std::string> getSymbols(const PlanOperand &operand);

/// The name of an operand, a value or a buffer: a symbol without component.
std::string readPlanName(const JsonNode &node);

Json planToJson(const LaunchPlan &plan);

/// Reads and checks a plan; its symbols have their slots. Problems go to the
/// node's document.
LaunchPlan readPlan(const JsonNode &node,
                    const std::vector<PlanOperand> &operands);

} // namespace mlir::magicube

#endif // MAGICUBE_RUNTIME_PLANJSON_H
