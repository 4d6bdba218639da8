//===- LaunchRule.h - How kernels are launched ------------------*- C++ -*-===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What generated host code, bundles and the runtime must agree on: a kernel's
// parameters, its grid as a function of run-time sizes, and the alignment it
// needs. Header only: the compiler applies the rules to SSA values, the runtime
// to numbers.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_RUNTIME_LAUNCHRULE_H
#define MAGICUBE_RUNTIME_LAUNCHRULE_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace mlir::magicube {

/// Most blocks in y and in z (CUDA C++ Programming Guide, "Technical
/// Specifications per Compute Capability"); x has 2^31 - 1.
inline constexpr int64_t kMaxGridY = 65535;

/// The name of the one rule so far, that of SpMM kernels.
inline constexpr std::string_view kSpmmRule = "spmm";

/// Parameters of an SpMM kernel, in order. Sizes are i32. Those of an epilogue
/// follow: the sum_bias (!llvm.ptr<1> to a row or column of i32), each scale
/// (f32, or !llvm.ptr<1>), the bias (!llvm.ptr<1>), as far as there are any.
enum class SpmmParameter {
  Pointers,     ///< !llvm.ptr<1>, [rows][2] i32
  Indices,      ///< !llvm.ptr<1>, i32 or u16
  Values,       ///< !llvm.ptr<1>, i8
  Rhs,          ///< !llvm.ptr<1>, K x n bytes, `RhsStride` apart
  Result,       ///< !llvm.ptr<1>, M x n, `ResultStride` elements apart
  Columns,      ///< n
  RhsStride,    ///< bytes from one row of the dense operand to the next
  ResultStride, ///< elements from one row of the result to the next
  VectorRows    ///< M / V
};
inline constexpr unsigned kNumSpmmParameters = 9;

/// Spellings in IR and manifests, by parameter.
inline constexpr std::array<std::string_view, kNumSpmmParameters>
    kSpmmParameterNames = {"pointers",   "indices",       "values",
                           "rhs",        "result",        "columns",
                           "rhs_stride", "result_stride", "vector_rows"};

/// Spellings of the parameters of an epilogue, in order.
inline constexpr std::array<std::string_view, 4> kSpmmEpilogueNames = {
    "sum_bias", "scale_0", "scale_1", "bias"};
inline constexpr size_t kNumSpmmScales = 2;

/// Results that a lane stores at once where rows of the dense operand, of
/// `bits` bits an element, are aligned to more than one byte: the columns that
/// a byte pair holds.
constexpr int64_t getSpmmStoreColumns(int64_t rhsBits) {
  constexpr int64_t pairBits = 16;
  return pairBits / rhsBits;
}

/// Bytes of a dense row of `columns` elements of `bits` bits; rows of 4-bit
/// elements end with a whole byte.
constexpr int64_t getDenseRowBytes(int64_t columns, int64_t bits) {
  constexpr int64_t byteBits = 8;
  return bits < byteBits ? (columns * bits + byteBits - 1) / byteBits
                         : columns * (bits / byteBits);
}

/// What an SpMM kernel asks of its operands: address, row stride and length of
/// a row (in bytes) of the dense operand are multiples of `rhs`, address and
/// row stride (in bytes) of the result of `result`: those of elements of a byte
/// or less need not be aligned. The number of columns is a multiple of
/// getColumns.
struct SpmmAlignment {
  int64_t rhs = 1;
  int64_t result = 1;

  static constexpr SpmmAlignment get(int64_t rhs, int64_t rhsBits,
                                     int64_t resultElementBytes) {
    bool isAligned = rhs > 1 && resultElementBytes > 1;
    return {rhs, isAligned ? getColumns(rhs, rhsBits) * resultElementBytes : 1};
  }

  static constexpr int64_t getColumns(int64_t rhs, int64_t rhsBits) {
    return rhs == 1 ? 1 : getSpmmStoreColumns(rhsBits);
  }
};

/// The part of the result that a block computes: `columns` columns of
/// `vectorRows` vector-rows, or, if `blocks` is not 0, of so many that about
/// `blocks` blocks share the result; they deal the vector-rows themselves.
struct SpmmTile {
  int64_t vectorRows = 1;
  int64_t columns = 1;
  int64_t blocks = 0;
};

/// The grid: blocks of vector-rows in x; tiles of columns in y as far as they
/// go, the rest in z, so that the last slice may hold blocks past the last
/// tile. `Arithmetic` has a type Value and constant, ceilDiv, floorDiv, min and
/// max on values.
template <typename Arithmetic>
std::array<typename Arithmetic::Value, 3>
getSpmmGrid(Arithmetic &arithmetic, typename Arithmetic::Value vectorRows,
            typename Arithmetic::Value columns, SpmmTile tile) {
  auto constant = [&](int64_t value) { return arithmetic.constant(value); };
  auto tiles = arithmetic.ceilDiv(columns, constant(tile.columns));
  auto x = arithmetic.ceilDiv(vectorRows, constant(tile.vectorRows));
  if (tile.blocks != 0) // `tiles` is 0 only where nothing is launched
    x = arithmetic.min(
        vectorRows,
        arithmetic.max(constant(1), arithmetic.floorDiv(
                                        constant(tile.blocks),
                                        arithmetic.max(constant(1), tiles))));
  return {x, arithmetic.min(tiles, constant(kMaxGridY)),
          arithmetic.ceilDiv(tiles, constant(kMaxGridY))};
}

} // namespace mlir::magicube

#endif // MAGICUBE_RUNTIME_LAUNCHRULE_H
