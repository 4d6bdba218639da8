//===- SizeExpr.h - Expressions over run-time sizes -------------*- C++ -*-===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What launch plans compute with: small integer expressions with one text form,
// which IR and bundles hold. The compiler turns them into arith operations, the
// runtime evaluates them.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_RUNTIME_SIZEEXPR_H
#define MAGICUBE_RUNTIME_SIZEEXPR_H

#include "magicube/Support/Result.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace mlir::magicube {

/// An integer expression. The text form, as in affine maps:
///
///   sum     := product (("+" | "-") product)*
///   product := factor (("*" | "floordiv" | "ceildiv" | "mod") factor)*
///   factor  := NUMBER | NAME | "(" sum ")"
///            | ("min" | "max") "(" sum "," sum ")"
///   NAME    := [a-z][a-z0-9_]* ("." [a-z][a-z0-9_]*)?
///
/// Values have 64 bits; a value beyond them is an error, and so are a divisor
/// that is not positive and a negative dividend.
struct SizeExpr {
  enum class Kind {
    Constant,
    Symbol,
    Add,
    Sub,
    Mul,
    CeilDiv,
    FloorDiv,
    Mod,
    Min,
    Max
  };

  Kind kind = Kind::Constant;
  /// Of a constant.
  int64_t value = 0;
  /// Of a symbol: its name, and where its value is (see resolve).
  std::string name = {};
  size_t slot = 0;
  /// Two, or none of a constant or symbol.
  std::vector<SizeExpr> operands = {};

  SizeExpr() = default;
  SizeExpr(int64_t value) : value(value) {}

  /// Limits of the parser: longer and deeper texts are errors.
  static constexpr size_t kMaxLength = 1000;
  static constexpr unsigned kMaxDepth = 32;

  static SizeExpr symbol(std::string name);
  static Result<SizeExpr> parse(std::string_view text);
  /// Text that parses as the same expression.
  std::string str() const;

  /// The value, with `values[slot]` for each symbol. The Error names the part
  /// that has none.
  Result<int64_t> evaluate(const std::vector<int64_t> &values) const;

  /// Calls `visit` on each symbol in it.
  template <typename Visit>
  void forEachSymbol(Visit visit) {
    if (kind == Kind::Symbol)
      visit(*this);
    for (SizeExpr &operand : operands)
      operand.forEachSymbol(visit);
  }
};

bool operator==(const SizeExpr &lhs, const SizeExpr &rhs);
inline bool operator!=(const SizeExpr &lhs, const SizeExpr &rhs) {
  return !(lhs == rhs);
}

/// What changes nothing is left out: x * 1, x floordiv 1, x ceildiv 1.
SizeExpr operator+(SizeExpr lhs, SizeExpr rhs);
SizeExpr operator-(SizeExpr lhs, SizeExpr rhs);
SizeExpr operator*(SizeExpr lhs, SizeExpr rhs);
SizeExpr ceilDiv(SizeExpr lhs, SizeExpr rhs);
SizeExpr floorDiv(SizeExpr lhs, SizeExpr rhs);
SizeExpr min(SizeExpr lhs, SizeExpr rhs);
SizeExpr max(SizeExpr lhs, SizeExpr rhs);

} // namespace mlir::magicube

#endif // MAGICUBE_RUNTIME_SIZEEXPR_H
