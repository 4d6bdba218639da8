//===- LinearLayout.h - Layouts as linear functions over bits -------------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// "Which lane holds which element" as a value that can be composed, inverted,
// applied to integers (packer, tests) and to SSA values (kernel generator).
//
//===----------------------------------------------------------------------===//
//
// The idea. Write a lane number as bits l4 l3 l2 l1 l0 and a matrix row as bits
// r2 r1 r0. Nearly every data layout on a GPU only routes bits: "the row is the
// upper three bits of the lane", or XORs them: "the chunk is c ^ (row & 3)".
// Such a function f satisfies f(x ^ y) = f(x) ^ f(y), so it is known completely
// once it is known for the powers of two. The images of the powers of two are
// its *basis vectors*, and f(x) is the XOR of those that belong to set bits.
//
// Example: the accumulators of mma.m16n8k32. Lane l = 4g + t, register r = 0..3
// holds row g + 8 (r >> 1), column 2t + (r & 1):
//
//     input bit     row  column      f(lane = 6, register = 3), 6 = 0b00110
//     lane     1      0       2        = f(lane 2) ^ f(lane 4)
//     lane     2      0       4          ^ f(register 1) ^ f(register 2)
//     lane     4      1       0        = (0,4) ^ (1,0) ^ (0,1) ^ (8,0)
//     lane     8      2       0        = (9,5)
//     lane    16      4       0
//     register 1      0       1      (the two columns on the left are the whole
//     register 2      8       0       layout: 7 vectors for 128 values)
//
// Inputs and outputs are named dimensions with sizes that are powers of two; a
// size of 1 means a dimension of no bits, always 0. What linearity gives us:
//
//   * The same object gives numbers (`apply`) and instructions (`fields`: which
//     bits to mask, where to shift them).
//   * Big layouts are products of small ones. In `a * b` a dimension that both
//     have gets b's bits above a's bits. The table above is
//         identity1D(2, register, column) * identity1D(4, lane, column)
//       * identity1D(8, lane, row)        * identity1D(2, register, row)
//     which reads: lowest column bit from the register, next two from the lane,
//     then row bits from the rest of the lane, last row bit from the register.
//   * "What does my lane hold after this load?" is `compose`; "who holds this
//     element?" is `invert`; "no two lanes hold the same" is `isInjective`.
//
// Not linear, so not in here: sizes that are no powers of two, sums with carry
// (a row pitch of 80 bytes; see SharedMemoryLayout.h) and offsets.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LAYOUT_LINEARLAYOUT_H
#define MAGICUBE_LAYOUT_LINEARLAYOUT_H

#include "magicube/Support/Result.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace mlir::magicube {

/// Names of the dimensions that our layouts use, so that a typo does not
/// compile.
namespace dim {
// Where a value is.
inline constexpr const char *lane = "lane";
inline constexpr const char *reg = "register";
/// Element of a register, from the low bits up (4 bytes or 8 nibbles).
inline constexpr const char *element = "element";
/// Which of several MMA fragments (or loads) of one step.
inline constexpr const char *fragment = "fragment";
inline constexpr const char *call = "call";
/// Which of several accumulators hold different columns of one group.
inline constexpr const char *part = "part";
// Coordinates of an MMA as PTX names them: A is m x k, B is k x n, C is m x n.
inline constexpr const char *m = "m";
inline constexpr const char *n = "n";
inline constexpr const char *k = "k";
// Coordinates of the sparse problem: see StepLayout.h.
inline constexpr const char *position = "position";
inline constexpr const char *vector = "vector";
inline constexpr const char *column = "column";
inline constexpr const char *chunk = "chunk";
inline constexpr const char *row = "row";
inline constexpr const char *phase = "phase";
} // namespace dim

/// A named dimension; `size` is a power of two.
struct LayoutDim {
  std::string name;
  int32_t size;

  bool operator==(const LayoutDim &other) const {
    return name == other.name && size == other.size;
  }
};

/// The basis vectors of one input dimension: images[bit][i] is what input
/// 1 << bit contributes to output i. As many rows as the dimension has bits.
struct LayoutBasis {
  std::string name;
  std::vector<std::vector<int32_t>> images;
};

/// A point of an input or output space. A dimension that is left out is 0.
using LayoutPoint = std::map<std::string, int32_t>;

/// A group of bits that travels together from an input to an output dimension:
/// it contributes `(x & mask) << leftShift` (a right shift by -leftShift if
/// negative). Emit three instructions or fewer for it: the mask is not needed
/// if it holds all bits of x, the shift not if it is 0.
struct BitField {
  uint32_t mask;
  int32_t leftShift;

  uint32_t apply(uint32_t x) const {
    return leftShift >= 0 ? (x & mask) << leftShift : (x & mask) >> -leftShift;
  }
  bool operator==(const BitField &other) const {
    return mask == other.mask && leftShift == other.leftShift;
  }
};

/// A linear function over bits from named input to named output dimensions. An
/// immutable value. At most 30 bits a dimension and 63 bits in all, on either
/// side.
class LinearLayout {
public:
  /// The layout without dimensions: neutral element of the product.
  LinearLayout() = default;

  /// A layout from its basis vectors. Errors: a dimension named twice, an
  /// output size that is no power of two, a vector with the wrong number of
  /// entries or an entry outside its output dimension, too many bits.
  static Result<LinearLayout> create(const std::vector<LayoutBasis> &inputs,
                                     std::vector<LayoutDim> outputs);

  /// output = input, for 0 <= input < size; `size` must be a power of two.
  static LinearLayout identity1D(int32_t size, std::string input,
                                 std::string output);

  /// output = 0 whatever the input: the input's bits do not matter (broadcast).
  /// The output dimension has size `outputSize`. Both sizes are powers of two.
  static LinearLayout zeros1D(int32_t size, std::string input,
                              std::string output, int32_t outputSize = 1);

  const std::vector<LayoutDim> &inputs() const { return inputDims; }
  const std::vector<LayoutDim> &outputs() const { return outputDims; }
  /// Size of a dimension; 1 (no bits, always 0) if there is none of that name.
  int32_t inputSize(std::string_view input) const;
  int32_t outputSize(std::string_view output) const;

  /// What bit `bit` of `input` contributes to `output`; 0 if there is no such
  /// dimension or bit.
  int32_t basis(std::string_view input, int32_t bit,
                std::string_view output) const;

  /// The value of one output dimension, or of all. Inputs that are left out are
  /// 0; names that are no inputs, and bits above an input's size, are ignored.
  int32_t apply(const LayoutPoint &point, std::string_view output) const;
  LayoutPoint apply(const LayoutPoint &point) const;

  /// Both layouts side by side. Where they share the name of an input (output)
  /// dimension, `high`'s bits are placed above the bits of *this. The sum of
  /// bits must stay within the limits of the class.
  LinearLayout operator*(const LinearLayout &high) const;

  /// x -> outer(this(x)). Error unless this layout's outputs are exactly the
  /// inputs of `outer`, by name and size; their order does not matter.
  Result<LinearLayout> compose(const LinearLayout &outer) const;

  /// The inverse function. Error unless isBijective().
  Result<LinearLayout> invert() const;

  /// No two inputs have the same image: nothing is held twice.
  bool isInjective() const;
  /// Every output is some input's image: nothing is missing.
  bool isSurjective() const;
  bool isBijective() const { return isInjective() && isSurjective(); }

  /// Restricts to the named inputs (the others held at 0) and the named outputs
  /// (the others dropped), in the order given. Names that do not exist are
  /// ignored.
  LinearLayout sublayout(const std::vector<std::string> &inputNames,
                         const std::vector<std::string> &outputNames) const;

  /// The same function with a dimension renamed; nothing happens if there is
  /// none. `to` must be new.
  LinearLayout renameInput(std::string_view from, std::string to) const;
  LinearLayout renameOutput(std::string_view from, std::string to) const;

  /// How `input` reaches `output`, as few masks and shifts: one per distance,
  /// by ascending lowest input bit. The output is the XOR over all input
  /// dimensions and fields of `field.apply(x)`. Empty: no contribution.
  std::vector<BitField> fields(std::string_view input,
                               std::string_view output) const;

  /// True if no bit of `output` comes from two input bits, so that the XOR of
  /// its fields may be emitted as a disjoint OR (or an add).
  bool isDisjoint(std::string_view output) const;

  /// One line per input bit, as in the table at the top of this file.
  std::string toString() const;

  /// Same dimensions in the same order and same basis vectors.
  bool operator==(const LinearLayout &other) const;
  bool operator!=(const LinearLayout &other) const { return !(*this == other); }

private:
  uint64_t applyFlat(uint64_t flat) const;

  // All input bits in one row, first dimension lowest, and the same for the
  // output: columns[i] is the flat image of flat input bit i.
  std::vector<LayoutDim> inputDims;
  std::vector<LayoutDim> outputDims;
  std::vector<uint64_t> columns;
};

} // namespace mlir::magicube

#endif // MAGICUBE_LAYOUT_LINEARLAYOUT_H
