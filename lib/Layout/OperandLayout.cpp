//===- OperandLayout.cpp - How operands become those of MMAs --------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Words, and which operands each layout is for.
//
//===----------------------------------------------------------------------===//

#include "magicube/Layout/OperandLayout.h"

#include <algorithm>
#include <optional>

using namespace mlir::magicube;

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

std::string_view mlir::magicube::spelling(OperandForm form) {
  switch (form) {
  case OperandForm::Transposed:
    return "transposed";
  case OperandForm::Interleaved:
    return "interleaved";
  case OperandForm::Raw:
    return "raw";
  case OperandForm::Spread:
    return "spread";
  case OperandForm::Merged:
    return "merged";
  }
  return "";
}

std::string_view mlir::magicube::spelling(GatherOrder order) {
  switch (order) {
  case GatherOrder::Standard:
    return "standard";
  case GatherOrder::Paired:
    return "paired";
  case GatherOrder::Stored:
    return "stored";
  }
  return "";
}

std::string_view mlir::magicube::spelling(IdleColumns use) {
  switch (use) {
  case IdleColumns::None:
    return "none";
  case IdleColumns::Digits:
    return "digits";
  }
  return "";
}

std::string mlir::magicube::spelling(OperandLayout layout) {
  std::string text(spelling(layout.form));
  if (layout.order != GatherOrder::Standard)
    text += "," + std::string(spelling(layout.order));
  if (layout.hasDigits())
    text += "," + std::string(spelling(layout.idleColumns));
  return text;
}

/// `items` as a list for a message.
template <typename Range, typename Spell>
static std::string join(const Range &items, Spell spell) {
  std::string text;
  for (const auto &item : items)
    text += (text.empty() ? "" : "; ") + std::string(spell(item));
  return text;
}

Result<OperandLayout>
mlir::magicube::parseOperandLayout(std::string_view text) {
  for (OperandLayout layout : operandLayouts())
    if (spelling(layout) == text)
      return layout;
  return Error{"unknown operand layout '" + std::string(text) +
               "', expected one of " +
               join(operandLayouts(),
                    [](OperandLayout layout) { return spelling(layout); })};
}

//===----------------------------------------------------------------------===//
// What a layout takes
//===----------------------------------------------------------------------===//

/// Widths of the sparse operand; none if there is no such layout.
static std::vector<int32_t> getSparseWidths(OperandLayout layout) {
  bool hasDigits = layout.hasDigits();
  std::vector<int32_t> wide = {12, 16}, bytes = {8, 12, 16},
                       all = {4, 8, 12, 16};
  switch (layout.order) {
  case GatherOrder::Standard:
    switch (layout.form) {
    case OperandForm::Transposed: // digits of the sparse operand
      return hasDigits ? wide : all;
    case OperandForm::Interleaved: // one permute takes both digits if paired
      return hasDigits ? std::vector<int32_t>() : all;
    case OperandForm::Raw:
      return hasDigits ? bytes : all;
    case OperandForm::Spread:
    case OperandForm::Merged:
      return hasDigits ? std::vector<int32_t>() : all;
    }
    break;
  case GatherOrder::Paired:
    if (layout.form == OperandForm::Interleaved)
      return wide;
    if (layout.form == OperandForm::Transposed && !hasDigits)
      return bytes;
    break;
  case GatherOrder::Stored:
    if (!hasDigits && (layout.form == OperandForm::Transposed ||
                       layout.form == OperandForm::Merged))
      return {4};
    break;
  }
  return {};
}

static std::vector<int32_t> getDenseWidths(OperandLayout layout) {
  switch (layout.form) {
  case OperandForm::Transposed:
    return {4, 8, 16};
  case OperandForm::Interleaved:
    return {4, 8};
  case OperandForm::Raw:
    return {16};
  case OperandForm::Spread:
  case OperandForm::Merged:
    return {4};
  }
  return {};
}

const std::vector<OperandLayout> &mlir::magicube::operandLayouts() {
  static const std::vector<OperandLayout> layouts = [] {
    std::vector<OperandLayout> result;
    for (OperandForm form : kOperandForms)
      for (GatherOrder order : kGatherOrders)
        for (IdleColumns use : kIdleColumns)
          if (!getSparseWidths({form, order, use}).empty())
            result.push_back({form, order, use});
    return result;
  }();
  return layouts;
}

const MmaInstruction *mlir::magicube::getMma(OperandLayout layout) {
  // Spread, half of k are the odd columns.
  const char *name =
      layout.form == OperandForm::Spread ? "m16n8k64" : "m16n8k32";
  return lookupMma(name, layout.isInt4() ? 4 : 8);
}

int32_t mlir::magicube::getMaxVectorLength(OperandLayout layout) {
  // Columns of an MMA; a second fragment doubles them where all are vectors'.
  constexpr int32_t columns = 8, fragments = 2;
  int32_t shared = (layout.form == OperandForm::Interleaved ? 1 : 0) +
                   (layout.hasDigits() ? 1 : 0);
  return shared ? columns >> shared : fragments * columns;
}

Status mlir::magicube::verifyLayout(OperandLayout layout) {
  if (!getSparseWidths(layout).empty())
    return Status::success();
  return Error{"there is no operand layout '" + spelling(layout) + "'",
               "there are " + join(operandLayouts(), [](OperandLayout known) {
                 return spelling(known);
               })};
}

/// Fails if `bits` is not one of the widths that a layout takes; the note names
/// those that take it.
static Status checkWidth(OperandLayout layout, const char *operand,
                         std::vector<int32_t> (*getWidths)(OperandLayout),
                         int32_t bits, int32_t vectorLength) {
  auto takes = [&](OperandLayout other) {
    std::vector<int32_t> widths = getWidths(other);
    return std::find(widths.begin(), widths.end(), bits) != widths.end();
  };
  if (takes(layout))
    return Status::success();
  std::vector<int32_t> own = getWidths(layout);
  std::string known;
  for (size_t i = 0; i < own.size(); ++i)
    known += (i == 0                ? ""
              : i + 1 == own.size() ? " or "
                                    : ", ") +
             std::to_string(own[i]);
  std::vector<OperandLayout> others;
  for (OperandLayout other : operandLayouts())
    if (takes(other) && vectorLength <= getMaxVectorLength(other))
      others.push_back(other);
  return Error{
      "operand layout '" + spelling(layout) + "' takes a " + operand +
          " operand of " + known + " bits, but got " + std::to_string(bits),
      "layouts for it: " +
          join(others, [](OperandLayout other) { return spelling(other); })};
}

Status mlir::magicube::verifyOperands(OperandLayout layout,
                                      OperandWidths widths,
                                      int32_t vectorLength) {
  constexpr int32_t lengths[] = {1, 2, 4, 8, 16};
  constexpr int32_t sparseWidths[] = {4, 8, 12, 16}, denseWidths[] = {4, 8, 16};
  auto contains = [](const auto &list, int32_t value) {
    return std::find(std::begin(list), std::end(list), value) != std::end(list);
  };
  if (!contains(lengths, vectorLength))
    return Error{"vector length must be one of 1, 2, 4, 8, 16, but got " +
                 std::to_string(vectorLength)};
  if (!contains(sparseWidths, widths.sparse))
    return Error{"a sparse operand has 4, 8, 12 or 16 bits, but got " +
                 std::to_string(widths.sparse)};
  if (!contains(denseWidths, widths.dense))
    return Error{"a dense operand has 4, 8 or 16 bits, but got " +
                 std::to_string(widths.dense)};
  if (Status status = verifyLayout(layout); !status)
    return status;
  if (int32_t most = getMaxVectorLength(layout); vectorLength > most)
    return Error{"operand layout '" + spelling(layout) +
                 "' takes vectors of length up to " + std::to_string(most) +
                 ", but got " + std::to_string(vectorLength)};
  if (Status status = checkWidth(layout, "sparse", getSparseWidths,
                                 widths.sparse, vectorLength);
      !status)
    return status;
  return checkWidth(layout, "dense", getDenseWidths, widths.dense,
                    vectorLength);
}

Status mlir::magicube::checkSigns(OperandLayout layout, bool unsignedSparse,
                                  bool unsignedDense) {
  if (!layout.hasDigits())
    return Status::success();
  bool isDense = layout.form == OperandForm::Raw;
  if (isDense ? unsignedDense : unsignedSparse)
    return Status::success();
  return Error{"operand layout '" + spelling(layout) + "' takes an unsigned " +
                   (isDense ? "dense" : "sparse") +
                   " operand, but got a signed one",
               "the digits of a signed value have different signs; use "
               "operand layout 'transposed'"};
}
