//===- StepLayout.h - One step of 32 stored vectors on Tensor Cores -------===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The layout object that packer, kernel generator and tests share: which lane
// gathers what, how registers are permuted, who ends with which result.
//
//===----------------------------------------------------------------------===//
//
// A vector-row of the sparse matrix is a list of V x 1 vectors. A *step* takes
// 32 of them, at *positions* p = 0..31, together with the 32 dense rows that
// their column indices name, and computes
//
//     out[vector v][column n] += sum over p of lhs[v][p] * dense[index[p]][n].
//
// Operands are swapped: the dense rows are MMA operand A (16 columns of n as
// MMA rows), the sparse vectors operand B (V as MMA columns). Per step and 16
// bytes of n:
//
//   gather    each lane supplies the address of one 16-byte dense chunk to
//             ldmatrix.x4.trans; `gather` says of which position.
//   permute   .trans works on 16-bit units, so a raw register holds two columns
//             of two positions. One byte permute of two raw registers makes a
//             register of one column and four positions: `permutes`.
//   lhs       lane 4g + t loads 8 bytes of vector v = g from position 8t on:
//             registers 0 and 1 of operand B. This is the storage order, so
//             values are never permuted; the order that the permutes want lies
//             in `gather` alone.
//   mma       sums over its k slots; slot s multiplies position p with
//             s = `slot`(p), in A as well as in B (proved in the unit test).
//   output    accumulator register r of lane 4g + t is vector 2t + (r & 1),
//             column 2g + (r >> 1).
//
// With V < 8 the lanes g >= V hold zeros as lhs. With V = 16 there are two
// fragments of lhs (vectors 8 fragment + g) and of accumulators per A fragment.
//
//===----------------------------------------------------------------------===//

#ifndef MAGICUBE_LAYOUT_STEPLAYOUT_H
#define MAGICUBE_LAYOUT_STEPLAYOUT_H

#include "magicube/Layout/MmaTable.h"

namespace mlir::magicube {

/// Stored positions that one step consumes.
inline constexpr int32_t kStepPositions = 32;

/// PTX `prmt.b32 d, raw[sourceA], raw[sourceB], selector`: byte i of d is byte
/// (selector >> 4i) & 7 of the eight bytes {sourceA: 0-3, sourceB: 4-7}.
struct BytePermute {
  int32_t sourceA;
  int32_t sourceB;
  uint16_t selector;
};

/// One step, for one recipe and one vector length.
struct StepLayout {
  /// Name of the recipe: "transpose".
  std::string recipe;
  const MmaInstruction *mma = nullptr;
  /// V: 1, 2, 4, 8 or 16.
  int32_t vectorLength = 0;

  /// (call, lane) -> (position, chunk): ldmatrix number `call` takes from
  /// `lane` the address of 16-byte chunk `chunk` (of a group of chunks) of the
  /// dense row at `position`. A bijection.
  LinearLayout gather;
  /// (position, chunk) -> (call, lane): the inverse of `gather`.
  LinearLayout supplier;
  /// Register r of MMA operand A, from the raw registers of one call.
  std::vector<BytePermute> permutes;
  /// (fragment, lane, register, element) -> (vector, position): what operand B
  /// holds. Zero where vector >= vectorLength.
  LinearLayout lhs;
  /// (position) -> (k): the MMA slot in which a position is multiplied.
  LinearLayout slot;
  /// (m) -> (column): which column of the gathered chunk an MMA row is.
  LinearLayout rowColumn;
  /// (fragment, lane, register) -> (vector, column): who ends with what. Values
  /// with vector >= vectorLength are not part of the result.
  LinearLayout output;
  /// (position) -> (phase): positions of the same phase are read from shared
  /// memory together, so their dense rows should differ modulo 8.
  LinearLayout phase;

  /// MMAs per A fragment: 1, or 2 at V = 16.
  int32_t fragments() const { return output.inputSize(dim::fragment); }
  /// ldmatrix.x4 per group of chunks.
  int32_t calls() const { return gather.inputSize(dim::call); }
  /// Columns of the dense operand that one A fragment covers.
  int32_t columns() const { return output.outputSize(dim::column); }
};

/// Names of the recipes, the recommended one first:
///   "transpose"         int8, permutes 0x6240/0x7351, lane (p2 p0 p4 p3 p1);
///                       phases (p2,p0), shared with the forms to come.
///   "transpose-paired"  int8, permutes 0x6420/0x7531, lane (p2 p1 p4 p3 p0).
const std::vector<std::string> &stepRecipes();

/// Builds the step of a recipe for vectors of length `vectorLength`. Errors: an
/// unknown recipe (lists the known ones), a length other than 1, 2, 4, 8, 16.
Result<StepLayout> getStepLayout(std::string_view recipe, int32_t vectorLength);

} // namespace mlir::magicube

#endif // MAGICUBE_LAYOUT_STEPLAYOUT_H
