//===- StepLayout.cpp - One step of 32 stored vectors on Tensor Cores -----===//
//
// Part of the Magicube Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The recipes as data, and the layouts that follow from them and MmaTable.
//
//===----------------------------------------------------------------------===//

#include "magicube/Layout/StepLayout.h"

#include <algorithm>

using namespace mlir::magicube;

namespace {
/// One bit of a coordinate, as in "p2".
struct CoordinateBit {
  const char *name;
  int32_t bit;
};

/// Bit `bit` of the position, the column in a chunk.
constexpr CoordinateBit p(int32_t bit) { return {dim::position, bit}; }
constexpr CoordinateBit n(int32_t bit) { return {dim::column, bit}; }

/// What differs between the ways to get operand A into registers. Bits are
/// listed from high to low, as they are written on paper.
struct StepRecipe {
  const char *name;
  /// The MMA, by shape and operand width.
  const char *mma;
  int32_t operandBits;
  /// Which bits of (position, chunk) a supplying lane's bits are, and which
  /// tell several ldmatrix calls apart.
  std::vector<CoordinateBit> laneBits;
  std::vector<CoordinateBit> callBits;
  /// Which bits of the column an MMA row's bits are.
  std::vector<CoordinateBit> rowBits;
  /// MMA operand A, register by register.
  std::vector<BytePermute> permutes;
};
} // namespace

/// ldmatrix.trans leaves in raw register i of lane 4g + t the bytes
///
///     byte         3             2             1          0
///     supplied by  8i + 2t + 1   8i + 2t + 1   8i + 2t    8i + 2t    (lane)
///     column       2g + 1        2g            2g + 1     2g
///
/// Even bytes of two registers make four positions of column 2g, odd bytes of
/// column 2g + 1: MMA rows g and g + 8. The two pairs of selectors list the
/// four positions in different orders, which the gather makes up for.
static const std::vector<StepRecipe> &recipes() {
  static const std::vector<StepRecipe> table = {
      {"transpose",
       "m16n8k32",
       8,
       {p(2), p(0), p(4), p(3), p(1)},
       {},
       {n(0), n(3), n(2), n(1)},
       {{0, 1, 0x6240}, {0, 1, 0x7351}, {2, 3, 0x6240}, {2, 3, 0x7351}}},
      {"transpose-paired",
       "m16n8k32",
       8,
       {p(2), p(1), p(4), p(3), p(0)},
       {},
       {n(0), n(3), n(2), n(1)},
       {{0, 1, 0x6420}, {0, 1, 0x7531}, {2, 3, 0x6420}, {2, 3, 0x7531}}},
  };
  return table;
}

const std::vector<std::string> &mlir::magicube::stepRecipes() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> result;
    for (const StepRecipe &recipe : recipes())
      result.push_back(recipe.name);
    return result;
  }();
  return names;
}

/// The basis of an input dimension whose bits, listed from high to low, are
/// bits of the outputs.
static LayoutBasis routeBits(const char *input,
                             const std::vector<CoordinateBit> &bits,
                             const std::vector<LayoutDim> &outputs) {
  LayoutBasis basis{input, {}};
  for (auto bit = bits.rbegin(); bit != bits.rend(); ++bit) {
    std::vector<int32_t> image;
    for (const LayoutDim &output : outputs)
      image.push_back(output.name == bit->name ? 1 << bit->bit : 0);
    basis.images.push_back(std::move(image));
  }
  return basis;
}

/// (call, lane) -> (position, chunk)
static Result<LinearLayout> buildGather(const StepRecipe &recipe) {
  int32_t chunks = 1;
  for (const auto *bits : {&recipe.laneBits, &recipe.callBits})
    for (CoordinateBit bit : *bits)
      if (std::string_view(bit.name) == dim::chunk)
        chunks *= 2;
  std::vector<LayoutDim> outputs = {{dim::position, kStepPositions},
                                    {dim::chunk, chunks}};
  return LinearLayout::create({routeBits(dim::call, recipe.callBits, outputs),
                               routeBits(dim::lane, recipe.laneBits, outputs)},
                              outputs);
}

/// (position) -> (phase). A phase is one matrix of one call, so its number is
/// made of the position bits among the call's bits and the lane's bits above
/// the rows of a matrix; the higher position bit first.
static Result<LinearLayout> buildPhase(const StepRecipe &recipe) {
  std::vector<CoordinateBit> bits = recipe.callBits;
  for (size_t i = 0; i < recipe.laneBits.size(); ++i) {
    size_t laneBit = recipe.laneBits.size() - 1 - i;
    if (1 << laneBit >= kLdmatrixPhaseRows)
      bits.push_back(recipe.laneBits[i]);
  }
  int32_t positionBits = 0;
  for (CoordinateBit bit : bits)
    if (std::string_view(bit.name) == dim::position)
      positionBits |= 1 << bit.bit;

  LayoutBasis basis{dim::position, {}};
  int32_t phases = 1;
  for (int32_t position = 1; position < kStepPositions; position *= 2) {
    bool counts = (positionBits & position) != 0;
    basis.images.push_back({counts ? phases : 0});
    phases *= counts ? 2 : 1;
  }
  return LinearLayout::create({basis}, {{dim::phase, phases}});
}

/// (fragment, lane, register, element) -> (vector, position): consecutive
/// positions through the registers of a lane, then through the lanes of a
/// group; groups and fragments are vectors.
static LinearLayout buildLhs(const MmaInstruction &mma, int32_t fragments) {
  using L = LinearLayout;
  L lhs =
      L::identity1D(mma.elementsPerRegister(), dim::element, dim::position) *
      L::identity1D(mma.bRegisters(), dim::reg, dim::position) *
      L::identity1D(kMmaGroupLanes, dim::lane, dim::position) *
      L::identity1D(kMmaGroups, dim::lane, dim::vector) *
      L::identity1D(fragments, dim::fragment, dim::vector);
  return lhs.sublayout({dim::fragment, dim::lane, dim::reg, dim::element},
                       {dim::vector, dim::position});
}

/// (position) -> (k): where operand B, filled as in `buildLhs`, has a position.
static Result<LinearLayout> buildSlot(const MmaInstruction &mma) {
  Result<LinearLayout> holder =
      buildLhs(mma, /*fragments=*/1)
          .sublayout({dim::lane, dim::reg, dim::element},
                     {dim::vector, dim::position})
          .invert();
  if (!holder)
    return holder.error();
  Result<LinearLayout> place = holder->compose(mma.b);
  if (!place)
    return place.error();
  return place->sublayout({dim::position}, {dim::k});
}

/// (fragment, lane, register) -> (vector, column)
static Result<LinearLayout> buildOutput(const MmaInstruction &mma,
                                        const LinearLayout &rowColumn,
                                        int32_t fragments) {
  LinearLayout problem =
      rowColumn * LinearLayout::identity1D(mma.n, dim::n, dim::vector);
  Result<LinearLayout> output = mma.c.compose(problem);
  if (!output)
    return output.error();
  LinearLayout all =
      *output * LinearLayout::identity1D(fragments, dim::fragment, dim::vector);
  return all.sublayout({dim::fragment, dim::lane, dim::reg},
                       {dim::vector, dim::column});
}

/// Fills in what follows from the recipe's rows and the MMA table. Fails only
/// if a row of either table is inconsistent.
static Result<StepLayout> buildStep(const StepRecipe &recipe,
                                    const MmaInstruction &mma,
                                    int32_t vectorLength) {
  int32_t fragments = std::max(1, vectorLength / mma.n);
  std::vector<LayoutDim> columns = {{dim::column, mma.m}};
  Result<LinearLayout> gather = buildGather(recipe);
  if (!gather)
    return gather.error();
  Result<LinearLayout> supplier = gather->invert();
  if (!supplier)
    return supplier.error();
  Result<LinearLayout> slot = buildSlot(mma);
  if (!slot)
    return slot.error();
  Result<LinearLayout> rowColumn = LinearLayout::create(
      {routeBits(dim::m, recipe.rowBits, columns)}, columns);
  if (!rowColumn)
    return rowColumn.error();
  Result<LinearLayout> output = buildOutput(mma, *rowColumn, fragments);
  if (!output)
    return output.error();
  Result<LinearLayout> phase = buildPhase(recipe);
  if (!phase)
    return phase.error();
  return StepLayout{recipe.name,
                    &mma,
                    vectorLength,
                    *gather,
                    *supplier,
                    recipe.permutes,
                    buildLhs(mma, fragments),
                    *slot,
                    *rowColumn,
                    *output,
                    *phase};
}

Result<StepLayout> mlir::magicube::getStepLayout(std::string_view recipe,
                                                 int32_t vectorLength) {
  constexpr int32_t lengths[] = {1, 2, 4, 8, 16};
  if (std::find(std::begin(lengths), std::end(lengths), vectorLength) ==
      std::end(lengths))
    return Error{"vector length must be one of 1, 2, 4, 8, 16, but got " +
                 std::to_string(vectorLength)};
  std::string known;
  for (const StepRecipe &row : recipes()) {
    if (row.name == recipe) {
      const MmaInstruction *mma = lookupMma(row.mma, row.operandBits);
      if (!mma)
        return Error{"the MMA table has no " + std::string(row.mma) + " of " +
                     std::to_string(row.operandBits) + " bits"};
      return buildStep(row, *mma, vectorLength);
    }
    known += (known.empty() ? "" : ", ") + std::string(row.name);
  }
  return Error{"unknown step recipe '" + std::string(recipe) +
               "', expected one of " + known};
}
