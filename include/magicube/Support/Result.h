//===- Result.h - Errors as values for the libraries without LLVM ---------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Target, Layout, Format and Runtime use only the C++ standard library and no
// exceptions; what can fail returns a Result (a value or an Error) or a Status.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_SUPPORT_RESULT_H
#define MAGICUBE_SUPPORT_RESULT_H

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace mlir::magicube {

/// What went wrong and what to do about it. `message` is lower case without a
/// full stop and names the file or argument, the limit and the value it got;
/// `note` says how to fix it and may be empty.
struct Error {
  std::string message;
  std::string note = {};
};

/// A value or an Error. Test it before use, as with std::optional.
template <typename T>
class [[nodiscard]] Result {
public:
  Result(T value) : storage(std::move(value)) {}
  Result(Error error) : storage(std::move(error)) {}

  explicit operator bool() const { return std::holds_alternative<T>(storage); }
  T &operator*() { return *std::get_if<T>(&storage); }
  const T &operator*() const { return *std::get_if<T>(&storage); }
  T *operator->() { return std::get_if<T>(&storage); }
  const T *operator->() const { return std::get_if<T>(&storage); }
  /// Only valid if the Result holds no value.
  const Error &error() const { return *std::get_if<Error>(&storage); }

private:
  std::variant<T, Error> storage;
};

/// Success or an Error.
class [[nodiscard]] Status {
public:
  Status() = default;
  Status(Error error) : failure(std::move(error)) {}
  static Status success() { return {}; }

  /// True on success.
  explicit operator bool() const { return !failure; }
  const Error &error() const { return *failure; }

private:
  std::optional<Error> failure;
};

} // namespace mlir::magicube

#endif // MAGICUBE_SUPPORT_RESULT_H
