//===- Epilogue.h - What follows the sums of an operation -----------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one description of an epilogue (docs/Epilogue.md), for the dialect, the
// compiler, the runtime and the reference. It says what is done, not how: the
// reference and the lowering each have arithmetic of their own.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_FORMAT_EPILOGUE_H
#define MAGICUBE_FORMAT_EPILOGUE_H

#include "magicube/Format/ElementType.h"
#include "magicube/Format/FloatMatrix.h"

#include <array>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

namespace mlir::magicube {

/// The function that is applied to each element. Everything that depends on it
/// is a switch without a default.
enum class Activation { Relu, Gelu, Silu };
inline constexpr std::array kActivations = {Activation::Relu, Activation::Gelu,
                                            Activation::Silu};

/// Spelling in IR and manifests.
constexpr std::string_view spelling(Activation activation) {
  switch (activation) {
  case Activation::Relu:
    return "relu";
  case Activation::Gelu:
    return "gelu";
  case Activation::Silu:
    return "silu";
  }
}

/// What an operand of an epilogue does, in the order that the steps follow one
/// another in.
enum class EpilogueRole {
  /// i32, added to the i32 sum modulo 2^32.
  SumBias,
  /// f32, multiplied with.
  Scale,
  /// f32, added.
  Bias
};
inline constexpr std::array kEpilogueRoles = {
    EpilogueRole::SumBias, EpilogueRole::Scale, EpilogueRole::Bias};

/// Spelling in IR and messages.
constexpr std::string_view spelling(EpilogueRole role) {
  switch (role) {
  case EpilogueRole::SumBias:
    return "sum_bias";
  case EpilogueRole::Scale:
    return "scale";
  case EpilogueRole::Bias:
    return "bias";
  }
}

/// Whether an operand of a role is of i32; the others are of f32.
constexpr bool isInteger(EpilogueRole role) {
  switch (role) {
  case EpilogueRole::SumBias:
    return true;
  case EpilogueRole::Scale:
  case EpilogueRole::Bias:
    return false;
  }
}

/// What indexes an operand: nothing, it is one number; the row of the result,
/// it is M x 1; or the column, it is 1 x N.
enum class BroadcastAxis { None, Row, Column };
inline constexpr std::array kBroadcastAxes = {
    BroadcastAxis::None, BroadcastAxis::Row, BroadcastAxis::Column};

/// Spelling in IR.
constexpr std::string_view spelling(BroadcastAxis axis) {
  switch (axis) {
  case BroadcastAxis::None:
    return "none";
  case BroadcastAxis::Row:
    return "row";
  case BroadcastAxis::Column:
    return "column";
  }
}

/// The value of `values` that is spelled `word`, or nothing.
template <typename Enum, size_t count>
constexpr std::optional<Enum>
parseSpelling(const std::array<Enum, count> &values, std::string_view word) {
  for (Enum value : values)
    if (spelling(value) == word)
      return value;
  return std::nullopt;
}

/// An element of a result: integers (i32 sums, or rounded and saturated ones of
/// 4 and 8 bits) or floats.
using ResultElement = std::variant<ElementType, FloatFormat>;

/// Width, and spelling such as `i32`, `u4` and `f16`.
inline int64_t elementBits(const ResultElement &element) {
  if (const auto *format = std::get_if<FloatFormat>(&element))
    return 8 * floatBytes(*format);
  return std::get<ElementType>(element).bits;
}
inline std::string elementName(const ResultElement &element) {
  if (const auto *format = std::get_if<FloatFormat>(&element))
    return std::string(floatName(*format));
  return std::get<ElementType>(element).name();
}

/// An operand and what stands for it: what indexes it (kernels), the number of
/// an argument (bundles), a matrix (the reference), an SSA value.
template <typename Ref>
struct EpilogueOperand {
  EpilogueRole role;
  Ref ref;
};

/// What an operation does with its sums.
template <typename Ref>
struct Epilogue {
  /// Digits of wide operands are recombined in f32, not modulo 2^32.
  bool hasFloatSums = false;
  /// By role; those of one role in the order that they are applied in.
  std::vector<EpilogueOperand<Ref>> operands;
  std::optional<Activation> activation;
  ResultElement element = ElementType{32, /*isSigned=*/true};

  /// Whether the sum is converted to f32 and goes on from there.
  bool isFloat() const {
    for (const EpilogueOperand<Ref> &operand : operands)
      if (!isInteger(operand.role))
        return true;
    return hasFloatSums || activation.has_value();
  }

  /// Number `ordinal` of the operands of a role, or null.
  const Ref *find(EpilogueRole role, size_t ordinal = 0) const {
    for (const EpilogueOperand<Ref> &operand : operands)
      if (operand.role == role && ordinal-- == 0)
        return &operand.ref;
    return nullptr;
  }

  /// The same epilogue with `map(operand)` for each operand's `ref`.
  template <typename Map>
  auto mapOperands(Map map) const {
    using Mapped = decltype(map(operands.front()));
    Epilogue<Mapped> mapped{hasFloatSums, {}, activation, element};
    for (const EpilogueOperand<Ref> &operand : operands)
      mapped.operands.push_back({operand.role, map(operand)});
    return mapped;
  }
};

/// What launch plans and bundles call the operands of an epilogue, in order:
/// their roles, scales with a number (scale_0).
template <typename Ref>
std::vector<std::string> getOperandNames(const Epilogue<Ref> &epilogue) {
  std::vector<std::string> names;
  size_t numScales = 0;
  for (const EpilogueOperand<Ref> &operand : epilogue.operands) {
    std::string &name = names.emplace_back(spelling(operand.role));
    if (operand.role == EpilogueRole::Scale)
      name += "_" + std::to_string(numScales++);
  }
  return names;
}

} // namespace mlir::magicube

#endif // MAGICUBE_FORMAT_EPILOGUE_H
