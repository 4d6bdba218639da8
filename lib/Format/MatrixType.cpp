//===- MatrixType.cpp - Types of a program's operands and results ---------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "magicube/Format/MatrixType.h"

#include "Message.h"

namespace mlir::magicube {

/// As the attribute #magicube.sr_bcrs prints: defaults are left out.
static std::string describe(const SRBCRSEncoding &encoding) {
  const SRBCRSEncoding defaults;
  std::string text = message("#magicube.sr_bcrs<vector = ", encoding.vector);
  if (encoding.stride != defaults.stride)
    text += message(", stride = ", encoding.stride);
  if (encoding.order != defaults.order)
    text += message(", order = ", spelling(encoding.order));
  if (encoding.slab != defaults.slab)
    text += message(", slab = ", encoding.slab);
  if (encoding.index != defaults.index)
    text += message(", index = ", spelling(encoding.index));
  return text + ">";
}

void MatrixType::reshapeVector(NpyArray &array) const {
  if (array.shape.size() != 1)
    return;
  if (cols == 1)
    array.shape.push_back(1);
  else if (rows == 1)
    array.shape.insert(array.shape.begin(), 1);
}

bool operator==(const MatrixType &lhs, const MatrixType &rhs) {
  bool sameElements =
      lhs.isFloat == rhs.isFloat &&
      (lhs.isFloat ? lhs.format == rhs.format : lhs.element == rhs.element);
  return sameElements && lhs.isNumber == rhs.isNumber &&
         lhs.encoding == rhs.encoding && lhs.rows == rhs.rows &&
         lhs.cols == rhs.cols;
}

std::string MatrixType::str() const {
  auto extent = [](int64_t value) {
    return value == kDynamic ? std::string("?") : std::to_string(value);
  };
  if (isNumber)
    return "f32";
  std::string elements =
      isFloat ? std::string(floatName(format)) : message("i", element.bits);
  return message("tensor<", extent(rows), "x", extent(cols), "x", elements,
                 encoding ? ", " + describe(*encoding) : "", ">");
}

} // namespace mlir::magicube
