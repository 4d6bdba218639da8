//===- LaunchPlan.h - How a program's kernels are launched ------*- C++ -*-===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches as data: the compiler makes a plan once per operation, and host IR
// and the manifest of a bundle from it; the runtime evaluates it and knows no
// operation.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_RUNTIME_LAUNCHPLAN_H
#define MAGICUBE_RUNTIME_LAUNCHPLAN_H

#include "magicube/Runtime/SizeExpr.h"

#include <array>

namespace mlir::magicube {

// The design.
//
// A plan speaks of operands by the names of their roles ("lhs", "result"); who
// uses it says what they are (a bundle: arguments and results by number; host
// code: memrefs). Expressions (SizeExpr.h) know these symbols:
//
//   dense operand   NAME.dim0, NAME.dim1   logical extents
//                   NAME.stride0           storage elements (bytes for 4-bit
//                                          elements) from one row to the next
//                   NAME.address           of the first element
//   sparse operand  NAME.dim0, NAME.dim1
//                   NAME.stored            stored vectors, with padding: the
//                                          length of its indices
//                   NAME.pointers, NAME.indices, NAME.values
//                                          addresses of its components
//   number          NAME                   only as an f32 parameter
//   scratch buffer  NAME.address
//   value           NAME                   an expression above it in the plan
//
// Order of evaluation: shapes of results (from extents of arguments alone),
// values, checks, buffers, launches. A launch takes its first kernel whose
// alignments hold, or is left out. Addresses appear in alignments and pointer
// parameters only. A value that overflows 64 bits, or the type it is for, is an
// error that names the expression. New kinds of parameters (tensor maps) are
// new values of PlanParameter::Kind, described by expressions too.

/// What a name in a plan stands for.
struct PlanOperand {
  enum class Kind { Dense, Sparse, Number };
  std::string name;
  Kind kind = Kind::Dense;
  bool isResult = false;
};

/// What a launch passes to a kernel.
struct PlanParameter {
  enum class Kind { Pointer, I32, I64, F32 };
  Kind kind = Kind::I32;
  /// Of an F32: the symbol of a number.
  SizeExpr value;
};

/// Each of `values` must be a multiple of `multiple`.
struct PlanAlignment {
  std::vector<SizeExpr> values;
  int64_t multiple = 1;
};

struct PlanKernel {
  std::string name;
  /// All of them must hold.
  std::vector<PlanAlignment> alignments;
  std::vector<PlanParameter> parameters;
  /// In blocks.
  std::array<SizeExpr, 3> grid = {1, 1, 1};
  /// Threads of a block, and blocks of a cluster.
  std::array<int64_t, 3> block = {1, 1, 1};
  std::array<int64_t, 3> cluster = {1, 1, 1};
  /// Dynamic shared memory of a block, in bytes.
  int64_t sharedMemoryBytes = 0;
};

struct PlanLaunch {
  /// Where one of them is 0, there is nothing to compute.
  std::vector<SizeExpr> unlessZero;
  /// Best first.
  std::vector<PlanKernel> kernels;
};

/// An expression with a name.
struct PlanValue {
  std::string name;
  SizeExpr value;
};

/// What the launcher must allocate for a result.
struct PlanResult {
  std::string operand;
  std::array<SizeExpr, 2> shape;
};

/// `value` must be `expected`. "{lhs}" in the message stands for the operand of
/// that name, and ", EXPECTED, but got VALUE" follows it.
struct PlanCheck {
  SizeExpr value, expected;
  std::string message, note;
};

/// Device memory that only the launches use.
struct PlanBuffer {
  std::string name;
  SizeExpr bytes;
};

struct LaunchPlan {
  std::vector<PlanResult> results;
  std::vector<PlanValue> values;
  std::vector<PlanCheck> checks;
  std::vector<PlanBuffer> buffers;
  /// In order.
  std::vector<PlanLaunch> launches;
};

} // namespace mlir::magicube

#endif // MAGICUBE_RUNTIME_LAUNCHPLAN_H
