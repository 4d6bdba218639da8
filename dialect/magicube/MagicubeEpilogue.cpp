//===- MagicubeEpilogue.cpp - Epilogues in IR -----------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Between lib/Format's description of an epilogue and types and attributes.
//
//===----------------------------------------------------------------------===//

#include "dialect/magicube/MagicubeDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::magicube;

std::optional<FloatFormat> mlir::magicube::getFloatFormat(Type type) {
  if (type.isF32())
    return FloatFormat::F32;
  if (type.isF16())
    return FloatFormat::F16;
  if (type.isBF16())
    return FloatFormat::BF16;
  return std::nullopt;
}

ResultElement mlir::magicube::getResultElement(Type type, bool isUnsigned) {
  if (std::optional<FloatFormat> format = getFloatFormat(type))
    return *format;
  return ElementType{static_cast<int>(type.getIntOrFloatBitWidth()),
                     !isUnsigned};
}

static Type getFloatType(MLIRContext *context, FloatFormat format) {
  switch (format) {
  case FloatFormat::F32:
    return Float32Type::get(context);
  case FloatFormat::F16:
    return Float16Type::get(context);
  case FloatFormat::BF16:
    return BFloat16Type::get(context);
  }
}

Type mlir::magicube::getElementType(MLIRContext *context,
                                    const ResultElement &element) {
  if (const auto *format = std::get_if<FloatFormat>(&element))
    return getFloatType(context, *format);
  return IntegerType::get(context, std::get<ElementType>(element).bits);
}

//===----------------------------------------------------------------------===//
// EpilogueAttr
//===----------------------------------------------------------------------===//

EpilogueAttr EpilogueAttr::get(MLIRContext *context,
                               const Epilogue<BroadcastAxis> &epilogue) {
  Type element = getElementType(context, epilogue.element);
  const auto *integer = std::get_if<ElementType>(&epilogue.element);
  if (integer && !integer->isSigned)
    element = IntegerType::get(context, integer->bits, IntegerType::Unsigned);
  return get(context, epilogue.operands, epilogue.activation,
             epilogue.hasFloatSums, element);
}

Epilogue<BroadcastAxis> EpilogueAttr::getDescription() const {
  return {getFloatSums(), getOperands().vec(), getActivation(),
          getResultElement(getElement(), getElement().isUnsignedInteger())};
}

LogicalResult
EpilogueAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                     ArrayRef<EpilogueOperand<BroadcastAxis>> operands,
                     std::optional<Activation> activation, bool floatSums,
                     Type element) {
  bool isNarrow = element.isSignlessInteger(8) ||
                  element.isSignlessInteger(4) ||
                  element.isUnsignedInteger(8) || element.isUnsignedInteger(4);
  if (!isNarrow && !element.isSignlessInteger(32) && !getFloatFormat(element))
    return emitError() << "expected elements of i32, f32, f16, bf16, i8, ui8, "
                          "i4 or ui4, but got "
                       << element;
  bool isFloat = floatSums || activation;
  for (auto [i, operand] : llvm::enumerate(operands)) {
    isFloat |= !isInteger(operand.role);
    if (i > 0 && operand.role < operands[i - 1].role)
      return emitError() << "expected '" << StringRef(spelling(operand.role))
                         << "' before '"
                         << StringRef(spelling(operands[i - 1].role)) << "'";
    if (isInteger(operand.role) && floatSums)
      return emitError() << "expected no '" << StringRef(spelling(operand.role))
                         << "', which is added to i32 sums, next to "
                            "'float_sums'";
  }
  if (isFloat && element.isSignlessInteger(32))
    return emitError() << "expected elements other than i32 next to steps in "
                          "f32";
  return success();
}

void EpilogueAttr::print(AsmPrinter &printer) const {
  std::vector<std::string> steps;
  if (getFloatSums())
    steps.push_back("float_sums");
  for (auto [role, axis] : getOperands())
    steps.push_back(std::string(spelling(role)) + " " +
                    std::string(spelling(axis)));
  if (getActivation())
    steps.emplace_back(spelling(*getActivation()));
  printer << "<" << llvm::join(steps, ", ") << (steps.empty() ? "" : " ")
          << "-> " << getElement() << ">";
}

/// One word between the commas of an epilogue: float_sums, an operand or the
/// activation, which is the last.
static ParseResult parseStep(AsmParser &parser,
                             Epilogue<BroadcastAxis> &epilogue) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef word;
  if (parser.parseKeyword(&word))
    return failure();
  if (epilogue.activation)
    return parser.emitError(loc, "expected '->' after the activation");
  if (auto role = parseSpelling(kEpilogueRoles, word)) {
    loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&word))
      return failure();
    auto axis = parseSpelling(kBroadcastAxes, word);
    if (!axis)
      return parser.emitError(loc, "expected none, row or column, but got '")
             << word << "'";
    epilogue.operands.push_back({*role, *axis});
    return success();
  }
  if (word == "float_sums" && epilogue.operands.empty()) {
    epilogue.hasFloatSums = true;
    return success();
  }
  epilogue.activation = parseSpelling(kActivations, word);
  if (epilogue.activation)
    return success();
  return parser.emitError(loc, "expected an operand or an activation of an "
                               "epilogue, but got '")
         << word << "'";
}

Attribute EpilogueAttr::parse(AsmParser &parser, Type) {
  Epilogue<BroadcastAxis> epilogue;
  Type element;
  if (parser.parseLess())
    return {};
  SMLoc loc = parser.getCurrentLocation();
  if (failed(parser.parseOptionalArrow())) {
    do
      if (parseStep(parser, epilogue))
        return {};
    while (succeeded(parser.parseOptionalComma()));
    if (parser.parseArrow())
      return {};
  }
  if (parser.parseType(element) || parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(),
                    ArrayRef<EpilogueOperand<BroadcastAxis>>(epilogue.operands),
                    epilogue.activation, epilogue.hasFloatSums, element);
}
