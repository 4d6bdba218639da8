//===- Message.h - Concatenation for error messages -----------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Joins text and numbers; standard streams would be slower to read and to run.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LIB_FORMAT_MESSAGE_H
#define MAGICUBE_LIB_FORMAT_MESSAGE_H

#include <string>
#include <string_view>
#include <type_traits>

namespace mlir::magicube {

/// The parts one after another; integers in decimal.
template <typename... Parts>
std::string message(const Parts &...parts) {
  std::string text;
  auto append = [&](const auto &part) {
    if constexpr (std::is_integral_v<std::decay_t<decltype(part)>>)
      text += std::to_string(part);
    else
      text += std::string_view(part);
  };
  (append(parts), ...);
  return text;
}

} // namespace mlir::magicube

#endif // MAGICUBE_LIB_FORMAT_MESSAGE_H
