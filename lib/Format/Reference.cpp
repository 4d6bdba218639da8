//===- Reference.cpp - Plain reference products ---------------------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One multiply-add loop over a row of B per entry of A, in unsigned 32-bit
// arithmetic, which wraps modulo 2^32 as the contract says.
//
//===----------------------------------------------------------------------===//

#include "magicube/Format/Reference.h"

#include "Message.h"

namespace mlir::magicube {

/// Calls visit(row, column, value) for each entry.
template <typename Visitor>
static void forEachEntry(const CooMatrix &a, Visitor visit) {
  for (int64_t i = 0; i < a.entries(); ++i)
    visit(a.row[i], a.col[i], a.value[i]);
}
template <typename Visitor>
static void forEachEntry(const CsrMatrix &a, Visitor visit) {
  for (int64_t r = 0; r < a.rows; ++r)
    for (int64_t i = a.offset[r]; i < a.offset[r + 1]; ++i)
      visit(r, a.col[i], a.valueAt(i));
}

/// c[row][:] += a[row][k] * b[k][:] with B's values as an array of T.
template <typename T, typename Matrix>
static void accumulate(const Matrix &a, const T *b, int64_t n, int32_t *c) {
  forEachEntry(a, [=](int64_t row, int64_t k, int32_t value) {
    int32_t *out = c + row * n;
    const T *in = b + k * n;
    for (int64_t j = 0; j < n; ++j)
      out[j] = static_cast<int32_t>(static_cast<uint32_t>(out[j]) +
                                    static_cast<uint32_t>(value) *
                                        static_cast<uint32_t>(in[j]));
  });
}

/// One byte per 4-bit value.
static std::vector<int8_t> widen(const DenseView &b) {
  std::vector<int8_t> wide(b.rows * b.cols);
  for (int64_t r = 0; r < b.rows; ++r)
    for (int64_t c = 0; c < b.cols; ++c)
      wide[r * b.cols + c] = static_cast<int8_t>(b.at(r, c));
  return wide;
}

template <typename Matrix>
static void dispatch(const Matrix &a, const DenseView &b, int32_t *c) {
  auto run = [&](auto zero) {
    accumulate(a, reinterpret_cast<const decltype(zero) *>(b.data), b.cols, c);
  };
  bool isSigned = b.type.isSigned;
  switch (b.type.containerBits()) {
  case 8:
    if (b.type.isPacked())
      accumulate(a, widen(b).data(), b.cols, c);
    else
      isSigned ? run(int8_t()) : run(uint8_t());
    return;
  case 16:
    isSigned ? run(int16_t()) : run(uint16_t());
    return;
  default:
    run(uint32_t());
  }
}

template <typename Matrix>
static Result<std::vector<int32_t>> multiply(const Matrix &a,
                                             const DenseView &b,
                                             const std::vector<int32_t> &init) {
  if (Status s = a.validate(); !s)
    return s.error();
  if (a.cols != b.rows)
    return Error{message("expected as many dense rows as the ", a.cols,
                         " sparse columns, but got ", b.rows)};
  if (b.type.isPattern())
    return Error{"expected dense values, but got a pattern type"};
  if (b.cols < 1 || a.rows > kMaxDenseElements / b.cols)
    return Error{message("expected a product of at most ", kMaxDenseElements,
                         " elements, but got ", a.rows, " x ", b.cols)};
  int64_t size = a.rows * b.cols;
  if (!init.empty() && static_cast<int64_t>(init.size()) != size)
    return Error{
        message("expected ", size, " initial values, but got ", init.size())};
  std::vector<int32_t> c = init;
  c.resize(size);
  dispatch(a, b, c.data());
  return c;
}

Result<std::vector<int32_t>> referenceSpmm(const CooMatrix &a,
                                           const DenseView &b,
                                           const std::vector<int32_t> &init) {
  return multiply(a, b, init);
}
Result<std::vector<int32_t>> referenceSpmm(const CsrMatrix &a,
                                           const DenseView &b,
                                           const std::vector<int32_t> &init) {
  return multiply(a, b, init);
}

} // namespace mlir::magicube
