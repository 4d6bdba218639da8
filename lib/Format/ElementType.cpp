//===- ElementType.cpp - Integer types of matrix elements -----------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Legal widths and names of element types.
//
//===----------------------------------------------------------------------===//

#include "magicube/Format/ElementType.h"

#include "Message.h"

namespace mlir::magicube {

/// 1 is a pattern, 32 a result; the others are operands (design.md section 4).
static constexpr int kLegalBits[] = {1, 4, 8, 12, 16, 32};

Result<ElementType> ElementType::get(int bits, bool isSigned) {
  for (int legal : kLegalBits)
    if (bits == legal)
      return ElementType{bits, isSigned && bits != 1};
  return Error{message("expected an element type of 1 (pattern), 4, 8, 12, 16 "
                       "or 32 bits, but got ",
                       bits)};
}

std::string ElementType::name() const {
  return message(isSigned || isPattern() ? "i" : "u", bits);
}

std::string ElementType::describe() const {
  return message(name(), " [", min(), ", ", max(), "]");
}

} // namespace mlir::magicube
