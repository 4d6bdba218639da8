//===- Encoding.cpp - Parameters of the SR-BCRS storage format ------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks and spellings of the encoding's parameters.
//
//===----------------------------------------------------------------------===//

#include "magicube/Format/Encoding.h"

#include "Message.h"

#include <algorithm>

namespace mlir::magicube {

namespace {

template <typename Enum>
struct Spelling {
  Enum value;
  std::string_view word;
};

constexpr Spelling<VectorOrder> kOrderSpellings[] = {
    {VectorOrder::Natural, "natural"},
    {VectorOrder::BankAware, "bank_aware"},
};
constexpr Spelling<IndexWidth> kIndexSpellings[] = {
    {IndexWidth::I32, "i32"},
    {IndexWidth::U16, "u16"},
};

} // namespace

template <typename Table, typename Enum>
static std::string_view findWord(const Table &table, Enum value) {
  for (const auto &entry : table)
    if (entry.value == value)
      return entry.word;
  return "unknown";
}

template <typename Enum, size_t N>
static std::optional<Enum> findValue(const Spelling<Enum> (&table)[N],
                                     std::string_view word) {
  for (const Spelling<Enum> &entry : table)
    if (entry.word == word)
      return entry.value;
  return std::nullopt;
}

/// `expected <what> to be one of a, b, c, but got <value>` unless it is.
template <size_t N>
static Status checkOneOf(const char *what, const std::array<int64_t, N> &legal,
                         int64_t value) {
  if (std::find(legal.begin(), legal.end(), value) != legal.end())
    return Status::success();
  std::string list;
  for (int64_t candidate : legal)
    list += message(list.empty() ? "" : ", ", candidate);
  return Error{
      message("expected ", what, " to be one of ", list, ", but got ", value)};
}

Status SRBCRSEncoding::verify() const {
  if (Status s = checkOneOf("vector length", kVectorLengths, vector); !s)
    return s;
  if (Status s = checkOneOf("stride", kStrides, stride); !s)
    return s;
  if (slab < 0)
    return Error{
        message("expected slab to be 0 (none) or positive, but got ", slab)};
  return Status::success();
}

Status SRBCRSEncoding::verifyCols(int64_t cols) const {
  if (cols < 1)
    return Error{message("expected at least 1 column, but got ", cols)};
  if (cols <= maxCols())
    return Status::success();
  return Error{message("expected at most ", maxCols(), " columns with ",
                       spelling(index), " indices, but got ", cols),
               index == IndexWidth::U16 ? "use 32-bit indices" : ""};
}

bool operator==(const SRBCRSEncoding &lhs, const SRBCRSEncoding &rhs) {
  return lhs.vector == rhs.vector && lhs.stride == rhs.stride &&
         lhs.order == rhs.order && lhs.slab == rhs.slab &&
         lhs.index == rhs.index;
}

std::string_view spelling(VectorOrder order) {
  return findWord(kOrderSpellings, order);
}
std::string_view spelling(IndexWidth index) {
  return findWord(kIndexSpellings, index);
}
std::optional<VectorOrder> parseVectorOrder(std::string_view word) {
  return findValue(kOrderSpellings, word);
}
std::optional<IndexWidth> parseIndexWidth(std::string_view word) {
  return findValue(kIndexSpellings, word);
}

} // namespace mlir::magicube
